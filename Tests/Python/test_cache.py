"""That the keyring, as a cache of MSAL's, ends in the state of msal.TokenCache: by random sequences, and by MSAL's own tests."""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import unittest

import keyfob
import msal
import place
from standins import microsoft

KINDS = ("AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata")
CLIENTS, TENANTS = ("client-one", "client-two"), (microsoft.CONTOSO, microsoft.FABRIKAM)
SCOPES = (("s1",), ("s2",), ("s1", "s2"), ("s2", "s3"), ("https://x.example/.default",))


def state(cache):
    """All that a cache tells, in an order of its own."""
    return {kind: sorted(json.dumps(entry, sort_keys=True) for entry in cache.search(kind)) for kind in KINDS}


class Pair:
    """MSAL's cache, and the keyring as one: each step is done to both."""

    def __init__(self, seed, keyring):
        self.random, self.now, self.count = random.Random(seed), time.time(), 0
        self.caches = (msal.TokenCache(), keyfob.TokenCache(keyring, renews=False))
        self.apps = [[msal.PublicClientApplication(
            client, token_cache=cache, authority=f"https://{place.LOGIN}/{microsoft.CONTOSO}", instance_discovery=False,
            http_client=place.Discovery()) for client in CLIENTS] for cache in self.caches]

    def secret(self, word):
        self.count += 1
        return f"{word}-{self.count}"

    def add(self):
        pick = self.random.choice
        client, tenant, scopes = pick(CLIENTS), pick(TENANTS), pick(SCOPES)
        is_app, lifetime = self.random.random() < 0.25, pick((3600, 3600, 3600, 200, -10))
        response = {"token_type": "Bearer", "expires_in": lifetime, "access_token": self.secret("at")}
        if not is_app:
            refresh = self.secret("rt") if self.random.random() < 0.8 else None
            response = place.answer(pick((place.ADA, place.CLEO)), access=self.secret("at"), refresh=refresh, lifetime=lifetime)
            if self.random.random() < 0.3:
                response["foci"] = "1"
        if self.random.random() < 0.2:
            response["refresh_in"] = 100
        data = {}
        if self.random.random() < 0.25:
            data = {"key_id": pick(("k1", "k2")), "token_type": "ssh-cert"}
            response["token_type"] = "ssh-cert"
        elif self.random.random() < 0.1:
            data = {"fmi_path": pick(("p1", "p2"))}
        event = {
            "client_id": client, "scope": list(scopes), "environment": place.LOGIN, "data": data, "response": response,
            "token_endpoint": f"https://{place.LOGIN}/{tenant}/oauth2/v2.0/token",
            "grant_type": "client_credentials" if is_app else pick(("authorization_code", "refresh_token"))}
        if not is_app and self.random.random() < 0.2:
            event["skip_account_creation"] = True
        for cache in self.caches:
            cache.add(event, now=self.now)

    def picked(self, kind):
        """An entry of MSAL's cache."""
        entries = sorted(self.caches[0].search(kind, now=0), key=lambda entry: json.dumps(entry, sort_keys=True))
        return self.random.choice(entries) if entries else None

    def modify(self):
        kind = self.random.choice(("RefreshToken", "RefreshToken", "AccessToken", "IdToken"))
        entry, secret = self.picked(kind), self.secret("new")
        for cache in self.caches if entry else ():
            if kind == "RefreshToken":
                cache.modify(kind, entry, {"secret": secret, "last_modification_time": str(int(self.now))})
            else:
                cache.modify(kind, entry, {"secret": secret})

    def remove(self):
        kind, method = self.random.choice((
            ("RefreshToken", "remove_rt"), ("AccessToken", "remove_at"), ("IdToken", "remove_idt"), ("Account", "remove_account")))
        entry = self.picked(kind)
        for cache in self.caches if entry else ():
            getattr(cache, method)(entry)

    def sign_out(self):
        client = self.random.randrange(2)
        accounts = sorted(self.apps[0][client].get_accounts(), key=lambda account: account["home_account_id"])
        if accounts:
            account = self.random.choice(accounts)
            for apps in self.apps:
                apps[client].remove_account(account)

    def search(self):
        kind, pick = self.random.choice(KINDS), self.random.choice
        query = {"environment": place.LOGIN}
        for name, values in (("home_account_id", [place.home_id(place.ADA), place.home_id(place.CLEO), None]), ("client_id", CLIENTS),
                             ("realm", TENANTS), ("key_id", ["k1", "k2"]), ("family_id", ["1"])):
            if self.random.random() < 0.4:
                query[name] = pick(values)
        target = list(pick(SCOPES)) if kind == "AccessToken" and self.random.random() < 0.6 else None
        found = [sorted(json.dumps(entry, sort_keys=True) for entry in cache.search(kind, target=target, query=query, now=self.now))
                 for cache in self.caches]
        assert found[0] == found[1], (kind, target, query, found)

    def run(self, steps):
        actions = [self.add] * 8 + [self.modify] * 3 + [self.remove] * 4 + [self.search] * 4 + [self.sign_out]
        for _ in range(steps):
            self.random.choice(actions)()
        return [state(cache) for cache in self.caches]


class Sequences(unittest.TestCase):
    """Random sequences of what programs do, over two clients, two tenants, tokens of applications and of keys."""

    maxDiff = 4000

    def test_state(self):
        first = int(os.environ.get("KEYFOB_SEED", "1"))
        count = int(os.environ.get("KEYFOB_COUNT", "1000" if place.IS_FULL else "15"))
        for seed in range(first, first + count):
            home = place.Home()
            try:
                with self.subTest(seed=seed):
                    with home.keyring() as keyring:
                        mine, theirs = Pair(seed, keyring).run(20)
                        for kind in KINDS:
                            self.assertEqual(mine[kind], theirs[kind], kind)
                    home.run("verify", "-q")
            finally:
                home.remove()


