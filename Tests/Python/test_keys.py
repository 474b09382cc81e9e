"""Keyrings that stay open while the owner makes new keys."""

import os
import subprocess
import unittest

import keyfob
from place import Home


class Keys(unittest.TestCase):
    """What opened a keyring opens it anew, or the error says that the keys are others."""

    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.remove)
        self.home.add("ada", "first")
        self.rounds = 0

    def recovery(self):
        """A file for the next recovery key."""
        self.rounds += 1
        return self.home.folder / f"recovery{self.rounds}"

    def rekey(self, *words):
        self.home.run("rekey", "-q", "--force", "--recovery-file", self.recovery(), *words)

    def replace(self, identity, environment=None):
        """Puts the vault aside, and makes another of a backup; where its recovery key is."""
        backup, recovery = self.home.run("backup", "-q", "--to", self.home.folder / f"backup{self.rounds}.age").strip(), self.recovery()
        self.home.environment |= environment or {}
        self.home.run("restore", "-q", backup, "--put-aside", "--bundle-identity", identity, "--recovery-file", recovery)
        return recovery

    def test_followed(self):
        with self.home.keyring() as keyring:
            for token in ["first", "second", "third"]:
                self.home.add("ada", token)
                self.assertEqual(keyring.token(account="ada").token, token)
                self.rekey()
                self.assertEqual([each["username"] for each in keyring.accounts()], ["ada"])

    def test_lost(self):
        with self.home.keyring() as keyring:
            self.assertEqual(keyring.token(account="ada").token, "first")
            self.rekey()
            self.home.key.write_bytes(bytes(64))
            with self.assertRaises(keyfob.Locked) as caught:
                keyring.token(account="ada")
            self.assertRegex(str(caught.exception), r"the keys of the vault were replaced at 20\d\d-\d\d-\d\dT.*'keyfob unlock'")

    def asker(self):
        """A program with an open keyring, in the home; what it is told when it asks."""
        code = """if True:
            import sys, keyfob
            keyring = keyfob.Keyring()
            for _ in sys.stdin:
                try:
                    print(keyring.token(account="ada").token, flush=True)
                except keyfob.Error as error:
                    print(type(error).__name__, error, flush=True)
        """
        program = self.home.python(code, stdin=subprocess.PIPE)
        self.addCleanup(program.communicate)

        def ask():
            program.stdin.write("\n")
            program.stdin.flush()
            return program.stdout.readline().strip()

        return ask

    def test_followed_to_another_vault(self):
        recovery, ask = self.home.folder / "recovery", self.asker()
        for token in ["first", "second", "third"]:
            self.home.add("ada", token)
            self.assertEqual(ask(), token)
            recovery = self.replace(recovery)

    def test_lost_to_another_vault(self):
        """Who had the former vault open says that its keys gave way; of a vault that another key made nobody can tell."""
        other = self.home.folder / "other"
        for environment, words in [({}, "the keys of the vault were replaced at 20"), ({"KEYFOB_KEY_FILE": str(other)}, "not in its place")]:
            with self.subTest(words):
                other.write_bytes(os.urandom(32))
                other.chmod(0o600)
                ask = self.asker()
                self.assertEqual(ask(), "first")
                self.replace(self.home.folder / f"recovery{self.rounds or ''}", environment)
                kept = self.home.key.read_bytes()
                self.home.key.write_bytes(bytes(64))
                self.assertRegex(ask(), "^Locked .*" + words + ".*'keyfob unlock'")
                self.home.key.write_bytes(kept)


if __name__ == "__main__":
    unittest.main()
