"""That the stand-in for gitlab.com does what its table says."""

import unittest

from checking import StandInCase, later, shows

WEB, API = "https://gitlab.com", "https://gitlab.com/api/v4"


class GitLab(StandInCase, unittest.TestCase):
    NAME = "gitlab"
    OPTIONS = {"interval": 1, "clients": {"client-1": {}, "small": {"scopes": ["read_user"]}}}
    AUTHORIZE, TOKEN, DEVICE = WEB + "/oauth/authorize", WEB + "/oauth/token", WEB + "/oauth/authorize_device"

    @shows("Access tokens live for two hours")
    def test_two_hours(self):
        given = self.sign_in("read_user").json
        self.assertEqual(given["expires_in"], 7200)
        for seconds, status in ((7100, 200), (7300, 401)):
            with later(seconds):
                self.assertEqual(self.ask(API + "/user", bearer=given["access_token"]).status, status)

    @shows("A refresh ends the access token and the refresh token before it, at once")
    def test_rotation(self):
        first = self.sign_in("read_user").json
        second = self.refresh(first["refresh_token"]).json
        self.assertEqual([self.ask(API + "/user", bearer=given["access_token"]).status for given in (first, second)], [401, 200])
        self.expect(self.refresh(first["refresh_token"]), 400, error="invalid_grant")
        self.expect(self.ask(API + "/user", bearer=second["access_token"]), 200, username="ada")

    @shows("A refresh token comes without offline_access, which is no scope there")
    def test_offline(self):
        self.assertIn("refresh_token", self.sign_in("read_user").json)
        self.assertEqual(self.authorize("read_user offline_access").location["error"], "invalid_scope")

    @shows("The scopes are those that are listed, and of them those that the application has")
    def test_scopes(self):
        self.assertEqual(self.authorize("repo").location["error"], "invalid_scope")
        self.CLIENT = "small"
        self.assertEqual(self.authorize("read_user api").location["error"], "invalid_scope")
        self.assertEqual(self.sign_in("read_user").json["scope"], "read_user")
        self.expect(self.show_code("api"), 400, error="invalid_scope")

    @shows("An ID token has no name: it is in userinfo")
    def test_names(self):
        given = self.sign_in("openid profile email")
        self.assertEqual((given.claims["sub"], given.claims["iss"], given.claims["nonce"]), ("1815", WEB, "n"))
        self.assertFalse({"preferred_username", "nickname", "name"} & set(given.claims))
        self.expect(self.ask(WEB + "/oauth/userinfo", bearer=given.json["access_token"]), 200, sub="1815", nickname="ada", email="ada@contoso.example")

    @shows("A device code is good for five minutes, and asked for every 5 s at most")
    def test_device(self):
        self.set(device="pending", interval=5)
        shown = self.show_code("read_user").json
        self.assertEqual((shown["expires_in"], shown["interval"]), (300, 5))
        self.expect(self.poll(shown["device_code"]), 400, error="authorization_pending")
        self.expect(self.poll(shown["device_code"]), 400, error="slow_down")
        with later(301):
            self.expect(self.poll(shown["device_code"]), 400, error="expired_token")
        self.set()
        self.expect(self.poll(self.show_code("read_user").json["device_code"]), 200, scope="read_user")

    @shows("git over https takes a token with read_repository or write_repository, or api, as the password")
    def test_git(self):
        for scope, status in (("read_user", 403), ("read_api", 403), ("read_repository", 200), ("write_repository", 200), ("api", 200)):
            token = self.sign_in(scope).json["access_token"]
            self.assertEqual(self.git(WEB + "/ada/notes.git", password=token).status, status, scope)
            self.assertEqual(self.git(WEB + "/ada/blog.git", password=token).status, 200, scope)
        self.assertEqual(self.git(WEB + "/ada/notes.git", bearer=token).status, 401)
        asked = self.git(WEB + "/ada/notes.git")
        self.assertEqual((asked.status, asked.headers["WWW-Authenticate"]), (401, 'Basic realm="GitLab"'))

    @shows("To push needs write_repository or api")
    def test_push(self):
        for scope, status in (("read_repository", 403), ("write_repository", 200), ("api", 200)):
            token = self.sign_in(scope).json["access_token"]
            self.assertEqual(self.git(WEB + "/ada/notes.git", "git-receive-pack", token).status, status, scope)

    @shows("The API needs read_user for /user, and read_api or api for projects: 403 insufficient_scope")
    def test_api(self):
        for scope, user, project in (("read_user", 200, 403), ("read_repository", 403, 403), ("read_api", 200, 200), ("api", 200, 200)):
            token = self.sign_in(scope).json["access_token"]
            self.assertEqual(self.ask(API + "/user", bearer=token).status, user, scope)
            self.assertEqual(self.ask(API + "/projects/ada%2Fnotes", bearer=token).status, project, scope)
        self.expect(self.ask(API + "/user", bearer=self.sign_in("read_repository").json["access_token"]), 403, error="insufficient_scope")

    @shows("A private project that the person may not see is not found")
    def test_not_found(self):
        token = self.sign_in("api").json["access_token"]
        self.assertEqual(self.ask(API + "/projects/fabrikam%2Flab", bearer=token).status, 404)
        self.assertEqual(self.git(WEB + "/fabrikam/lab.git", password=token).status, 404)

    @shows("The path of a project is the same in any letter case")
    def test_case(self):
        token = self.sign_in("api").json["access_token"]
        self.expect(self.ask(API + "/projects/ADA%2FNotes", bearer=token), 200, path_with_namespace="ada/notes")
        self.assertEqual(self.git(WEB + "/Ada/Notes.git", password=token).status, 200)

    @shows("A public client revokes a token with its client id alone")
    def test_revocation(self):
        given = self.sign_in("read_user").json
        self.assertEqual(self.ask(WEB + "/oauth/revoke", {"token": given["refresh_token"], "client_id": "client-1"}).json, {})
        self.assertEqual(self.ask(API + "/user", bearer=given["access_token"]).status, 401)
        self.expect(self.refresh(given["refresh_token"]), 400, error="invalid_grant")
