"""That the stand-in for Microsoft Entra does what its table says."""

import base64
import json
import unittest

from checking import REDIRECT, StandInCase, later, shows
from standins.microsoft import CONTOSO, FABRIKAM, FAMILY, GRAPH, KEY_VAULT, NORTHWIND, PERSONAL, REFUSALS

HOST = "https://login.microsoftonline.com"
ADA, BEN, DORA = "ada@contoso.example", "ben@fabrikam.example", "dora@outlook.example"
AZURE, POWERSHELL = "04b07795-8ddb-461a-bbee-02f9e1bf7b46", "1950a258-227b-4e31-a9cf-717495945fc2"
READ = f"openid profile offline_access https://{GRAPH}/User.Read"


class Microsoft(StandInCase, unittest.TestCase):
    NAME = "microsoft"
    OPTIONS = {"interval": 1}

    def at(self, word):
        base = f"{HOST}/{word}/oauth2/v2.0"
        self.AUTHORIZE, self.TOKEN, self.DEVICE = base + "/authorize", base + "/token", base + "/devicecode"

    def setUp(self):
        super().setUp()
        self.at("common")

    def redeem(self, code, **more):
        return super().redeem(code, **{"scope": READ, "client_info": "1", **more})

    def refresh(self, token, **more):
        return super().refresh(token, **{"scope": READ, "client_info": "1", **more})

    def signed_in(self, person=ADA, word="common", client=None, **more):
        """The answer of a sign-in."""
        self.CLIENT = client or self.CLIENT
        self.at(word)
        return self.sign_in(READ, login_hint=person, **more)

    def refused(self, response, code, **more):
        """That an answer is a refusal with a code."""
        error, suberror, _ = REFUSALS[code]
        self.expect(response, 400, error=error, error_codes=[code], suberror=suberror, **more)

    @shows("A refresh token is of a person and a client, not of a tenant or a resource")
    def test_any_tenant(self):
        token = self.signed_in().json["refresh_token"]
        for word, tenant in ((CONTOSO, CONTOSO), (FABRIKAM, FABRIKAM), ("contoso.onmicrosoft.com", CONTOSO), ("fabrikam.example", FABRIKAM)):
            self.at(word)
            self.assertEqual(self.refresh(token).claims["tid"], tenant)
        answer = self.refresh(token, scope="openid https://management.azure.com/.default").json
        self.assertEqual(self.ask("https://management.azure.com/subscriptions", bearer=answer["access_token"]).json["value"][0]["tenantId"], FABRIKAM)
        self.expect(self.refresh(token, client_id="other"), 400, suberror="client_mismatch")

    @shows("It is replaced at each use, and the one before stays good")
    def test_replaced(self):
        first = self.signed_in().json["refresh_token"]
        second = self.refresh(first).json["refresh_token"]
        self.assertNotEqual(first, second)
        for token in (first, second):
            self.assertEqual(self.refresh(token).status, 200)
        self.refused(self.refresh("none"), 70000)

    @shows("An access token lives for 60 to 90 minutes, each for another time")
    def test_lifetimes(self):
        token = self.signed_in().json["refresh_token"]
        seconds = {self.refresh(token).json["expires_in"] for _ in range(20)}
        self.assertTrue(len(seconds) > 10 and min(seconds) >= 3600 and max(seconds) <= 5400, seconds)
        self.set(access_lifetime=30)
        given = self.refresh(token).json
        self.assertEqual(given["expires_in"], 30)
        with later(31):
            self.assertEqual(self.ask(f"https://{GRAPH}/v1.0/me", bearer=given["access_token"]).status, 401)

    @shows("common, organizations and consumers say who can sign in, and the token is of the person's home")
    def test_words(self):
        for word, person, tenant in (("common", ADA, CONTOSO), ("common", DORA, PERSONAL), ("organizations", ADA, CONTOSO),
                                     ("organizations", BEN, FABRIKAM), ("consumers", DORA, PERSONAL)):
            given = self.signed_in(person, word)
            self.assertEqual((given.claims["tid"], given.claims["iss"]), (tenant, f"{HOST}/{tenant}/v2.0"))
        self.refused(self.signed_in(DORA, "organizations"), 500200)
        self.refused(self.signed_in(ADA, "consumers"), 50020)
        document = self.ask(f"{HOST}/organizations/v2.0/.well-known/openid-configuration").json
        self.assertEqual(document["issuer"], HOST + "/{tenantid}/v2.0")

    @shows("A tenant that does not exist is told as AADSTS90002")
    def test_no_tenant(self):
        self.refused(self.ask(f"{HOST}/nowhere.example/v2.0/.well-known/openid-configuration"), 90002)
        token = self.signed_in().json["refresh_token"]
        self.at("00000000-0000-4000-8000-000000000000")
        self.refused(self.refresh(token), 90002)

    @shows("A guest has an object id of its own in each tenant; who is none there is refused, and the sign-in at home stays")
    def test_guests(self):
        token = self.signed_in().json["refresh_token"]
        home, guest = self.refresh(token), None
        self.at(FABRIKAM)
        guest = self.refresh(token)
        self.assertNotEqual(home.claims["oid"], guest.claims["oid"])
        self.assertEqual(home.json["client_info"], guest.json["client_info"])
        self.at(NORTHWIND)
        self.refused(self.refresh(token), 50020)
        self.at("common")
        self.assertEqual(self.refresh(token).status, 200)

    @shows("A refusal has error, error_description, error_codes, timestamp, trace_id, correlation_id and error_uri")
    def test_refusals(self):
        token = self.signed_in().json["refresh_token"]
        for code in REFUSALS:
            self.set(refuse={CONTOSO: code})
            answer = self.refresh(token)
            self.refused(answer, code)
            self.assertLessEqual({"error", "error_description", "error_codes", "timestamp", "trace_id", "correlation_id", "error_uri"}, set(answer.json))
            self.assertTrue(answer.json["error_description"].startswith(f"AADSTS{code}: "))
            self.assertNotIn("{", answer.json["error_description"])
        self.set(refuse={FABRIKAM: 50076})
        self.assertEqual(self.refresh(token).status, 200)
        self.at(FABRIKAM)
        self.refused(self.refresh(token), 50076)

    @shows("A policy's refusal has claims that the next sign-in has to ask for")
    def test_policy(self):
        token = self.signed_in().json["refresh_token"]
        self.set(refuse={CONTOSO: 50076})
        claims = self.refresh(token).json["claims"]
        self.assertIn("capolids", json.loads(claims)["access_token"])
        self.refused(self.refresh(self.signed_in().json["refresh_token"]), 50076)
        self.assertEqual(self.refresh(self.signed_in(claims=claims).json["refresh_token"]).status, 200)

    @shows("The scopes of a request are of one resource, and .default stands alone")
    def test_scopes(self):
        token = self.signed_in().json["refresh_token"]
        self.refused(self.refresh(token, scope=f"https://{GRAPH}/Mail.Read https://management.azure.com/.default"), 28000)
        self.refused(self.refresh(token, scope=f"https://{GRAPH}/Mail.Read https://{GRAPH}/.default"), 70011)
        self.expect(self.refresh(token, scope=f"openid https://{GRAPH}/Mail.Read User.Read"), 200, scope=f"openid https://{GRAPH}/Mail.Read User.Read")

    @shows("A refresh token comes with offline_access, an ID token with openid, client_info where it is asked for")
    def test_what_comes(self):
        token = self.signed_in().json["refresh_token"]
        for scope, info, fields in (
                ("User.Read", None, set()), ("openid User.Read", None, {"id_token"}), ("offline_access User.Read", None, {"refresh_token"}),
                ("openid offline_access User.Read", "1", {"id_token", "refresh_token", "client_info"})):
            answer = self.refresh(token, scope=scope, client_info=info).json
            self.assertEqual(set(answer) & {"id_token", "refresh_token", "client_info"}, fields)
            self.assertNotIn("offline_access", answer["scope"].split())
        info = answer["client_info"]
        self.assertEqual(json.loads(base64.urlsafe_b64decode(info + "=" * (-len(info) % 4)))["utid"], CONTOSO)

    @shows("Clients of the family redeem each other's refresh tokens, and are told so by foci; others get client_mismatch")
    def test_family(self):
        given = self.signed_in(client=AZURE).json
        self.assertEqual(given["foci"], "1")
        self.expect(self.refresh(given["refresh_token"], client_id=POWERSHELL), 200, foci="1")
        self.expect(self.refresh(given["refresh_token"], client_id="other"), 400, error="invalid_grant", suberror="client_mismatch")
        self.assertNotIn("foci", self.signed_in(client="other").json)
        self.assertLessEqual({AZURE, POWERSHELL}, FAMILY)

    @shows("A device polls until somebody has signed in")
    def test_device(self):
        self.set(device="pending")
        shown = self.show_code(READ).json
        self.assertIn(shown["user_code"], shown["message"])
        self.expect(self.poll(shown["device_code"]), 400, error="authorization_pending")
        self.expect(self.poll("none"), 400, error="bad_verification_code")
        self.set(device="denied")
        with later(10):
            self.expect(self.poll(shown["device_code"]), 400, error="authorization_declined")
        self.set()
        self.expect(self.poll(self.show_code(READ).json["device_code"], scope=READ), 200, token_type="Bearer")

    @shows("The answer of a sign-in may come as a form that the browser posts")
    def test_form(self):
        page = self.authorize(READ, response_mode="form_post")
        self.assertEqual(page.status, 200)
        self.assertIn(f'action="{REDIRECT}"'.encode(), page.body)
        self.assertIn(b'name="code"', page.body)

    @shows("Instance discovery tells by which names a cloud is known")
    def test_instances(self):
        answer = self.ask(HOST + "/common/discovery/instance?api-version=1.1").json
        self.assertIn("login.windows.net", answer["metadata"][0]["aliases"])
        token = self.signed_in().json["refresh_token"]
        self.TOKEN = "https://login.windows.net/common/oauth2/v2.0/token"
        self.assertEqual(self.refresh(token).status, 200)
        self.TOKEN = "https://login.microsoftonline.us/common/oauth2/v2.0/token"
        self.refused(self.refresh(token), 70000)

    @shows("A resource takes a token that is for it; Graph may want further claims: 401 insufficient_claims")
    def test_resources(self):
        me, given = f"https://{GRAPH}/v1.0/me", self.signed_in().json
        self.expect(self.ask(me, bearer=given["access_token"]), 200, userPrincipalName=ADA)
        other = self.refresh(given["refresh_token"], scope="https://management.azure.com/.default").json
        self.assertEqual(self.ask(me, bearer=other["access_token"]).status, 401)
        self.set(challenge=True)
        asked = self.ask(me, bearer=given["access_token"])
        self.assertEqual(asked.status, 401)
        self.assertIn('error="insufficient_claims"', asked.headers["WWW-Authenticate"])
        claims = asked.headers["WWW-Authenticate"].split('claims="')[1].rstrip('"')
        claims = base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)).decode()
        more = self.refresh(given["refresh_token"], claims=claims).json
        self.assertEqual(self.ask(me, bearer=more["access_token"]).status, 200)

    @shows("A key vault says to whom without a token which authority and resource it wants")
    def test_key_vault(self):
        address, token = f"https://{KEY_VAULT}/secrets/sample", self.signed_in().json["refresh_token"]
        challenge = self.ask(address).headers["WWW-Authenticate"]
        self.assertEqual(challenge, f'Bearer authorization="{HOST}/{CONTOSO}", resource="https://vault.azure.net"')
        access = self.refresh(token, scope="https://vault.azure.net/.default").json["access_token"]
        self.assertIn(ADA, self.ask(address, bearer=access).json["value"])

    def test_one_use(self):
        self.set(one_use=True)
        token = self.signed_in().json["refresh_token"]
        self.assertEqual(self.refresh(token).status, 200)
        self.refused(self.refresh(token), 70000)

    @shows("There is no revocation endpoint")
    def test_no_revocation(self):
        document = self.ask(f"{HOST}/common/v2.0/.well-known/openid-configuration").json
        self.assertNotIn("revocation_endpoint", document)
        self.assertIn("end_session_endpoint", document)


