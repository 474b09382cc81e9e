#!/usr/bin/env python3
"""An OpenID provider on this machine that answers refreshes at once, and replaces the refresh token at each.

    endpoint.py

Its first line of output is its issuer. A line of input sets for how many seconds its access tokens are good; it is
answered with what was asked since the line before: {"requests": …, "reused": …}, the second being those with a
refresh token that had been replaced. Such a one is still taken, as at Microsoft, so that everybody gets a token; a
stricter provider would end the sign-in there. The end of the input ends it.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Tests/Provider"))
from standins import refreshing, serving  # noqa: E402
from standins.trust import base64url as encoded  # noqa: E402

noise = random.Random(7)
ACCESS_NOISE, REFRESH_NOISE, ID_NOISE, SIGNATURE = (encoded(noise.randbytes(count)) for count in (1100, 900, 600, 256))
HEADER = encoded(b'{"typ":"JWT","alg":"RS256","kid":"benchmark"}')


def refresh_token(number, generation):
    return f"1.{number}.{generation}.{REFRESH_NOISE}"


def tokens(number, generation, client, issuer, lifetime):
    """What the token endpoint answers."""
    now = int(time.time())
    name = f"person{number:05d}"
    claims = json.dumps({"iss": issuer, "aud": client, "sub": f"subject-{number:05d}", "iat": now, "exp": now + 3600,
                         "preferred_username": name + "@contoso.example", "name": name, "rest": ID_NOISE})
    return {"token_type": "Bearer", "scope": "api.read", "expires_in": lifetime,
            "access_token": f"{HEADER}.{number}-{generation}-{ACCESS_NOISE}.{SIGNATURE}",
            "refresh_token": refresh_token(number, generation),
            "id_token": f"{HEADER}.{encoded(claims.encode())}.{SIGNATURE}"}


class State:
    lock = threading.Lock()
    lifetime = 60
    requests = reused = 0
    generations = {}

    @classmethod
    def replace(cls, number, generation):
        """The generation of the next refresh token."""
        with cls.lock:
            newest = cls.generations.get(number, generation)
            cls.requests += 1
            cls.reused += generation < newest
            cls.generations[number] = newest + 1
            return newest + 1

    @classmethod
    def begin(cls, lifetime):
        with cls.lock:
            counts = {"requests": cls.requests, "reused": cls.reused}
            cls.lifetime, cls.requests, cls.reused = lifetime, 0, 0
            return counts


def refresh(form, issuer):
    """What a request gets."""
    number, generation = (int(part) for part in form["refresh_token"].split(".")[1:3])
    following = State.replace(number, generation)
    return tokens(number, following, form.get("client_id", "benchmark"), issuer, State.lifetime)


class Endpoint:
    """This program, in a process of its own."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.issuer = self.process.stdout.readline().strip()

    def begin(self, lifetime):
        """Lets access tokens be good for so long; what was asked since the last time."""
        self.process.stdin.write(f"{lifetime}\n")
        return json.loads(self.process.stdout.readline())

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    # MSAL wants https; its requests come as if through a proxy that ends TLS.
    site = serving.Loopback(refreshing.Refreshing(refresh, "/tenant")).start()
    print(site.stand_in.issuer(), flush=True)
    for line in sys.stdin:
        print(json.dumps(State.begin(int(line))), flush=True)


if __name__ == "__main__":
    main()
