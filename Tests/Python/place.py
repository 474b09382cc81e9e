"""Vaults for tests, invented people in them, and providers by their own names, which lead to stand-ins."""

import base64
import json
import os
import pathlib
import shutil
import ssl
import subprocess
import tempfile
import time
import types
import unittest

import aiohttp
import google.auth.aio.transport.aiohttp
import keyfob
import msal
from standins import google as google_standin
from standins import microsoft, serving

COMMAND, IS_FULL = os.environ["KEYFOB_COMMAND"], bool(os.environ.get("KEYFOB_FULL"))
ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGIN, GRAPH, KEY_VAULT = "login.microsoftonline.com", "graph.microsoft.com", microsoft.KEY_VAULT
AZURE_CLI = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
READ = f"https://{GRAPH}/User.Read"
READ_MAIL = "https://www.googleapis.com/auth/gmail.readonly"
MAIL = "https://gmail.googleapis.com/gmail/v1/users/me/messages"
ADA, CLEO = "ada@contoso.example", "cleo@contoso.example"


def folder():
    """A folder for temporary files: in memory, where there is room."""
    parent = None if "TMPDIR" in os.environ or not os.access("/dev/shm", os.W_OK) else "/dev/shm"
    return pathlib.Path(tempfile.mkdtemp(prefix="keyfob-python-", dir=parent))


class Home:
    """A person's vault, which a key file opens."""

    def __init__(self, environment=None):
        self.folder = folder()
        self.vault, self.key = self.folder / "vault", self.folder / "key"
        (self.folder / "run").mkdir(mode=0o700)
        kept = {name: os.environ[name] for name in ("PATH", "KEYFOB_LIBRARY", "PYTHONPATH", "LANG") if name in os.environ}
        self.environment = kept | {
            "HOME": str(self.folder), "XDG_RUNTIME_DIR": str(self.folder / "run"), "KEYFOB_VAULT": str(self.vault),
            "KEYFOB_KEY_FILE": str(self.key), "PYTHONDONTWRITEBYTECODE": "1"} | (environment or {})
        self.key.write_bytes(os.urandom(32))
        self.key.chmod(0o600)
        self.run("init", "-q", "--recovery-file", self.folder / "recovery")

    def run(self, *words, text=None):
        """What the command prints."""
        done = subprocess.run(
            [COMMAND, *map(str, words)], env=self.environment, input=text, text=True, capture_output=True, timeout=120)
        if done.returncode != 0:
            raise AssertionError(f"keyfob {words}: {done.returncode} {done.stderr}")
        return done.stdout

    def add(self, account, token, *words):
        """Adds a token by hand."""
        self.run("add", "-q", "--account", account, "--host", "git.example", *words, text=token)

    def undo(self):
        """Brings back what was removed last."""
        self.run("undo", "--yes")

    def keyring(self):
        return keyfob.Keyring(vault=self.vault, key_file=self.key)

    def python(self, code, *words, environment=None, stdin=None):
        """Starts a program in Python."""
        paths = os.pathsep.join([str(ROOT / "Packaging/python"), str(ROOT / "Tests/Python"), str(ROOT / "Tests/Provider")])
        return subprocess.Popen(
            [os.sys.executable, "-B", "-c", code, *words], text=True, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=self.environment | {"PYTHONPATH": paths, "KEYFOB_COMMAND": COMMAND} | (environment or {}))

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def part(claims):
    return base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()


def id_token(**claims):
    return f"{part({'alg': 'none'})}.{part({'aud': AZURE_CLI, 'iss': 'sample', 'exp': int(time.time()) + 3600, **claims})}.c2ln"


def answer(person, *, access=None, refresh=None, lifetime=3600, **more):
    """What Microsoft's token endpoint answers for a person of the stand-in."""
    known = microsoft.PEOPLE[person]
    found = {"token_type": "Bearer", "expires_in": lifetime, "ext_expires_in": lifetime, **more}
    if access:
        found["access_token"] = access
    if refresh:
        found["refresh_token"] = refresh
    found["id_token"] = id_token(oid=known["oid"], tid=known["home"], sub=person, preferred_username=person)
    found["client_info"] = part({"uid": known["oid"], "utid": known["home"]})
    return found


