"""That the stand-ins for OpenID providers without a name of their own, and for plain OAuth, do what their tables say."""

import unittest
import urllib.parse

from checking import CHALLENGE, REDIRECT, StandInCase, later, shows

SSO, PLAIN, MCP = "https://sso.contoso.example", "https://auth.plain.example", "https://api.plain.example/mcp"


class OpenID(StandInCase, unittest.TestCase):
    NAME = "openid"
    AUTHORIZE, TOKEN, DEVICE = SSO + "/authorize", SSO + "/token", SSO + "/device"

    @shows("Access tokens live for 5 minutes, and refresh tokens for 30")
    def test_minutes(self):
        given = self.sign_in().json
        self.assertEqual(given["expires_in"], 300)
        with later(301):
            self.assertEqual(self.ask(SSO + "/userinfo", bearer=given["access_token"]).status, 401)
        with later(1801):
            self.expect(self.refresh(given["refresh_token"]), 400, error="invalid_grant")
        with later(1700):
            self.expect(self.refresh(given["refresh_token"]), 200)

    @shows("Discovery tells of all endpoints and of what is supported")
    def test_discovery(self):
        document = self.ask(SSO + "/.well-known/openid-configuration").json
        self.assertEqual(document["issuer"], SSO)
        for name in ("authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri", "revocation_endpoint", "device_authorization_endpoint"):
            self.assertTrue(document[name].startswith(SSO), name)
        self.assertEqual(self.ask(document["jwks_uri"]).json["keys"][0]["kty"], "RSA")

    @shows("What a person is called may stand in userinfo alone, or nowhere")
    def test_names(self):
        for names, in_token, in_userinfo in (("id_token", "ada", "ada"), ("userinfo", None, "ada"), ("none", None, None)):
            self.set(names=names)
            given = self.sign_in()
            userinfo = self.ask(SSO + "/userinfo", bearer=given.json["access_token"]).json
            self.assertEqual((given.claims.get("preferred_username"), userinfo.get("preferred_username")), (in_token, in_userinfo))
            self.assertEqual(given.claims["sub"], userinfo["sub"])

    @shows("A code wants PKCE and comes back with iss")
    def test_pkce(self):
        self.assertEqual(self.authorize(code_challenge=None).location["error"], "invalid_request")
        self.assertEqual(self.authorize(code_challenge_method="plain").location["error"], "invalid_request")
        led = self.authorize().location
        self.assertEqual((led["iss"], led["state"]), (SSO, "s"))
        self.expect(self.redeem(led["code"], code_verifier="other"), 400, error="invalid_grant")
        self.assertEqual(self.authorize(redirect_uri="https://evil.example/").status, 400)

    @shows("A code is good once; used twice, its tokens end")
    def test_code(self):
        code = self.authorize().location["code"]
        given = self.redeem(code).json
        self.expect(self.redeem(code), 400, error="invalid_grant")
        self.assertEqual(self.ask(SSO + "/userinfo", bearer=given["access_token"]).status, 401)
        late = self.authorize().location["code"]
        with later(601):
            self.expect(self.redeem(late), 400, error="invalid_grant")

    @shows("A refresh token comes with offline_access alone")
    def test_offline(self):
        self.assertNotIn("refresh_token", self.sign_in("openid").json)

    @shows("A refresh token is replaced at each use, and an old one that comes again ends the grant")
    def test_rotation(self):
        first = self.sign_in().json
        second = self.refresh(first["refresh_token"]).json
        self.expect(self.refresh(first["refresh_token"]), 400, error="invalid_grant")
        self.expect(self.refresh(second["refresh_token"]), 400, error="invalid_grant")
        self.assertEqual(self.ask(SSO + "/userinfo", bearer=second["access_token"]).status, 401)
        self.set(rotates=False)
        kept = self.sign_in().json["refresh_token"]
        self.assertEqual([self.refresh(kept).status for _ in range(2)], [200, 200])

    @shows("A field that comes twice is refused")
    def test_twice(self):
        token = self.sign_in().json["refresh_token"]
        fields = [("client_id", self.CLIENT), ("grant_type", "refresh_token"), ("refresh_token", token), ("refresh_token", token)]
        self.expect(self.ask(self.TOKEN, fields), 400, error="invalid_request")

    @shows("A token that is revoked is good no longer, and its grant ends")
    def test_revocation(self):
        given = self.sign_in().json
        self.assertEqual(self.ask(SSO + "/revoke", {"token": "none", "client_id": self.CLIENT}).status, 200)
        self.assertEqual(self.ask(SSO + "/revoke", {"token": given["refresh_token"], "client_id": "other"}).status, 200)
        self.assertEqual(self.ask(SSO + "/userinfo", bearer=given["access_token"]).status, 200)
        self.assertEqual(self.ask(SSO + "/revoke", {"token": given["refresh_token"], "client_id": self.CLIENT}).status, 200)
        self.assertEqual(self.ask(SSO + "/userinfo", bearer=given["access_token"]).status, 401)

    @shows("A token without openid is not taken by userinfo")
    def test_userinfo(self):
        self.expect(self.ask(SSO + "/userinfo", bearer=self.sign_in("mail").json["access_token"]), 403, error="insufficient_scope")


