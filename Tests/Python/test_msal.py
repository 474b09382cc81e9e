"""MSAL over the keyring: how long it takes with many accounts, and that a refresh token that is good once is used once."""

import json
import statistics
import threading
import time
import unittest

import keyfob
import msal
import msal_extensions
import place
from standins import microsoft

ASK = """
import sys, msal, place
cache = place.keyfob.TokenCache()
app = msal.PublicClientApplication(place.AZURE_CLI, token_cache=cache, authority=f"https://{place.LOGIN}/organizations", instance_discovery=False)
account, = app.get_accounts(place.ADA)
found = app.acquire_token_silent_with_error([sys.argv[1]], account)
print(found.get("access_token"), found.get("error"))
"""


def application(cache, tenant="organizations", **more):
    return msal.PublicClientApplication(
        place.AZURE_CLI, token_cache=cache, authority=f"https://{place.LOGIN}/{tenant}", instance_discovery=False, **more)


class OneUse(place.Providers):
    """Refresh tokens that are good once; no access token is."""

    OPTIONS = {"one_use": True}
    LIFETIME = -10

    def test_processes(self):
        self.network.control({"delay_ms": 200})
        scope = "https://one.example/.default"
        processes = [self.home.python(ASK, scope) for _ in range(8)]
        found = [process.communicate(timeout=120) for process in processes]
        self.assertEqual({output for output in found}, {(found[0][0], "")})
        self.assertRegex(found[0][0], r"^sample-access-token\S+ None\n$")
        self.assertEqual(len(self.refreshes()), 1)

    def test_threads(self):
        self.network.control({"delay_ms": 200})
        app, found = application(keyfob.TokenCache(self.keyring)), []
        account, = app.get_accounts(place.CLEO)

        def ask():
            found.append(app.acquire_token_silent_with_error(["https://two.example/.default"], account))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len({answer["access_token"] for answer in found}), 1)
        self.assertEqual((len(found), len(self.refreshes())), (8, 1))
        # What MSAL renews by itself, for a program that wants it so, is the keyring's too.
        app = application(keyfob.TokenCache(self.keyring), microsoft.CONTOSO)
        forced = app.acquire_token_silent_with_error(["https://two.example/.default"], account, force_refresh=True)
        self.assertEqual(forced["token_source"], "identity_provider")
        self.assertEqual(self.keyring.token("https://two.example/.default", account=place.CLEO).token, forced["access_token"])


class Applications(place.Providers):
    """Applications with a secret, and their own tokens."""

    def test_kept(self):
        """An application's own token is kept, given again, and removed."""
        self.network.control({"paths": [f"/{microsoft.CONTOSO}/oauth2/v2.0/token"], "grant_types": ["client_credentials"], "status": 200, "body": {
            "token_type": "Bearer", "expires_in": 3600, "access_token": "app"}})
        for source in ("identity_provider", "cache"):
            app = msal.ConfidentialClientApplication(
                "confidential", client_credential="secret", authority=f"https://{place.LOGIN}/{microsoft.CONTOSO}",
                token_cache=keyfob.TokenCache(self.keyring), instance_discovery=False)
            found = app.acquire_token_for_client(["https://x.example/.default"])
            self.assertEqual((found["access_token"], found["token_source"]), ("app", source))
        app.remove_tokens_for_client()
        found = app.acquire_token_for_client(["https://x.example/.default"])
        self.assertEqual(found["token_source"], "identity_provider")


class Extensions(unittest.TestCase):
    """What a program keeps with msal-extensions."""

    def test_taken_over(self):
        home = place.Home()
        self.addCleanup(home.remove)
        persistence = msal_extensions.FilePersistence(str(home.folder / "cache.json"))
        kept = msal_extensions.PersistedTokenCache(persistence)
        for person in (place.ADA, place.CLEO):
            place.sign_in(kept, person, access=f"at-{person}", refresh=f"rt-{person}")
        with home.keyring() as keyring:
            keyring.write_cache(persistence.load())
            taken = keyfob.TokenCache(keyring, renews=False)
            for kind in ("AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata"):
                entries = [sorted(json.dumps(entry, sort_keys=True) for entry in cache.search(kind)) for cache in (kept, taken)]
                self.assertEqual(*entries)


class Speed(unittest.TestCase):
    """Silent calls with many accounts, beside MSAL's own cache in memory."""

    def test_speed(self):
        for count in (1_000, 10_000) if place.IS_FULL else (1_000,):
            home = place.Home()
            self.addCleanup(home.remove)
            memory = msal.SerializableTokenCache()
            for number in range(count):
                name = f"00000000-0000-4000-8000-{number:012}"
                memory.add({
                    "client_id": place.AZURE_CLI, "scope": [place.READ], "environment": place.LOGIN, "grant_type": "authorization_code",
                    "token_endpoint": f"https://{place.LOGIN}/organizations/oauth2/v2.0/token", "response": {
                        "access_token": f"at-{number}" + 1500 * "x", "refresh_token": f"rt-{number}", "expires_in": 3600, "token_type": "Bearer",
                        "id_token": place.id_token(oid=name, preferred_username=f"u{number}@contoso.example", sub=name),
                        "client_info": place.part({"uid": name, "utid": microsoft.CONTOSO})}})
            with home.keyring() as keyring:
                keyring.write_cache(memory.serialize())
                times = []
                for cache in (memory, keyfob.TokenCache(keyring)):
                    app = application(cache, http_client=place.Discovery())
                    began = time.perf_counter()
                    accounts = app.get_accounts()
                    listed = time.perf_counter() - began
                    self.assertEqual(len(accounts), count)
                    silent = []
                    for account in accounts[:: count // 50]:
                        began = time.perf_counter()
                        self.assertTrue(app.acquire_token_silent([place.READ], account))
                        silent.append(time.perf_counter() - began)
                    times.append((statistics.median(silent), max(silent), listed))
            own, keyrings = times
            print(f"\n{count} accounts: silent {own[0] * 1000:.2f} ms by MSAL in memory, {keyrings[0] * 1000:.2f} ms (at most "
                  f"{keyrings[1] * 1000:.2f}) by the keyring; the list {own[2] * 1000:.0f} and {keyrings[2] * 1000:.0f} ms", flush=True)
            self.assertLess(keyrings[0], own[0] + 0.010)


class Errors(unittest.TestCase):
    """What is wrong is named."""

    def test_option(self):
        home = place.Home()
        self.addCleanup(home.remove)
        with home.keyring() as keyring:
            with self.assertRaisesRegex(keyfob.UsageError, "--bogus"):
                keyring.token(bogus=1)
            with self.assertRaisesRegex(ValueError, "no such section"):
                keyring.find_entries("Other")
            with self.assertRaises(keyfob.DamagedVault):
                keyring.change_entries("[]")
            self.assertEqual(json.loads(keyring.find_entries("Account"))["Account"], {})


if __name__ == "__main__":
    unittest.main()