class MicrosoftOthers(StandInCase, unittest.TestCase):
    NAME = "microsoft_others"
    B2C, CIAM, ADFS = "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_", "https://contoso.ciamlogin.com/contoso", "https://fs.contoso.example/adfs"

    def at(self, base, path="/oauth2/v2.0", slash=""):
        self.AUTHORIZE, self.TOKEN = base + path + "/authorize" + slash, base + path + "/token" + slash

    def document(self, base):
        return self.ask(base + "/v2.0/.well-known/openid-configuration").json

    @shows("A code and a refresh token are good at the host, and for B2C at the policy, that gave them")
    def test_places(self):
        self.at(self.B2C + "one")
        code, given = self.authorize().location["code"], self.sign_in()
        self.assertEqual(self.refresh(given.json["refresh_token"]).status, 200)
        for base in (self.B2C + "two", self.CIAM):
            self.at(base)
            self.expect(self.redeem(code), 400, error="invalid_grant")
            self.expect(self.refresh(given.json["refresh_token"]), 400, error="invalid_grant")

    @shows("B2C gives no access token for the scopes of a sign-in alone")
    def test_no_access(self):
        self.at(self.B2C + "one")
        token = self.sign_in().json["refresh_token"]
        self.assertNotIn("access_token", self.refresh(token, scope="openid offline_access").json)
        self.assertIn("access_token", self.refresh(token, scope="openid https://contoso.example/read").json)

    @shows("B2C's issuer names the tenant by its id", "External ID's issuer is a host that is the tenant's id")
    def test_issuers(self):
        tenant = CONTOSO
        for base, issuer in ((self.B2C + "one", f"https://contoso.b2clogin.com/{tenant}/v2.0/"), (self.CIAM, f"https://{tenant}.ciamlogin.com/{tenant}/v2.0")):
            self.at(base)
            self.assertEqual((self.document(base)["issuer"], self.sign_in().claims["iss"]), (issuer, issuer))

    @shows("AD FS takes a resource by its name, and its addresses end in a slash", "AD FS does not know /.default")
    def test_federation(self):
        self.assertTrue(self.ask(self.ADFS + "/.well-known/openid-configuration").json["token_endpoint"].endswith("/token/"))
        self.at(self.ADFS, "/oauth2", "/")
        given = self.sign_in(resource="https://api.contoso.example").json
        self.assertEqual(given["resource"], "https://api.contoso.example")
        self.assertEqual(self.refresh(given["refresh_token"], resource="https://files.contoso.example").json["resource"], "https://files.contoso.example")
        self.expect(self.refresh(given["refresh_token"], scope="https://api.contoso.example/.default"), 400, error="invalid_scope")
