"""What the tests of the stand-ins share: the lines of their tables, a client that knows nothing of OAuth, and clocks that go on."""

import base64
import hashlib
import importlib
import json
import pathlib
import re
import ssl
import tempfile
import time
import unittest.mock
import urllib.error
import urllib.parse
import urllib.request

import serve
from standins import oauth, serving

VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
REDIRECT = "http://127.0.0.1:9/callback"


def table(module):
    """The lines of a module's table: what it does, and where that is documented."""
    rows = {}
    for line in module.__doc__.splitlines():
        found = re.fullmatch(r"(.+) · (https://\S+)", line)
        if found:
            rows[found[1]] = found[2]
        elif " · " in line:
            raise ValueError(f"{module.__name__}: a line of the table has no address: {line}")
    return rows


def shows(*behaviours):
    """Says which lines of the table a test asks for."""

    def mark(test):
        test.behaviours = behaviours
        return test

    return mark


def later(seconds):
    """Lets the clock be ahead for a while."""
    now = time.time
    return unittest.mock.patch("time.time", lambda: now() + seconds)


class Response:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def form(self):
        return dict(urllib.parse.parse_qsl(self.body.decode()))

    @property
    def location(self):
        """The fields of the address that it leads to."""
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.headers["Location"]).query))

    @property
    def claims(self):
        """What the ID token says."""
        part = self.json["id_token"].split(".")[1]
        return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class StandInCase:
    """Tests of one stand-in, which is started anew for each; comes before unittest.TestCase."""

    #: Its module, and its name in serve.py.
    NAME = None
    OPTIONS = {}

    @classmethod
    def module(cls):
        return importlib.import_module("standins." + cls.NAME)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="keyfob-standin-")
        self.addCleanup(folder.cleanup)
        self.stand_in = serve.stand_in(self.NAME, self.OPTIONS)
        self.network = serving.Network(pathlib.Path(folder.name), [self.stand_in])
        self.network.__enter__()
        self.addCleanup(self.network.__exit__)
        trust = ssl.create_default_context(cafile=self.network.environment["KEYFOB_CA_FILE"])
        self.opener = urllib.request.build_opener(
            NoRedirect, urllib.request.ProxyHandler({"https": self.network.environment["HTTPS_PROXY"]}), urllib.request.HTTPSHandler(context=trust))

    def set(self, **options):
        """Sets options of the stand-in while it runs."""
        self.network.control({"options": {self.NAME: options}})

    def ask(self, url, form=None, method=None, bearer=None, basic=None, content=None, **headers):
        """Asks; `basic` is (user, password), `content` is sent as JSON."""
        data = None if form is None else urllib.parse.urlencode(form).encode()
        if content is not None:
            data, headers["Content-Type"] = json.dumps(content).encode(), "application/json"
        if bearer:
            headers["Authorization"] = f"Bearer {bearer}"
        if basic:
            headers["Authorization"] = "Basic " + base64.b64encode(":".join(basic).encode()).decode()
        named = {name.replace("_", "-"): value for name, value in {"Accept": "application/json", "User-Agent": "test", **headers}.items()}
        request = urllib.request.Request(url, data, named, method=method)
        try:
            with self.opener.open(request, timeout=30) as answer:
                return Response(answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as answer:
            with answer:
                return Response(answer.code, answer.headers, answer.read())

    # The flows, at the addresses that a subclass names.

    AUTHORIZE = TOKEN = DEVICE = None
    CLIENT, SECRET = "client-1", None

    def authorize(self, scope="openid profile offline_access", **more):
        """Where an authorization request leads."""
        query = {"response_type": "code", "client_id": self.CLIENT, "redirect_uri": REDIRECT, "scope": scope, "state": "s", "nonce": "n",
                 "code_challenge": CHALLENGE, "code_challenge_method": "S256", **more}
        query = {name: value for name, value in query.items() if value is not None}
        return self.ask(self.AUTHORIZE + "?" + urllib.parse.urlencode(query))

    def tell(self, **form):
        """What the token endpoint answers."""
        fields = {"client_id": self.CLIENT, **({"client_secret": self.SECRET} if self.SECRET else {}), **form}
        return self.ask(self.TOKEN, {name: value for name, value in fields.items() if value is not None})

    def redeem(self, code, **more):
        return self.tell(**{"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT, "code_verifier": VERIFIER, **more})

    def sign_in(self, scope="openid profile offline_access", **more):
        """What a sign-in in a browser gives."""
        led = self.authorize(scope, **more)
        self.assertIn("code", led.location, led.location)
        return self.redeem(led.location["code"])

    def refresh(self, token, **more):
        return self.tell(**{"grant_type": "refresh_token", "refresh_token": token, **more})

    def show_code(self, scope=""):
        return self.ask(self.DEVICE, {"client_id": self.CLIENT, "scope": scope})

    def poll(self, code, **more):
        return self.tell(grant_type=oauth.DEVICE, device_code=code, **more)

    def git(self, url, service="git-upload-pack", password=None, user="oauth2", bearer=None):
        """The first that git asks."""
        return self.ask(f"{url}/info/refs?service={service}", basic=(user, password) if password else None, bearer=bearer)

    def expect(self, response, status, **fields):
        """That an answer has a status, and these fields."""
        self.assertEqual(response.status, status, response.body)
        for name, value in fields.items():
            self.assertEqual(response.json.get(name), value, response.body)

    # The table.

    def test_table(self):
        """Each line of the table has a test that asks for it."""
        shown = [line for kind in type(self).__mro__ for test in vars(kind).values() for line in getattr(test, "behaviours", ())]
        self.assertEqual(sorted(table(self.module())), sorted(set(shown)))