class Removal(unittest.TestCase):
    """What is removed, and what can be brought back."""

    def setUp(self):
        self.home = place.Home()
        self.addCleanup(self.home.remove)
        self.keyring = self.home.keyring()
        self.addCleanup(self.keyring.close)
        self.cache = keyfob.TokenCache(self.keyring, renews=False)
        for client in CLIENTS:
            place.sign_in(self.cache, place.ADA, client, access=f"at-{client}", refresh=f"rt-{client}")

    def secrets(self, kind):
        return sorted(entry["secret"] for entry in self.cache.search(kind))

    def test_other_client(self):
        app = msal.PublicClientApplication(
            CLIENTS[0], token_cache=self.cache, authority=f"https://{place.LOGIN}/organizations", instance_discovery=False, http_client=place.Discovery())
        app.remove_account(app.get_accounts()[0])
        self.assertEqual(self.secrets("RefreshToken"), [f"rt-{CLIENTS[1]}"])
        self.home.undo()
        self.home.undo()
        self.assertEqual(self.secrets("RefreshToken"), [f"rt-{client}" for client in CLIENTS])

    def test_word(self):
        """Of several clients none goes without a word, and all that goes comes back."""
        with self.assertRaises(keyfob.Ambiguous) as caught:
            self.keyring.remove_account(place.ADA)
        self.assertIn("--client", str(caught.exception))
        self.keyring.remove_account(place.ADA, client=CLIENTS[0])
        self.assertEqual(self.secrets("RefreshToken"), [f"rt-{CLIENTS[1]}"])
        self.assertEqual(self.secrets("AccessToken"), [f"at-{CLIENTS[1]}"])
        self.keyring.remove_account(place.ADA, forget=True)
        self.assertFalse(self.keyring.accounts())
        self.home.undo()
        self.assertEqual(self.secrets("RefreshToken"), [f"rt-{CLIENTS[1]}"])

    def test_undo(self):
        """A program undoes what went, and then its own undo."""
        self.keyring.remove_account(place.ADA, client=CLIENTS[0])
        entry = self.keyring.undoable()[0]
        self.assertEqual((entry["changes"], entry["isUndo"]), ("true", "false"))
        undone = self.keyring.undo(entry["id"])
        self.assertIn(("refreshToken", "returns"), {(item["kind"], item["outcome"]) for item in undone})
        self.assertEqual(self.secrets("RefreshToken"), [f"rt-{client}" for client in CLIENTS])
        self.keyring.undo(undone[0]["undo"])
        self.assertEqual(self.secrets("RefreshToken"), [f"rt-{CLIENTS[1]}"])
        with self.assertRaises(keyfob.NotFound):
            self.keyring.undo("ffffffffffffffff")

    def test_nothing_is_left(self):
        """A refresh token that made room for another, and a token of a kind that Keyfob does not know, go with the account."""
        place.sign_in(self.cache, place.ADA, CLIENTS[0], scopes=["other"], access="at", refresh="rt-other")
        self.assertEqual(len(self.secrets("RefreshToken")), 3)
        self.home.run("logout", "--forget", "--yes", "--offline", "--forever", "-q", place.ADA)
        self.assertEqual([self.secrets(kind) for kind in KINDS[:3]], [[], [], []])


class OwnTests(unittest.TestCase):
    """The tests of its cache that MSAL has, with the keyring in its place."""

    def test_own(self):
        if not place.IS_FULL:
            self.skipTest("takes MSAL's source from PyPI; make test-full does")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", "msal", "-d",
                            folder, f"msal=={msal.__version__}"], check=True)
            archive, = pathlib.Path(folder).glob("*.tar.gz")
            subprocess.run(["tar", "-xf", archive, "-C", folder], check=True)
            tests = next(pathlib.Path(folder).glob("msal-*/tests")).parent
            (tests / "tests/__init__.py").write_text("import unittest\n")
            code = (
                "import atexit, inspect, sys, unittest\n"
                "import keyfob, place\n"
                "import tests.test_token_cache as own\n"
                "homes = []\n"
                "class Cache(keyfob.TokenCache):\n"
                "    def __init__(self):\n"
                "        homes.append(place.Home())\n"
                "        super().__init__(homes[-1].keyring(), renews=False)\n"
                "atexit.register(lambda: [home.remove() for home in homes])\n"
                "own.TokenCache = Cache\n"
                "found = unittest.TextTestRunner(stream=sys.stdout).run(unittest.defaultTestLoader.loadTestsFromModule(own))\n"
                "print('ran', found.testsRun, 'with', len(homes), 'keyrings, failed', "
                "[test.id() for test, _ in found.failures + found.errors])\n")
            paths = os.pathsep.join([str(place.ROOT / "Packaging/python"), str(place.ROOT / "Tests/Python"),
                                     str(place.ROOT / "Tests/Provider"), str(tests)])
            done = subprocess.run([sys.executable, "-B", "-c", code], cwd=tests, text=True, capture_output=True,
                                  env=os.environ | {"PYTHONPATH": paths})
            print("\nMSAL's own tests:", done.stdout.splitlines()[-1:])
            self.assertRegex(done.stdout, r"ran [0-9]+ with [1-9][0-9]* keyrings, failed \[\]", done.stdout[-3000:] + done.stderr[-3000:])


if __name__ == "__main__":
    unittest.main()
