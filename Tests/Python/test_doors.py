"""What each door removes: what the caller names, more by a word of its own alone, and so that `keyfob undo` brings it back.

What programs in Swift and those at the agent come by is in Tests/KeyfobAgentTests/Broker/RemovingDoorTests.swift.
"""

import collections
import json
import subprocess
import unittest

import keyfob
import msal
import place

KINDS = ("AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata")
MINE, OTHER = "client-one", "client-two"


class Place:
    """A person who is signed in to two clients, and somebody else."""

    def __init__(self):
        self.home = place.Home()
        self.keyring = self.home.keyring()
        self.cache = keyfob.TokenCache(self.keyring, renews=False)
        for client in (MINE, OTHER):
            place.sign_in(self.cache, place.ADA, client, access=f"at-{client}", refresh=f"rt-{client}")
        place.sign_in(self.cache, place.CLEO, MINE, access="at-cleo", refresh="rt-cleo")

    def close(self):
        self.keyring.close()
        self.home.remove()

    def state(self, kinds=KINDS):
        return {kind: sorted(json.dumps(entry, sort_keys=True) for entry in self.cache.search(kind)) for kind in kinds}

    def refresh_tokens(self):
        return {entry["secret"] for entry in self.cache.search("RefreshToken")}

    def named(self, kind, client):
        return next(entry for entry in self.cache.search(kind, query={"client_id": client, "home_account_id": place.home_id(place.ADA)}))

    def logout(self, *words):
        self.home.run("logout", "--offline", "--yes", "-q", *words)

    def app(self):
        return msal.PublicClientApplication(
            MINE, token_cache=self.cache, authority=f"https://{place.LOGIN}/organizations", instance_discovery=False,
            http_client=place.Discovery())

    def undo(self):
        """Brings back whatever was removed, the newest first; whether there was something."""
        # What has made the vault is told there too, and stays.
        entries = [
            entry for entry in json.loads(self.home.run("undo", "--list", "--json"))["entries"] if not entry.get("lasting")]
        for entry in entries:
            self.home.run("undo", entry["id"])
        return bool(entries)


#: A door: what goes by it besides what client-one has of ada ("other", "cleo"); that the word for all clients is missing, so
#: that nothing goes ("refused"); and what is not kept, because it is got again without anybody.
Door = collections.namedtuple("Door", "name takes call not_kept", defaults=((),))
SHORT_LIVED = ("AccessToken", "IdToken")
DOORS = [
    Door("keyfob logout", "refused", lambda at: at.logout(place.ADA)),
    Door("keyfob logout --client", (), lambda at: at.logout(place.ADA, "--client", MINE)),
    Door("keyfob logout --everywhere", ("other",), lambda at: at.logout(place.ADA, "--everywhere")),
    Door("keyfob logout --forget", ("other",), lambda at: at.logout(place.ADA, "--forget")),
    Door("keyfob logout --all", ("other", "cleo"), lambda at: at.logout("--all")),
    Door("keyfob account remove", ("other",), lambda at: at.home.run("account", "remove", place.ADA, "--force", "-q")),
    Door("remove_account", "refused", lambda at: at.keyring.remove_account(place.ADA)),
    Door("remove_account client", (), lambda at: at.keyring.remove_account(place.ADA, client=MINE)),
    Door("remove_account forget", ("other",), lambda at: at.keyring.remove_account(place.ADA, forget=True)),
    Door("MSAL's remove_account", (), lambda at: at.app().remove_account(at.app().get_accounts(place.ADA)[0]), SHORT_LIVED),
    Door("MSAL's remove_rt", (), lambda at: at.cache.remove_rt(at.named("RefreshToken", MINE))),
    Door("MSAL's remove_rt of another's", ("other",),
         lambda at: [at.cache.remove_rt(at.named("RefreshToken", client)) for client in (MINE, OTHER)]),
    Door("a section of MSAL's cache", ("other", "cleo"), lambda at: at.cache._cache.__delitem__("RefreshToken")),
]


