#!/usr/bin/env python3
"""An OpenID provider on this machine that answers refreshes at once, and replaces the refresh token at each.

    endpoint.py

Its first line of output is its issuer. A line of input sets for how many seconds its access tokens are good; it is
answered with what was asked since the line before: {"requests": …, "reused": …}, the second being those with a
refresh token that had been replaced. Such a one is still taken, as at Microsoft, so that everybody gets a token; a
stricter provider would end the sign-in there. The end of the input ends it.
"""

import base64
import json
import os
import random
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

noise = random.Random(7)


def encoded(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


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


class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    # One write for headers and body.
    wbufsize = -1

    def issuer(self):
        # MSAL wants https; its requests come as if through a proxy that ends TLS.
        return f"{self.headers.get('X-Forwarded-Proto', 'http')}://127.0.0.1:{self.server.server_port}/tenant"

    def answer(self, content):
        body = json.dumps(content).encode()
        self.send_response_only(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def do_GET(self):
        issuer = self.issuer()
        self.answer({"issuer": issuer, "authorization_endpoint": issuer + "/authorize",
                     "token_endpoint": issuer + "/token", "jwks_uri": issuer + "/keys",
                     "response_types_supported": ["code"], "subject_types_supported": ["public"],
                     "id_token_signing_alg_values_supported": ["RS256"],
                     "scopes_supported": ["openid", "profile", "offline_access", "api.read"]})

    def do_POST(self):
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        number, generation = (int(part) for part in form["refresh_token"][0].split(".")[1:3])
        following = State.replace(number, generation)
        client = form.get("client_id", ["benchmark"])[0]
        self.answer(tokens(number, following, client, self.issuer(), State.lifetime))

    def log_message(self, *_):
        pass


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


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def main():
    server = Server(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/tenant", flush=True)
    for line in sys.stdin:
        print(json.dumps(State.begin(int(line))), flush=True)


if __name__ == "__main__":
    main()
