"""Azure's own clients with the credentials of the keyring, with and without an event loop."""

import asyncio
import contextlib
import json
import os
import time
import unittest

import azure.core.credentials
import azure.core.credentials_async
import azure.core.exceptions
import azure.identity
import azure.keyvault.secrets
import azure.keyvault.secrets.aio
import azure.mgmt.subscription
import keyfob
import keyfob.aio
import place
from standins import microsoft

SCOPE = "https://management.azure.com/.default"


class Static:
    """A credential that always has a token."""

    def get_token(self, *_, **__):
        return azure.core.credentials.AccessToken("static", int(time.time()) + 3600)


class Azure(place.Providers):
    """Two accounts, a challenge, a refusal."""

    def credential(self, account=place.ADA):
        return keyfob.Credential(self.keyring, account=account)

    def secret(self, credential):
        with azure.keyvault.secrets.SecretClient(f"https://{place.KEY_VAULT}", credential) as client:
            return client.get_secret("sample").value

    async def secret_async(self, credential):
        client = azure.keyvault.secrets.aio.SecretClient(
            f"https://{place.KEY_VAULT}", credential, proxies={"https": os.environ["HTTPS_PROXY"]},
            connection_verify=os.environ["SSL_CERT_FILE"])
        async with client:
            return (await client.get_secret("sample")).value

    def test_protocols(self):
        credential, other = self.credential(), keyfob.aio.Credential(self.keyring, account=place.ADA)
        self.assertIsInstance(credential, azure.core.credentials.TokenCredential)
        self.assertIsInstance(credential, azure.core.credentials.SupportsTokenInfo)
        self.assertIsInstance(other, azure.core.credentials_async.AsyncTokenCredential)
        self.assertIsInstance(other, azure.core.credentials_async.AsyncSupportsTokenInfo)
        token, info = credential.get_token(SCOPE), credential.get_token_info(SCOPE)
        self.assertIsInstance(token, azure.core.credentials.AccessToken)
        self.assertIsInstance(info, azure.core.credentials.AccessTokenInfo)
        self.assertEqual((token.token, token.expires_on), (info.token, info.expires_on))
        # That of another tenant, where the person is a guest.
        guest = credential.get_token(SCOPE, tenant_id=microsoft.FABRIKAM)
        self.assertIn(microsoft.FABRIKAM, guest.token)
        self.assertIn(microsoft.CONTOSO, token.token)

    def test_key_vault(self):
        for account in (place.ADA, place.CLEO):
            self.assertEqual(self.secret(self.credential(account)), f"a secret that {account} reads")
            other = keyfob.aio.Credential(self.keyring, account=account)
            self.assertEqual(asyncio.run(self.secret_async(other)), f"a secret that {account} reads")

    def test_claims_challenge(self):
        """A service that wants claims gets them, from either client."""
        self.set(challenge=True)
        self.assertEqual(self.secret(self.credential()), f"a secret that {place.ADA} reads")
        self.assertEqual(asyncio.run(self.secret_async(keyfob.aio.Credential(self.keyring, account=place.CLEO))),
                         f"a secret that {place.CLEO} reads")

    def test_continuous_evaluation(self):
        """Who handles challenges says so, once for a token."""
        credential = self.credential()
        first = credential.get_token(SCOPE, enable_cae=True)
        again = credential.get_token_info(SCOPE, options={"enable_cae": True})
        self.assertEqual(first.token, again.token)
        self.assertLessEqual(len(self.refreshes()), 2)
        claims = json.dumps({"access_token": {"nbf": {"essential": True}}})
        self.assertNotEqual(credential.get_token(SCOPE, claims=claims, enable_cae=True).token, first.token)

        async def ask():
            other = keyfob.aio.Credential(self.keyring, account=place.ADA)
            async with other:
                found = await other.get_token(SCOPE, enable_cae=True)
                return found.token, (await other.get_token_info(SCOPE, options={"enable_cae": True})).token

        first, again = asyncio.run(ask())
        self.assertEqual(first, again)

    def test_capable_token(self):
        """A token that says itself that its program handles challenges is asked for once, by whichever process."""
        scope, token = "https://capable.example/.default", f"{place.part({'alg': 'none'})}.{place.part({'xms_cc': ['cp1']})}.c2ln"
        self.network.control({"paths": [f"/{microsoft.FABRIKAM}/oauth2/v2.0/token"], "status": 200, "body": {
            "token_type": "Bearer", "expires_in": 3600, "scope": scope, "access_token": token}})
        for _ in range(2):
            self.assertEqual(self.credential().get_token(scope, tenant_id=microsoft.FABRIKAM, enable_cae=True).token, token)
        self.assertEqual(len(self.refreshes()), 1)

    def test_management(self):
        with azure.mgmt.subscription.SubscriptionClient(self.credential()) as client:
            self.assertEqual([found.subscription_id for found in client.subscriptions.list()], [microsoft.SUBSCRIPTION])

    def test_chain(self):
        """A chain goes on where something is missing here, and stops where a provider refuses."""
        for credential in (self.credential("nobody"), keyfob.Credential(keyfob.Keyring(vault="/nowhere/at/all"))):
            chain = azure.identity.ChainedTokenCredential(credential, Static())
            self.assertEqual(chain.get_token(SCOPE).token, "static")
        with self.assertRaises(azure.identity.CredentialUnavailableError) as caught:
            self.credential("nobody").get_token(SCOPE)
        self.assertIsInstance(caught.exception, keyfob.NotFound)
        self.assertEqual((caught.exception.code, caught.exception.status), ("noSuchAccount", 13))
        self.assertIn("keyfob account list", str(caught.exception))
        self.network.control({"status": 500, "body": {}})
        with self.assertRaises(azure.core.exceptions.ClientAuthenticationError) as caught:
            self.credential().get_token("https://other.example/.default")
        self.assertNotIsInstance(caught.exception, azure.identity.CredentialUnavailableError)

        async def ask():
            await keyfob.aio.Credential(self.keyring, account="nobody").get_token(SCOPE)

        with self.assertRaises(azure.identity.CredentialUnavailableError):
            asyncio.run(ask())

    def test_continuation(self):
        """What a person has to do is in fields."""
        self.set(refuse={microsoft.CONTOSO: [65001, "https://consent.example"]})
        with self.assertRaises(keyfob.SignInNeeded) as caught:
            self.credential().get_token("https://consent.example/.default")
        continuation = caught.exception.continuation
        self.assertEqual((continuation.action, continuation.client_id), ("consent", place.AZURE_CLI))
        self.assertEqual(continuation.scopes, ("https://consent.example/.default",))
        self.assertIn("keyfob login", continuation.command)

    def test_loop_goes_on(self):
        """While a provider takes its time, an event loop does other things."""
        self.network.control({"delay_ms": 600})

        async def tick(times):
            with contextlib.suppress(asyncio.CancelledError):
                while True:
                    times.append(time.monotonic())
                    await asyncio.sleep(0.01)

        async def ask():
            times = []
            ticking = asyncio.create_task(tick(times))
            await self.keyring.token_async("https://slow.example/.default", account=place.ADA, client=place.AZURE_CLI)
            ticking.cancel()
            return max(after - before for before, after in zip(times, times[1:])), len(times)

        longest, count = asyncio.run(ask())
        self.assertLess(longest, 0.3)
        self.assertGreater(count, 10)


if __name__ == "__main__":
    unittest.main()
