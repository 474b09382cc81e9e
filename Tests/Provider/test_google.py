"""That the stand-in for Google does what its table says."""

import unittest

from checking import StandInCase, later, shows

TOKEN_HOST, GMAIL = "https://oauth2.googleapis.com", "https://gmail.googleapis.com/gmail/v1/users/me/profile"
READ = "https://www.googleapis.com/auth/gmail.readonly"


class Google(StandInCase, unittest.TestCase):
    NAME = "google"
    OPTIONS = {"interval": 1}
    AUTHORIZE, TOKEN, DEVICE = "https://accounts.google.com/o/oauth2/v2/auth", TOKEN_HOST + "/token", TOKEN_HOST + "/device/code"
    SECRET = "GOCSPX-sample"

    def offline(self, scope="openid email", **more):
        return self.sign_in(scope, access_type="offline", **more)

    @shows("A desktop client has a secret, which the token endpoint wants")
    def test_secret(self):
        code = self.authorize("openid").location["code"]
        for secret in (None, "other"):
            self.expect(self.redeem(code, client_secret=secret), 401, error="invalid_client")
        self.expect(self.redeem(code), 200, expires_in=3599)

    @shows("A refresh token comes with access_type=offline alone")
    def test_offline(self):
        self.assertNotIn("refresh_token", self.sign_in("openid").json)
        self.assertIn("refresh_token", self.offline().json)

    @shows("It comes at the first consent; later only with prompt=consent")
    def test_consent(self):
        given = [self.offline(), self.offline(), self.offline(prompt="consent")]
        self.assertEqual(["refresh_token" in each.json for each in given], [True, False, True])

    @shows("A refresh gives no new refresh token, and the old one stays good")
    def test_refresh(self):
        token = self.offline().json["refresh_token"]
        for _ in range(2):
            answer = self.refresh(token)
            self.expect(answer, 200, token_type="Bearer")
            self.assertNotIn("refresh_token", answer.json)
        self.expect(self.refresh("1//none"), 400, error="invalid_grant")

    @shows("The refresh token of an app that is being tested ends after 7 days")
    def test_testing(self):
        self.set(is_testing=True)
        given = self.offline().json
        self.assertEqual(given["refresh_token_expires_in"], 604800)
        for days, status in ((6, 200), (8, 400)):
            with later(days * 24 * 3600):
                self.assertEqual(self.refresh(given["refresh_token"]).status, status)

    @shows("Of more than 100 refresh tokens of a person and client the oldest ends without a word")
    def test_hundred(self):
        tokens = [self.offline(prompt="consent").json["refresh_token"] for _ in range(101)]
        self.assertEqual([self.refresh(token).status for token in tokens[:2]], [400, 200])

    @shows("A person may grant some of the scopes alone; the answer says which")
    def test_granular(self):
        self.set(granted=["openid"])
        self.assertEqual(self.offline("openid " + READ).json["scope"], "openid")

    @shows("An API without its scope answers 403, and to a token that is not good 401")
    def test_api(self):
        strong, weak = self.offline("openid " + READ).json, self.sign_in("openid").json
        self.expect(self.ask(GMAIL, bearer=strong["access_token"]), 200, emailAddress="ada@example.com")
        refused = self.ask(GMAIL, bearer=weak["access_token"])
        self.assertEqual(refused.status, 403)
        self.assertIn('error="insufficient_scope"', refused.headers["WWW-Authenticate"])
        with later(3600):
            self.assertEqual(self.ask(GMAIL, bearer=strong["access_token"]).status, 401)

    @shows("A device is given some scopes alone")
    def test_device_scopes(self):
        self.expect(self.show_code(READ), 400, error="invalid_scope")
        shown = self.show_code("openid email").json
        self.assertEqual((shown["verification_url"], shown["expires_in"]), ("https://www.google.com/device", 1800))
        self.assertIn("refresh_token", self.poll(shown["device_code"]).json)

    @shows("A device is told to wait with 428, and that it asks too often with 403")
    def test_device_polling(self):
        self.set(device="pending", interval=5)
        code = self.show_code("openid").json["device_code"]
        self.expect(self.poll(code), 428, error="authorization_pending")
        self.expect(self.poll(code), 403, error="slow_down")
        self.set(device="denied")
        with later(20):
            self.expect(self.poll(code), 403, error="access_denied")

    @shows("The policy of an organisation may want a person to sign in again: invalid_grant, invalid_rapt")
    def test_again(self):
        token = self.offline().json["refresh_token"]
        self.set(wants_again=True)
        self.expect(self.refresh(token), 400, error="invalid_grant", error_subtype="invalid_rapt")

    @shows("A token that is revoked ends its grant; one that nobody knows is an error")
    def test_revocation(self):
        given = self.offline().json
        self.assertEqual(self.ask(TOKEN_HOST + "/revoke", {"token": given["access_token"]}).status, 200)
        self.expect(self.refresh(given["refresh_token"]), 400, error="invalid_grant")
        self.expect(self.ask(TOKEN_HOST + "/revoke", {"token": "none"}), 400, error="invalid_token")
        self.assertIn("refresh_token", self.offline().json)
