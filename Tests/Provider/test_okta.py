"""That the stand-in for Okta's two kinds of authorization servers does what its table says."""

import unittest

from checking import StandInCase, later, shows
from standins import okta

ORG, CUSTOM = "https://contoso.okta.com/oauth2", "https://contoso.okta.com/oauth2/default"


class Okta(StandInCase, unittest.TestCase):
    NAME = "okta"

    def at(self, base):
        self.AUTHORIZE, self.TOKEN = base + "/v1/authorize", base + "/v1/token"

    def setUp(self):
        super().setUp()
        self.at(CUSTOM)

    @shows("Each server has an issuer, endpoints and tokens of its own; what one gave the other does not take")
    def test_two_servers(self):
        for issuer, base in (("https://contoso.okta.com", ORG), (CUSTOM, CUSTOM)):
            document = self.ask(issuer + "/.well-known/openid-configuration")
            self.expect(document, 200, issuer=issuer, token_endpoint=base + "/v1/token")
        given = self.sign_in()
        self.assertEqual(given.claims["iss"], CUSTOM)
        self.assertEqual(self.ask(CUSTOM + "/v1/userinfo", bearer=given.json["access_token"]).status, 200)
        self.assertEqual(self.ask(ORG + "/v1/userinfo", bearer=given.json["access_token"]).status, 401)
        self.at(ORG)
        self.expect(self.refresh(given.json["refresh_token"]), 400, error="invalid_grant")

    @shows("The organisation's own server gives tokens for Okta alone, for an hour; scopes of APIs are the custom one's")
    def test_own(self):
        self.at(ORG)
        self.assertEqual(self.sign_in("openid okta.users.read.self").json["expires_in"], 3600)
        self.assertEqual(self.authorize("openid api.read").location["error"], "invalid_scope")
        self.at(CUSTOM)
        self.assertEqual(self.sign_in("openid api.read").json["scope"], "openid api.read")

    @shows("A custom server's access tokens live from 5 minutes to a day, as its policy says")
    def test_lifetime(self):
        given = self.sign_in().json
        self.assertEqual(given["expires_in"], 300)
        with later(301):
            self.assertEqual(self.ask(CUSTOM + "/v1/userinfo", bearer=given["access_token"]).status, 401)
        for seconds in (299, 86401):
            self.assertRaises(ValueError, okta.Custom, access_lifetime=seconds)

    @shows("A scope that is not configured there is refused")
    def test_scopes(self):
        self.assertEqual(self.authorize("openid repo").location["error_description"],
                         "One or more scopes are not configured for the authorization server resource.")

    @shows("A native app's refresh token is the same one each time")
    def test_persistent(self):
        token = self.sign_in().json["refresh_token"]
        self.assertEqual([self.refresh(token).json["refresh_token"] for _ in range(2)], [token, token])

    @shows("With rotation the token before stays good for a grace period of 30 s",
           "Later it ends the newest refresh token and all access tokens")
    def test_rotation(self):
        self.set(rotates=True)
        first = self.sign_in().json
        second = self.refresh(first["refresh_token"]).json
        self.assertNotEqual(first["refresh_token"], second["refresh_token"])
        with later(25):
            self.expect(self.refresh(first["refresh_token"]), 200)
        with later(35):
            self.expect(self.refresh(first["refresh_token"]), 400, error="invalid_grant")
        self.expect(self.refresh(second["refresh_token"]), 400, error="invalid_grant")
        self.assertEqual(self.ask(CUSTOM + "/v1/userinfo", bearer=second["access_token"]).status, 401)

    @shows("A refresh token comes where /authorize was asked for offline_access")
    def test_offline(self):
        self.assertNotIn("refresh_token", self.redeem(self.authorize("openid").location["code"], scope="openid offline_access").json)

    @shows("An ID token that comes with an access token has no name: it is in userinfo")
    def test_names(self):
        given = self.sign_in()
        self.assertFalse({"name", "preferred_username", "email"} & set(given.claims))
        self.expect(self.ask(CUSTOM + "/v1/userinfo", bearer=given.json["access_token"]), 200, preferred_username="ada@contoso.example")

    @shows("A public client revokes a token with its client id alone")
    def test_revocation(self):
        given = self.sign_in().json
        self.assertEqual(self.ask(CUSTOM + "/v1/revoke", {"token": given["refresh_token"], "client_id": self.CLIENT}).status, 200)
        self.expect(self.refresh(given["refresh_token"]), 400, error="invalid_grant")