def sign_in(cache, person, client=AZURE_CLI, tenant="organizations", scopes=(READ,), data=None, **more):
    """Puts a sign-in into a cache of MSAL's, of a request with `data`."""
    cache.add({
        "data": data or {}, "client_id": client, "scope": list(scopes), "environment": LOGIN, "grant_type": "authorization_code",
        "token_endpoint": f"https://{LOGIN}/{tenant}/oauth2/v2.0/token", "response": answer(person, **more)})


def home_id(person):
    return "{oid}.{home}".format(**microsoft.PEOPLE[person])


class Discovery:
    """In the place of a network: answers what MSAL wants to know of an authority, and nothing else."""

    def get(self, url, **_):
        base = url.split("/v2.0/")[0]
        content = {"authorization_endpoint": base + "/oauth2/v2.0/authorize", "token_endpoint": base + "/oauth2/v2.0/token",
                   "issuer": base + "/v2.0", "device_authorization_endpoint": base + "/oauth2/v2.0/devicecode"}
        return types.SimpleNamespace(status_code=200, text=json.dumps(content), headers={}, raise_for_status=lambda: None)

    def post(self, *_, **__):
        raise AssertionError("the network was asked")

    def close(self):
        """As sessions have it."""


class GoogleRequest(google.auth.aio.transport.aiohttp.Request):
    """What google-auth sends requests with where there is an event loop, on the way to the stand-ins."""

    def __init__(self):
        # It asks the environment neither for a way nor for who vouches for a host.
        connector = aiohttp.TCPConnector(ssl=ssl.create_default_context())
        super().__init__(aiohttp.ClientSession(trust_env=True, connector=connector))


class Providers(unittest.TestCase):
    """Tests with a vault, in which ada and cleo are signed in to Microsoft with the Azure CLI, and with providers."""

    #: Options of the stand-in for Microsoft.
    OPTIONS = {}
    #: For how long what is signed in has an access token.
    LIFETIME = 3600

    @classmethod
    def setUpClass(cls):
        cls.before, cls.folder = dict(os.environ), folder()
        tokens = {"rt-ada": [ADA, AZURE_CLI], "rt-cleo": [CLEO, AZURE_CLI]}
        cls.network = serving.Network(
            cls.folder / "providers", [microsoft.Microsoft(refresh_tokens=tokens, **cls.OPTIONS), google_standin.Google()])
        cls.network.__enter__()
        authority = str(cls.folder / "providers/ca.pem")
        os.environ |= cls.network.environment | {"SSL_CERT_FILE": authority, "AZURE_CORE_NO_TELEMETRY": "1"}
        cls.home = Home(cls.network.environment | {"SSL_CERT_FILE": authority})
        cls.keyring = cls.home.keyring()
        cache = msal.SerializableTokenCache()
        for person in (ADA, CLEO):
            name = person.split("@")[0]
            sign_in(cache, person, access=f"at-{name}", refresh=f"rt-{name}", lifetime=cls.LIFETIME)
        cls.keyring.write_cache(cache.serialize())

    @classmethod
    def tearDownClass(cls):
        cls.keyring.close()
        cls.network.__exit__()
        os.environ.clear()
        os.environ |= cls.before
        cls.home.remove()
        shutil.rmtree(cls.folder, ignore_errors=True)

    @classmethod
    def sign_in_at_google(cls, *people):
        """Signs people in to Google too, as they do it in a browser."""
        cls.home.run("client", "add", "-q", "client-1", "--provider", "google", "--secret-fd", "0", text="GOCSPX-sample")
        for person in people:
            cls.home.environment["BROWSER"] = cls.network.environment["BROWSER"].replace("%s", f"%s {person}")
            scopes = (word for scope in ("openid", "email", READ_MAIL) for word in ("--scope", scope))
            cls.home.run("login", "google", "--quiet", *scopes)

    def setUp(self):
        self.network.control({})
        self.begin = len(self.network.requests())

    def refreshes(self):
        """The refreshes since the test began."""
        return [request for request in self.network.requests()[self.begin:] if request.get("grant_type") == "refresh_token"]

    def set(self, **options):
        """Sets options of the stand-in for Microsoft."""
        self.network.control({"options": {"microsoft": options}})
