"""That the stand-in for GitHub does what its table says."""

import unittest

from checking import StandInCase, later, shows

WEB, API = "https://github.com", "https://api.github.com"
SAMPLE = {"ghp_made": {"person": "ada", "scopes": ["repo"]}}


class GitHub(StandInCase, unittest.TestCase):
    NAME = "github"
    OPTIONS = {
        "interval": 1, "tokens": SAMPLE, "repositories": {
            "ada/notes": {"people": ["ada"]}, "Contoso/App": {"people": ["ada-contoso"]}, "ada/blog": {"is_private": False, "people": ["ada"]},
            "acme/plan": {"people": ["ada"]}},
        "clients": {"client-1": {"device_flow": True}, "web": {"secret": "hush"}, "app": {"device_flow": True, "is_app": True, "secret": "hush"}}}
    AUTHORIZE, TOKEN, DEVICE = WEB + "/login/oauth/authorize", WEB + "/login/oauth/access_token", WEB + "/login/device/code"

    def device_token(self, scope="", client="client-1", person=None):
        """What the device flow gives."""
        self.CLIENT = client
        if person:
            self.set(sitting=[person])
        answer = self.poll(self.show_code(scope).json["device_code"])
        self.assertEqual(answer.status, 200)
        return answer.json

    @shows("An answer of the token endpoint is a form, and JSON where that is accepted")
    def test_form(self):
        code = self.show_code().json["device_code"]
        self.assertRegex(code, "^[0-9a-f]{40}$")
        answer = self.ask(self.TOKEN, {"client_id": "client-1", "device_code": code, "grant_type": "urn:ietf:params:oauth:grant-type:device_code"}, Accept="*/*")
        self.assertEqual(answer.headers["Content-Type"], "application/x-www-form-urlencoded")
        self.assertEqual(answer.form["token_type"], "bearer")

    @shows("A refusal of the token endpoint has status 200")
    def test_refusal(self):
        self.expect(self.poll("nonsense"), 200, error="incorrect_device_code")
        self.expect(self.tell(grant_type="password"), 200, error="unsupported_grant_type")

    @shows("The device flow takes no secret, and a poll before the interval is over makes it 5 s longer")
    def test_polling(self):
        self.set(device="pending")
        code = self.show_code().json["device_code"]
        self.expect(self.poll(code), 200, error="authorization_pending")
        self.expect(self.poll(code), 200, error="slow_down", interval=6)
        with later(2):
            self.expect(self.poll(code), 200, error="slow_down", interval=11)
        with later(14):
            self.expect(self.poll(code), 200, error="authorization_pending")
        with later(1000):
            self.expect(self.poll(code), 200, error="expired_token")
        self.set(device="denied")
        self.expect(self.poll(self.show_code().json["device_code"]), 200, error="access_denied")

    @shows("The device flow has to be enabled for a client")
    def test_disabled(self):
        self.CLIENT = "web"
        self.expect(self.show_code(), 200, error="device_flow_disabled")
        self.CLIENT = "nobody"
        self.assertEqual(self.show_code().status, 404)

    @shows("The browser's flow needs the client's secret")
    def test_secret(self):
        self.CLIENT = "web"
        self.expect(self.redeem(self.authorize("repo").location["code"]), 200, error="incorrect_client_credentials")
        code = self.authorize("repo").location["code"]
        self.expect(self.redeem(code, client_secret="hush"), 200, scope="repo")
        self.expect(self.redeem(code, client_secret="hush"), 200, error="bad_verification_code")

    @shows("The token has the scopes that the person granted, without those that another one includes")
    def test_scopes(self):
        self.assertEqual(self.device_token("user gist user:email repo public_repo")["scope"], "gist,repo,user")
        self.assertEqual(self.device_token("")["scope"], "")
        self.set(granted=["read:user"])
        self.assertEqual(self.device_token("repo read:user")["scope"], "read:user")

    @shows("A token of an OAuth app does not end, and has no refresh token")
    def test_endless(self):
        given = self.device_token("repo")
        self.assertEqual(set(given), {"access_token", "token_type", "scope"})
        with later(360 * 24 * 3600):
            self.expect(self.ask(API + "/user", bearer=given["access_token"]), 200, login="ada")

    @shows("Of more than ten tokens of a person, client and scope the oldest is revoked")
    def test_ten(self):
        tokens = [self.device_token("repo")["access_token"] for _ in range(11)]
        self.assertEqual([self.ask(API + "/user", bearer=token).status for token in tokens], [401] + [200] * 10)

    @shows("A GitHub App's token ends after 8 hours, and its refresh token is good once")
    def test_app(self):
        first = self.device_token("repo", "app")
        self.assertEqual((first["expires_in"], first["scope"]), (28800, ""))
        with later(28801):
            self.assertEqual(self.ask(API + "/user", bearer=first["access_token"]).status, 401)
        second = self.refresh(first["refresh_token"]).json
        self.expect(self.ask(API + "/repos/ada/notes", bearer=second["access_token"]), 200)
        self.expect(self.refresh(first["refresh_token"]), 200, error="bad_refresh_token")
        self.assertEqual(self.ask(API + "/user", bearer=first["access_token"]).status, 401)

    @shows("X-OAuth-Scopes has the token's scopes, and X-Accepted-OAuth-Scopes those that the action checks for")
    def test_headers(self):
        token = self.device_token("gist read:user")["access_token"]
        answer = self.ask(API + "/repos/ada/blog", bearer=token)
        self.assertEqual((answer.headers["X-OAuth-Scopes"], answer.headers["X-Accepted-OAuth-Scopes"]), ("gist, read:user", "repo"))
        self.assertIsNone(self.ask(API + "/repos/ada/blog").headers["X-OAuth-Scopes"])

    @shows("A private repository needs `repo`, else it is not found")
    def test_private(self):
        for scope, status in (("", 404), ("read:user", 404), ("public_repo", 404), ("gist user", 404), ("repo", 200)):
            token = self.device_token(scope)["access_token"]
            self.assertEqual(self.ask(API + "/repos/ada/notes", bearer=token).status, status, scope)
            self.assertEqual(self.ask(API + "/repos/ada/blog", bearer=token).status, 200, scope)
        self.assertEqual(self.ask(API + "/repos/Contoso/App", bearer=token).status, 404)
        self.assertEqual(self.ask(API + "/repos/ada/notes").status, 404)

    @shows("To push to a public one needs `public_repo` or `repo`")
    def test_push(self):
        for scope, status in (("", 403), ("read:user", 403), ("public_repo", 200), ("repo", 200)):
            token = self.device_token(scope)["access_token"]
            self.assertEqual(self.git(WEB + "/ada/blog", "git-receive-pack", token).status, status, scope)
        self.assertEqual(self.git(WEB + "/ada/blog", "git-receive-pack").status, 401)
        token = self.device_token("repo", person="ada-contoso")["access_token"]
        self.assertEqual(self.git(WEB + "/ada/blog", "git-receive-pack", token).status, 403)

    @shows("git over https takes a token as the password (Basic), and asks for one where there is none")
    def test_git(self):
        token = self.device_token("repo")["access_token"]
        asked = self.git(WEB + "/ada/notes")
        self.assertEqual((asked.status, asked.headers["WWW-Authenticate"]), (401, 'Basic realm="GitHub"'))
        for user in ("ada", "oauth2", "x-access-token", ""):
            self.assertEqual(self.git(WEB + "/ada/notes.git", password=token, user=user).status, 200)
        self.assertEqual(self.git(WEB + "/ada/notes", bearer=token).status, 401)
        self.assertEqual(self.git(WEB + "/ada/blog").status, 200)

    @shows("git is told that a repository is not found that the token may not read")
    def test_git_not_found(self):
        weak, strong = self.device_token("read:user")["access_token"], self.device_token("repo")["access_token"]
        for token, name, status in ((weak, "ada/notes", 404), (strong, "ada/notes", 200), (strong, "Contoso/App", 404), (strong, "ada/none", 404)):
            answer = self.git(f"{WEB}/{name}", password=token)
            self.assertEqual(answer.status, status, name)
            self.assertEqual(b"Repository not found" in answer.body, status == 404)

    @shows("Owners and names are the same in any letter case")
    def test_case(self):
        token = self.device_token("repo", person="ada-contoso")["access_token"]
        for name in ("contoso/app", "CONTOSO/APP", "Contoso/App"):
            self.expect(self.ask(f"{API}/repos/{name}", bearer=token), 200, full_name="Contoso/App")
            self.assertEqual(self.git(f"{WEB}/{name}", password=token).status, 200)

    @shows("A token that is no longer good gets 401")
    def test_bad(self):
        for answer in (self.ask(API + "/user", bearer="gho_none"), self.ask(API + "/repos/ada/blog", bearer="gho_none")):
            self.expect(answer, 401, message="Bad credentials")
        self.assertEqual(self.git(WEB + "/ada/blog", password="gho_none").status, 401)
        self.assertEqual(self.ask(API + "/user").status, 401)

    @shows("An organisation with SAML refuses a token that was not authorized for it: 403 with X-GitHub-SSO")
    def test_sso(self):
        self.set(sso=["acme"])
        made, flow = "ghp_made", self.device_token("repo")["access_token"]
        self.assertRegex(self.ask(API + "/repos/acme/plan", bearer=made).headers["X-GitHub-SSO"] or "", "^required; url=https://github.com/")
        self.assertEqual([self.ask(API + "/repos/acme/plan", bearer=token).status for token in (made, flow)], [403, 200])
        self.assertEqual([self.git(WEB + "/acme/plan", password=token).status for token in (made, flow)], [403, 200])
        self.assertEqual(self.ask(API + "/repos/ada/notes", bearer=made).status, 200)
        self.set(sso=["acme"], sso_session=False)
        self.assertEqual(self.git(WEB + "/acme/plan", password=self.device_token("repo")["access_token"]).status, 403)

    @shows("Too many requests get 403, with x-ratelimit-remaining: 0")
    def test_rate(self):
        self.set(remaining=2)
        answers = [self.ask(API + "/user", bearer="ghp_made") for _ in range(3)]
        self.assertEqual([answer.status for answer in answers], [200, 200, 403])
        self.assertEqual(answers[2].headers["x-ratelimit-remaining"], "0")

    @shows("A request without User-Agent is refused")
    def test_agent(self):
        self.assertEqual(self.ask(API + "/user", bearer="ghp_made", User_Agent="").status, 403)

    @shows("A client revokes with its secret at the API; there is no revocation endpoint")
    def test_revocation(self):
        token = self.device_token("repo", "app")["access_token"]
        url = API + "/applications/app/token"
        self.assertEqual(self.ask(url, method="DELETE", content={"access_token": token}).status, 404)
        self.assertEqual(self.ask(url, method="DELETE", content={"access_token": token}, basic=("app", "hush")).status, 204)
        self.assertEqual(self.ask(API + "/user", bearer=token).status, 401)
        self.assertNotEqual(self.ask(WEB + "/login/oauth/revoke", {"token": token}).status, 200)
