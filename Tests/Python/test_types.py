"""That the annotations hold, for who checks strictly."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import place

PROGRAM = '''
import google.auth.aio.credentials, google.auth.credentials
import keyfob, keyfob.aio
from azure.core.credentials import SupportsTokenInfo, TokenCredential
from azure.core.credentials_async import AsyncTokenCredential

first: TokenCredential = keyfob.Credential(account="ada")
second: SupportsTokenInfo = keyfob.Credential()
third: AsyncTokenCredential = keyfob.aio.Credential(group=["a", "b"])
fourth: google.auth.credentials.Credentials = keyfob.GoogleCredentials(account="ada")
fifth: google.auth.aio.credentials.Credentials = keyfob.aio.GoogleCredentials(scopes=["a"])

async def ask() -> str:
    found: keyfob.Token = await keyfob.Keyring().token_async(["a"], account="ada", min_validity=600)
    try:
        return found.token + keyfob.token("a", client="b")
    except keyfob.SignInNeeded as error:
        return error.continuation.command or "" if error.continuation else error.code
'''


class Types(unittest.TestCase):
    """mypy, and in a full run pyright."""

    def checked(self, *words):
        environment = os.environ | {"MYPYPATH": str(place.ROOT / "Packaging/python"), "PYTHONPATH": str(place.ROOT / "Packaging/python")}
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program.py")
            program.write_text(PROGRAM)
            wrong = pathlib.Path(folder, "wrong.py")
            wrong.write_text('import keyfob\nkeyfob.token("a", bogus=1)\n')
            package = str(place.ROOT / "Packaging/python/keyfob")
            done = subprocess.run([sys.executable, "-m", *words, package, str(program)], env=environment, cwd=folder, text=True, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            refused = subprocess.run([sys.executable, "-m", *words, str(wrong)], env=environment, cwd=folder, text=True, capture_output=True)
            self.assertEqual(refused.returncode, 1, refused.stdout + refused.stderr)
            self.assertIn("bogus", refused.stdout)

    def test_mypy(self):
        cache = place.ROOT / ".build/mypy"
        self.checked("mypy", "--strict", "--cache-dir", str(cache))

    def test_pyright(self):
        if not place.IS_FULL:
            self.skipTest("make test-full asks pyright")
        self.checked("pyright", "--pythonpath", sys.executable)


if __name__ == "__main__":
    unittest.main()