class Wordless(StandInCase, unittest.TestCase):
    NAME, CLIENT = "wordless", "keyfob-public"
    OPTIONS = {"redirects": [REDIRECT]}
    BASE = "https://wordless.contoso.example/o"
    AUTHORIZE, TOKEN = BASE + "/authorize/", BASE + "/token/"

    def authorize(self, scope="openid offline_access", user="alice", **more):
        page = super().authorize(scope, **more)
        if page.status != 200:
            return page
        query = {"response_type": "code", "client_id": self.CLIENT, "redirect_uri": REDIRECT, "scope": scope, "state": "s", "nonce": "n",
                 "code_challenge_method": "S256", "code_challenge": CHALLENGE}
        form = {"allow": "Cancel"} if user is None else {"username": user, "password": f"{user}-password", "allow": "Allow"}
        return self.ask(self.AUTHORIZE + "?" + urllib.parse.urlencode(query), form)

    def refused(self, response, status=400):
        self.assertEqual((response.status, response.body), (status, b""))

    @shows("Whatever it refuses, it refuses with 400 and an empty body, where a word is wanted")
    def test_empty(self):
        self.refused(self.refresh("none"))
        self.refused(self.redeem("none"))
        self.refused(self.tell(grant_type="password"))
        self.refused(self.redeem(self.authorize().location["code"], code_verifier="other"))

    @shows("A bearer token that it does not accept gets 401 and an empty body")
    def test_bearer(self):
        self.refused(self.ask(self.BASE + "/userinfo/", bearer="none"), 401)

    @shows("A redirect address is taken as it was registered, port and path included")
    def test_redirects(self):
        for address in (REDIRECT + "/", REDIRECT.replace(":9/", ":10/"), "http://localhost:9/callback"):
            self.refused(self.authorize(redirect_uri=address))

    @shows("An authorization request needs a nonce")
    def test_nonce(self):
        self.refused(self.authorize(nonce=None))

    @shows("Each refresh gives a new refresh token; an old one that comes again ends the grant with all its tokens")
    def test_rotation(self):
        first = self.sign_in().json
        second = self.refresh(first["refresh_token"]).json
        self.refused(self.refresh(first["refresh_token"]))
        self.refused(self.refresh(second["refresh_token"]))
        self.refused(self.ask(self.BASE + "/userinfo/", bearer=second["access_token"]), 401)
        self.assertEqual(self.ask("https://wordless.contoso.example/counts").json, {"rotated": 1, "refused": 2, "reused": 1})

    @shows("Revocation takes no client, only a living access token of the same grant as its bearer")
    def test_revocation(self):
        given, other = self.sign_in().json, self.sign_in().json
        form = {"token": given["refresh_token"]}
        self.refused(self.ask(self.BASE + "/revoke/", form | {"client_id": self.CLIENT}), 401)
        self.refused(self.ask(self.BASE + "/revoke/", form, bearer=other["access_token"]))
        self.assertEqual(self.ask(self.BASE + "/revoke/", form, bearer=given["access_token"]).status, 200)
        self.refused(self.refresh(given["refresh_token"]))

    @shows("A person signs in on a page, and may decline there")
    def test_page(self):
        self.assertEqual(self.authorize(user=None).location["error"], "access_denied")
        self.refused(self.authorize(user="mallory"))
        self.assertEqual(self.sign_in().claims["preferred_username"], "alice")