class Doors(unittest.TestCase):
    """Each door of the command, of C, of Python and of MSAL's cache."""

    maxDiff = 4000

    def setUp(self):
        self.at = Place()
        self.addCleanup(lambda: self.at.close())

    def test_doors(self):
        for door in DOORS:
            with self.subTest(door.name):
                self.at.close()
                self.at = Place()
                self.check(door)

    def check(self, door):
        at, before = self.at, self.at.state()
        if door.takes == "refused":
            with self.assertRaises((AssertionError, keyfob.Ambiguous)) as caught:
                door.call(at)
            self.assertIn("--client", str(caught.exception))
            self.assertEqual(at.state(), before)
            self.assertFalse(at.undo())
            return
        door.call(at)
        gone = {f"rt-{MINE}"} | {{"other": f"rt-{OTHER}", "cleo": "rt-cleo"}[whose] for whose in door.takes}
        self.assertEqual(at.refresh_tokens(), {f"rt-{MINE}", f"rt-{OTHER}", "rt-cleo"} - gone)
        if "other" not in door.takes and "AccessToken" not in door.not_kept:
            self.assertEqual(at.named("AccessToken", OTHER)["secret"], f"at-{OTHER}")
        self.assertTrue(at.undo())
        kinds = [kind for kind in KINDS if kind not in door.not_kept]
        self.assertEqual(at.state(kinds), {kind: before[kind] for kind in kinds})

    def test_unknown_tokens(self):
        """A client of which the keyring has only what it keeps as it is counts as one."""
        entry = {"credential_type": "AccessToken", "secret": "at-three", "client_id": "client-three", "target": "x",
                 "home_account_id": place.home_id(place.CLEO), "environment": place.LOGIN, "expires_on": "somewhen"}
        self.at.keyring.change_entries(json.dumps({"put": {"AccessToken": {"key": entry}}}))
        found = self.at.keyring.find_entries
        before = self.at.state(("RefreshToken", "IdToken", "Account")), found("AccessToken")
        self.assertIn("at-three", before[1])
        with self.assertRaises(keyfob.Ambiguous):
            self.at.keyring.remove_account(place.CLEO)
        self.assertEqual(found("AccessToken"), before[1])
        self.at.logout(place.CLEO, "--everywhere")
        self.assertNotIn("at-three", found("AccessToken"))
        self.at.home.undo()
        self.assertEqual((self.at.state(("RefreshToken", "IdToken", "Account")), found("AccessToken")), before)

    def test_only_access_token(self):
        """MSAL's sign-out takes the access tokens of all clients; what nothing else brings back is kept."""
        place.sign_in(self.at.cache, place.ADA, "client-three", access="at-three")
        self.at.app().remove_account(self.at.app().get_accounts(place.ADA)[0])
        self.assertEqual([entry["secret"] for entry in self.at.cache.search("AccessToken")], ["at-cleo"])
        self.assertTrue(self.at.undo())
        self.assertEqual({entry["secret"] for entry in self.at.cache.search("AccessToken")}, {"at-cleo", "at-three"})
        self.assertEqual(self.at.refresh_tokens(), {f"rt-{MINE}", f"rt-{OTHER}", "rt-cleo"})

    def test_docker(self):
        """docker removes what it has stored, with what the owner has bound to it, and nobody else's."""
        helper = self.at.home.folder / "docker-credential-keyfob"
        helper.symlink_to(place.COMMAND)

        def docker(operation, text):
            return subprocess.run(
                [helper, operation], env=self.at.home.environment, input=text, text=True,
                capture_output=True, timeout=60, check=operation != "get")

        registry = "registry.example"
        docker("store", json.dumps({"ServerURL": registry, "Username": "ada", "Secret": "dckr-1"}))
        self.at.home.run("bind", "-q", "--tool", "sample", f"ada@{registry}")
        bindings = self.at.home.run("bindings", "--json")
        before = self.at.state()
        docker("erase", registry)
        self.assertNotIn("dckr-1", docker("get", registry).stdout)
        self.assertEqual(self.at.state(("RefreshToken",)), {"RefreshToken": before["RefreshToken"]})
        self.at.home.undo()
        self.assertIn("dckr-1", docker("get", registry).stdout)
        self.assertEqual(self.at.home.run("bindings", "--json"), bindings)


if __name__ == "__main__":
    unittest.main()
