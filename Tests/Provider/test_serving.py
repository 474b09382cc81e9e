"""That what serves the stand-ins keeps its log and follows its script, and that two small stand-ins do what their tables say."""

import json
import unittest
import urllib.request

from checking import StandInCase, shows, table
from standins import refreshing, script, serving

CLUSTER = "https://cluster.example"


class Kubernetes(StandInCase, unittest.TestCase):
    NAME = "kubernetes"

    def status(self, path, **more):
        return self.ask(CLUSTER + path, **more).status

    @shows("A request without a token is anonymous, and may read /version and /healthz alone")
    def test_anonymous(self):
        self.assertEqual([self.status(path) for path in ("/version", "/healthz", "/api", "/api/v1/namespaces/default/pods")], [200, 200, 403, 403])
        self.assertIn("system:anonymous", self.ask(CLUSTER + "/api").json["message"])

    @shows("A token that it does not know is 401 everywhere")
    def test_unknown(self):
        for path in ("/version", "/api", "/api/v1/namespaces/default/pods"):
            self.expect(self.ask(CLUSTER + path, bearer="none"), 401, kind="Status", reason="Unauthorized")
        self.assertEqual(self.status("/version", basic=("ada", "sample-token")), 401)
        self.set(refused=["sample-token"])
        self.assertEqual(self.status("/version", bearer="sample-token"), 401)

    @shows("Somebody who is known may see which kinds of objects there are")
    def test_discovery(self):
        for path in ("/api", "/apis", "/api/v1", "/apis/authentication.k8s.io/v1"):
            self.assertEqual(self.status(path, bearer="sample-token"), 200)

    @shows("What nobody has allowed is 403, with a Status that names the user")
    def test_forbidden(self):
        answer = self.ask(CLUSTER + "/api/v1/namespaces/kube-system/pods", bearer="sample-token")
        self.expect(answer, 403, reason="Forbidden", code=403)
        self.assertIn('User "ada" cannot list', answer.json["message"])

    @shows("Pods come as a list")
    def test_pods(self):
        self.expect(self.ask(CLUSTER + "/api/v1/namespaces/default/pods", bearer="sample-token"), 200, kind="PodList", items=[])

    @shows("Who one is can be asked by a SelfSubjectReview")
    def test_review(self):
        answer = self.ask(CLUSTER + "/apis/authentication.k8s.io/v1/selfsubjectreviews", bearer="sample-token", content={"kind": "SelfSubjectReview"})
        self.assertEqual(answer.json["status"]["userInfo"]["username"], "ada")


class Refreshing(unittest.TestCase):
    """The one that has no name of its own."""

    def setUp(self):
        stand_in = refreshing.Refreshing(lambda form, issuer: {"for": form["refresh_token"], "issuer": issuer}, "/tenant")
        self.site = serving.Loopback(stand_in).start()
        self.addCleanup(self.site.server.server_close)
        self.addCleanup(self.site.server.shutdown)

    def fetch(self, path, data=None, **headers):
        request = urllib.request.Request("http://" + self.site.host + path, data, headers)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
            return json.load(answer)

    @shows("Discovery tells of its endpoints")
    def test_discovery(self):
        document = self.fetch("/tenant/.well-known/openid-configuration")
        self.assertEqual(document["token_endpoint"], f"http://{self.site.host}/tenant/token")

    @shows("A refresh is answered with what the program says")
    def test_refresh(self):
        self.assertEqual(self.fetch("/tenant/token", b"refresh_token=a")["for"], "a")

    @shows("Behind a proxy that ends TLS its addresses are https")
    def test_proxy(self):
        document = self.fetch("/tenant/.well-known/openid-configuration", **{"X-Forwarded-Proto": "https"})
        self.assertTrue(document["token_endpoint"].startswith("https://") and document["issuer"].startswith("https://"))

    def test_table(self):
        shown = [line for test in vars(Refreshing).values() for line in getattr(test, "behaviours", ())]
        self.assertEqual(sorted(table(refreshing)), sorted(shown))


class Serving(StandInCase, unittest.TestCase):
    """The log, the script, and who is let in, by the OpenID provider."""

    NAME = "openid"
    AUTHORIZE, TOKEN = "https://sso.contoso.example/authorize", "https://sso.contoso.example/token"

    def test_table(self):
        """The table is asked for elsewhere."""

    def test_log(self):
        given = self.sign_in().json
        self.refresh(given["refresh_token"])
        lines = self.network.requests()
        self.assertEqual([(line["method"], line["path"], line["status"]) for line in lines], [("GET", "/authorize", 302), ("POST", "/token", 200), ("POST", "/token", 200)])
        self.assertEqual(lines[1]["issued"], lines[2]["refresh_token"])
        self.assertEqual(lines[1]["issued"], script.digest(given["refresh_token"]))
        self.assertEqual((lines[2]["client_id"], lines[2]["grant_type"], lines[2]["person"]), ("client-1", "refresh_token", "ada"))
        self.assertNotIn(given["refresh_token"], json.dumps(lines))

    def test_rules(self):
        token = self.sign_in().json["refresh_token"]
        self.network.control({"rules": [
            {"times": 1, "status": 503, "retry_after": 7}, {"times": 1, "empty_400": True, "grant_types": ["refresh_token"]},
            {"times": 1, "status": 400, "body": {"error": "strange"}, "headers": {"X-Test": "1"}}], "options": {"openid": {"access_lifetime": 30}}})
        self.assertEqual(self.ask("https://sso.contoso.example/keys").status, 200)
        busy = self.refresh(token)
        self.assertEqual((busy.status, busy.headers["Retry-After"]), (503, "7"))
        self.assertEqual((self.refresh(token).status, self.refresh("none").json["error"]), (400, "strange"))
        self.expect(self.refresh(token), 200, expires_in=30)
        self.assertEqual([line.get("hook") for line in self.network.requests()[-5:]], [None, "status", "empty_400", "status", None])

    def test_drop(self):
        token = self.sign_in().json["refresh_token"]
        self.network.control({"drop": True, "times": 1})
        with self.assertRaises(OSError):
            self.refresh(token)
        self.expect(self.refresh(token), 400, error="invalid_grant")

    def test_stranger(self):
        """Nothing else is reached through the proxy."""
        with self.assertRaises(OSError):
            self.ask("https://github.com/")

    def test_options(self):
        with self.assertRaisesRegex(ValueError, "no option nonsense"):
            type(self.stand_in)(nonsense=1)