class Plain(StandInCase, unittest.TestCase):
    NAME = "plain"
    AUTHORIZE, TOKEN = PLAIN + "/authorize", PLAIN + "/token"

    def sign_in(self, scope="notes.read", **more):
        return super().sign_in(scope, **more)

    @shows("There is its own document alone, and none of OpenID Connect")
    def test_document(self):
        self.assertEqual(self.ask(PLAIN + "/.well-known/openid-configuration").status, 404)
        document = self.ask(PLAIN + "/.well-known/oauth-authorization-server").json
        self.assertEqual(document["issuer"], PLAIN)
        self.assertFalse({"jwks_uri", "userinfo_endpoint", "id_token_signing_alg_values_supported"} & set(document))

    @shows("A scope that it does not know, openid among them, is refused")
    def test_scopes(self):
        for scope in ("openid", "notes.read offline_access", "profile"):
            self.assertEqual(self.authorize(scope).location["error"], "invalid_scope")

    @shows("An answer has no ID token, and nothing tells who somebody is")
    def test_nobody(self):
        given = self.sign_in().json
        self.assertEqual(set(given), {"access_token", "token_type", "scope", "expires_in", "refresh_token"})
        self.assertEqual(self.ask(PLAIN + "/userinfo", bearer=given["access_token"]).status, 404)

    @shows("PKCE with S256 is required")
    def test_pkce(self):
        self.assertEqual(self.authorize("notes.read", code_challenge=None).location["error"], "invalid_request")

    @shows("A token is for the resource that was named")
    def test_resource(self):
        other = self.sign_in(resource="https://other.example/mcp").json
        self.assertEqual(self.ask(MCP, bearer=other["access_token"]).status, 401)
        self.assertEqual(self.ask(MCP, bearer=self.sign_in(resource=MCP).json["access_token"]).status, 200)
        self.set(resource=True)
        self.assertEqual(self.authorize("notes.read").location["error"], "invalid_target")

    @shows("A client registers itself")
    def test_registration(self):
        made = self.ask(PLAIN + "/register", content={"client_name": "x", "redirect_uris": [REDIRECT]})
        self.assertEqual((made.status, made.json["token_endpoint_auth_method"]), (201, "none"))
        self.expect(self.ask(PLAIN + "/register", content={"redirect_uris": ["https://evil.example"]}), 400, error="invalid_redirect_uri")

    @shows("A refresh token is replaced at each use, and an old one ends the grant")
    def test_rotation(self):
        first = self.sign_in().json
        second = self.refresh(first["refresh_token"]).json
        self.expect(self.refresh(first["refresh_token"]), 400, error="invalid_grant")
        self.expect(self.refresh(second["refresh_token"]), 400, error="invalid_grant")

    @shows("The resource says by a challenge who its authorization server is")
    def test_challenge(self):
        asked = self.ask(MCP, method="POST", content={})
        self.assertEqual(asked.status, 401)
        url = asked.headers["WWW-Authenticate"].split('resource_metadata="')[1].split('"')[0]
        self.expect(self.ask(url), 200, resource=MCP, authorization_servers=[PLAIN])

    @shows("A token without the scope that a tool needs gets 403 with that scope")
    def test_step_up(self):
        asked = self.ask(MCP + "/write", bearer=self.sign_in().json["access_token"])
        self.assertEqual(asked.status, 403)
        self.assertIn('error="insufficient_scope", scope="notes.write"', asked.headers["WWW-Authenticate"])
