"""Looks for secrets in all files below folders.

usage: find_secrets.py FOLDER… < {"secrets": [TEXT, …], "challenges": [CODE CHALLENGE, …]}

Prints a line for each that is found: plain, in base64 in any position, or percent-encoded; of a code challenge (RFC
7636) the verifier. Prints how many files and bytes were searched in the last line."""

import base64
import hashlib
import json
import pathlib
import re
import sys
import urllib.parse

task = json.load(sys.stdin)


def forms(secret):
    data = secret.encode()
    yield data
    yield urllib.parse.quote(secret, safe="").encode()
    for shift in range(3):
        # What stands in front may shift it; the ends depend on what is around.
        encoded = base64.b64encode(b"\0" * shift + data)[4:-4]
        if len(encoded) > 12:
            yield encoded
            yield encoded.replace(b"+", b"-").replace(b"/", b"_")


files = size = 0
for folder in sys.argv[1:]:
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if not path.is_file() or path.is_symlink():
            continue
        data = path.read_bytes()
        files, size = files + 1, size + len(data)
        for number, secret in enumerate(task["secrets"]):
            if any(form in data for form in forms(secret)):
                print(f"secret {number} in {path}")
        for word in set(re.findall(rb"[A-Za-z0-9._~-]{43,128}", data)):
            challenge = base64.urlsafe_b64encode(hashlib.sha256(word).digest()).decode().rstrip("=")
            if challenge in task["challenges"]:
                print(f"a code verifier in {path}")
print(files, size)
