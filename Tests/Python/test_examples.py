"""That the examples of the guide run as they stand there."""

import contextlib
import imaplib
import io
import os
import re
import unittest
import unittest.mock

import google.auth.aio.transport.sessions
import keyfob
import place
from standins import microsoft

GUIDE = place.ROOT / "docs/library.md"


class Mailbox:
    """In the place of a mail server: asks for the answer to nothing."""

    def __init__(self, _):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def authenticate(self, mechanism, answer):
        text = answer(b"")
        print(mechanism, re.sub(r"Bearer .*", "Bearer", text.replace("\1", " ")))


class Examples(place.Providers):
    """Each block of Python, with what it prints."""

    def test_examples(self):
        self.sign_in_at_google("ada@example.com")
        printed = []
        self.set(refuse={microsoft.CONTOSO: [65001, "https://other.example"]})
        usual = self.home.environment
        with unittest.mock.patch.dict(os.environ, {name: usual[name] for name in ("KEYFOB_VAULT", "KEYFOB_KEY_FILE")}), \
                unittest.mock.patch.object(imaplib, "IMAP4_SSL", Mailbox), \
                unittest.mock.patch.object(google.auth.aio.transport.sessions, "AiohttpRequest", place.GoogleRequest):
            for block in re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL):
                output = io.StringIO()
                with contextlib.redirect_stdout(output):
                    exec(compile(block, str(GUIDE), "exec"), {"__name__": "example"})
                printed.append(output.getvalue().strip())
            keyfob._keyring.usual.close()
        self.assertEqual(printed[:-1], [
            "", place.ADA, f"a secret that {place.ADA} reads", "200", "200", "cache", f"XOAUTH2 user={place.ADA} auth=Bearer"])
        self.assertRegex(printed[-1], r"\nconsent keyfob login ")


if __name__ == "__main__":
    unittest.main()
