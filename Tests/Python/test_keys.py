"""Keyrings that stay open while the owner makes new keys."""

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

    def rekey(self, *words):
        self.rounds += 1
        self.home.run("rekey", "-q", "--force", "--recovery-file", self.home.folder / f"recovery{self.rounds}", *words)

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


if __name__ == "__main__":
    unittest.main()
