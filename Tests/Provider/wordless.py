"""An OpenID provider that refuses without a word: the second kind that tests sign in at. Python alone is enough.

usage: wordless.py FOLDER [--port N] [--redirect URL]… [--delay MS] [--access-lifetime S] [--guest]

    python3 Tests/Provider/wordless.py /tmp/wordless &        # prints the issuer in one line when it is ready
    keyfob provider add --issuer ISSUER --name local
    keyfob client add keyfob-public --provider local --redirect-uri "$(head -n 1 /tmp/wordless/redirects)"
    BROWSER='python3 Tests/Provider/visit.py %s alice' keyfob login local

Port 0, the default, means a free one. With --guest it ends, and takes FOLDER along, when standard input is closed.
What sets it apart from provider.py:
  - Whatever it refuses, it refuses with 400 and an empty body: a dead refresh token, an unregistered redirect address,
    an authorization request without a nonce. A bearer token that it does not accept gets 401 and an empty body.
  - A redirect address is taken as it was registered, port and path included: the --redirect ones, else one at a port
    that is free now. FOLDER/redirects has them, one a line.
  - Each refresh gives a new refresh token. An old one that comes again ends the grant with all its tokens.
  - Revocation takes no client, only "Authorization: Bearer" with a living access token of the same grant; discovery
    says so by "revocation_endpoint_auth_methods_supported": ["bearer"].
  - With --delay each request to the token endpoint is done half of it later, and answered another half later.

FOLDER is made anew. Its requests.jsonl and control.json are those of provider.py; of the latter status, empty_400,
delay_ms, drop, times, paths and grant_types are followed. GET /counts tells as JSON how many requests there were
("requests", by "METHOD PATH"), and how many refreshes were "rotated", "refused", and "reused" an old token.
Users are alice, bob, carol, with the password NAME-password; the client is keyfob-public. GET /api/me tells who a
bearer token is for."""

import argparse
import base64
import hashlib
import hmac
import http.server
import json
import os
import pathlib
import random
import re
import secrets
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

import guest

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--redirect", action="append", default=[])
parser.add_argument("--delay", type=int, default=0)
parser.add_argument("--access-lifetime", type=int, default=3600)
parser.add_argument("--guest", action="store_true")
options = parser.parse_args()

PREFIX = "/o"
TOKEN_PATH = PREFIX + "/token/"
CLIENT = "keyfob-public"
USERS = {"alice": "1", "bob": "2", "carol": "3"}


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def digest(token):
    return hashlib.sha256(token.encode()).hexdigest()[:16]


class SigningKey:
    """An RSA key by openssl, and the signatures of RFC 7518, section 3.3, by arithmetic."""

    PREFIX = bytes.fromhex("3031300d060960864801650304020105000420")

    def __init__(self):
        def openssl(*words, given=b""):
            return subprocess.run(["openssl", *words], input=given, check=True, capture_output=True).stdout

        text = openssl("rsa", "-noout", "-text", given=openssl("genrsa", "2048")).decode()
        numbers = re.findall(r"^(\w+):\s*\n((?:\s+[0-9a-f:]+\n)+)", text, re.MULTILINE)
        values = {name: int(re.sub(r"[\s:]", "", digits), 16) for name, digits in numbers}
        self.modulus, self.exponent = values["modulus"], values["privateExponent"]

    def document(self):
        number = base64url(self.modulus.to_bytes(256, "big"))
        return {"keys": [{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "1", "n": number, "e": "AQAB"}]}

    def signed(self, claims):
        parts = [{"alg": "RS256", "kid": "1", "typ": "JWT"}, claims]
        text = ".".join(base64url(json.dumps(part).encode()) for part in parts)
        end = b"\0" + self.PREFIX + hashlib.sha256(text.encode()).digest()
        block = b"\0\1" + b"\xff" * (254 - len(end)) + end
        number = pow(int.from_bytes(block, "big"), self.exponent, self.modulus)
        return text + "." + base64url(number.to_bytes(256, "big"))


class Grant:
    """What somebody allowed once, and the tokens that are of it."""

    def __init__(self, user, scope):
        self.user, self.scope = user, scope
        self.is_alive = True
        self.refresh_token = None

    def issue(self, state):
        access = secrets.token_urlsafe(24)
        state.access_tokens[access] = (self, time.time() + options.access_lifetime)
        answer = {"access_token": access, "token_type": "Bearer", "expires_in": options.access_lifetime,
                  "scope": self.scope}
        if "offline_access" in self.scope.split():
            self.refresh_token = answer["refresh_token"] = secrets.token_urlsafe(24)
            state.refresh_tokens[self.refresh_token] = self
        return answer


class Refused(Exception):
    """The answer is this status without a body."""

    def __init__(self, status=400):
        self.status = status


class State:
    """What the provider knows, and each request as one step."""

    def __init__(self):
        self.lock = threading.Lock()
        self.codes, self.access_tokens, self.refresh_tokens = {}, {}, {}
        self.counts = {"requests": {}, "rotated": 0, "refused": 0, "reused": 0}
        self.log = os.open(folder / "requests.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self.control_version, self.followed = None, 0

    def note(self, entry):
        with self.lock:
            name = f"{entry['method']} {entry['path']}"
            self.counts["requests"][name] = self.counts["requests"].get(name, 0) + 1
            os.write(self.log, json.dumps({"time": time.time_ns() // 1_000_000} | entry).encode() + b"\n")

    def control(self, path, grant_type):
        """What the control file says about a request."""
        with self.lock:
            try:
                with open(folder / "control.json") as file:
                    status, content = os.fstat(file.fileno()), json.load(file)
            except FileNotFoundError:
                return {}
            if (version := (status.st_ino, status.st_mtime_ns)) != self.control_version:
                self.control_version, self.followed = version, 0
            if path not in content.get("paths", [TOKEN_PATH]):
                return {}
            if "grant_types" in content and grant_type not in content["grant_types"]:
                return {}
            if "times" in content and self.followed >= content["times"]:
                return {}
            self.followed += 1
            return content

    # The protocol.

    def check_authorization(self, query):
        needed = {"response_type": "code", "client_id": CLIENT, "code_challenge_method": "S256"}
        if any(query.get(name) != value for name, value in needed.items()):
            raise Refused
        if query.get("redirect_uri") not in redirects or not query.get("nonce") or not query.get("code_challenge"):
            raise Refused

    def authorize(self, query, form):
        """Where the person is sent after the form was filled in."""
        self.check_authorization(query)
        user = form.get("username")
        answer = {"iss": ISSUER} | ({"state": query["state"]} if "state" in query else {})
        if form.get("allow") == "Cancel":
            answer["error"] = "access_denied"
        elif user not in USERS or not hmac.compare_digest(form.get("password", ""), f"{user}-password"):
            raise Refused
        else:
            answer["code"] = secrets.token_urlsafe(24)
            with self.lock:
                self.codes[answer["code"]] = (query, user)
        return query["redirect_uri"] + "?" + urllib.parse.urlencode(answer)

    def token(self, form):
        with self.lock:
            if form.get("grant_type") == "authorization_code":
                return self.redeem(form)
            if form.get("grant_type") == "refresh_token":
                try:
                    answer = self.refresh(form)
                except Refused:
                    self.counts["refused"] += 1
                    raise
                self.counts["rotated"] += 1
                return answer
        raise Refused

    def redeem(self, form):
        query, user = self.codes.pop(form.get("code"), (None, None))
        if query is None or form.get("client_id") != CLIENT or form.get("redirect_uri") != query["redirect_uri"]:
            raise Refused
        verifier = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if base64url(verifier) != query["code_challenge"]:
            raise Refused
        answer = Grant(user, query.get("scope", "openid")).issue(self)
        now = int(time.time())
        claims = {"iss": ISSUER, "aud": CLIENT, "sub": USERS[user], "iat": now, "exp": now + options.access_lifetime,
                  "nonce": query["nonce"], "preferred_username": user, "name": f"{user.capitalize()} Sample"}
        return answer | {"id_token": key.signed(claims)}

    def refresh(self, form):
        grant = self.refresh_tokens.get(form.get("refresh_token"))
        if grant is None or not grant.is_alive or form.get("client_id") != CLIENT:
            raise Refused
        if grant.refresh_token != form["refresh_token"]:
            grant.is_alive = False
            self.counts["reused"] += 1
            raise Refused
        return grant.issue(self)

    def bearer(self, authorization):
        """The grant of an access token."""
        scheme, _, token = authorization.partition(" ")
        grant, expiry = self.access_tokens.get(token, (None, 0))
        if scheme.lower() != "bearer" or grant is None or not grant.is_alive or expiry <= time.time():
            raise Refused(401)
        return grant

    def revoke(self, form, authorization):
        with self.lock:
            caller = self.bearer(authorization)
            token = form.get("token")
            grant = self.refresh_tokens.get(token) or self.access_tokens.get(token, (None, 0))[0]
            if grant is not None and grant is not caller:
                raise Refused
            if grant is not None:
                grant.is_alive = False


METADATA = {
    "authorization_endpoint": "/authorize/", "token_endpoint": "/token/", "revocation_endpoint": "/revoke/",
    "userinfo_endpoint": "/userinfo/", "jwks_uri": "/keys",
}
ABILITIES = {
    "response_types_supported": ["code"], "grant_types_supported": ["authorization_code", "refresh_token"],
    "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
    "scopes_supported": ["openid", "profile", "offline_access", "mail", "files"],
    "token_endpoint_auth_methods_supported": ["none"], "revocation_endpoint_auth_methods_supported": ["bearer"],
    "code_challenge_methods_supported": ["S256"], "authorization_response_iss_parameter_supported": True,
}
PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Sign in</title></head><body><h1>Sign in</h1>
<form method="post"><input name="username"><input name="password" type="password">
<button type="submit" name="allow" value="Allow">Allow</button>
<button type="submit" name="allow" value="Cancel">Cancel</button></form></body></html>"""


class Exchange(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60
    # Head and body of an answer go out at once, not each when the other side has seen the one before.
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.serve("")

    def do_POST(self):
        self.serve(self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode(errors="replace"))

    def serve(self, body):
        path, _, query = self.path.partition("?")
        query, form = (dict(urllib.parse.parse_qsl(text)) for text in (query, body))
        scheme, _, credentials = self.headers.get("Authorization", "").partition(" ")
        if scheme == "Basic":
            # A client without a secret may say so here as well (RFC 6749, section 2.3.1).
            form.setdefault("client_id", base64.b64decode(credentials).decode(errors="replace").partition(":")[0])
        own = state.control(path, form.get("grant_type"))
        entry = {"method": self.command, "path": path}
        entry |= {name: form[name] for name in ["grant_type", "client_id"] if name in form}
        entry |= {name: digest(form[name]) for name in ["refresh_token", "token"] if name in form}
        half = options.delay / 2_000 if path == TOKEN_PATH else 0
        time.sleep(half)
        headers, answer = {}, b""
        if own.get("empty_400") or "status" in own:
            status = own.get("status", 400)
            entry["hook"] = "empty_400" if own.get("empty_400") else "status"
        else:
            entry |= {"hook": name for name in ["delay_ms", "drop"] if own.get(name)}
            try:
                status, headers, answer = self.answer(path, query, form)
            except Refused as refusal:
                status = refusal.status
        if isinstance(answer, dict):
            if path == TOKEN_PATH and "refresh_token" in answer:
                entry["issued"] = digest(answer["refresh_token"])
            headers, answer = {"Content-Type": "application/json"}, json.dumps(answer).encode()
        state.note(entry | {"status": status})
        time.sleep(half + own.get("delay_ms", 0) / 1000)
        if own.get("drop"):
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(answer)), "Cache-Control": "no-store"}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)

    def answer(self, path, query, form):
        authorization = self.headers.get("Authorization", "")
        if path == PREFIX + "/.well-known/openid-configuration":
            places = {name: ISSUER + place for name, place in METADATA.items()}
            return 200, {}, {"issuer": ISSUER} | places | ABILITIES
        if path == PREFIX + "/keys":
            return 200, {}, key.document()
        if path == "/counts":
            return 200, {}, state.counts
        if path == PREFIX + "/authorize/" and self.command == "GET":
            state.check_authorization(query)
            return 200, {"Content-Type": "text/html"}, PAGE.encode()
        if path == PREFIX + "/authorize/":
            return 302, {"Location": state.authorize(query, form)}, b""
        if path == TOKEN_PATH and self.command == "POST":
            return 200, {}, state.token(form)
        if path == PREFIX + "/revoke/" and self.command == "POST":
            state.revoke(form, authorization)
            return 200, {}, b""
        if path in ("/api/me", PREFIX + "/userinfo/"):
            grant = state.bearer(authorization)
            return 200, {}, {"user": grant.user, "sub": USERS[grant.user], "scope": grant.scope}
        raise Refused(404)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def server_bind(self):
        # Without asking what this host is called.
        http.server.socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address

    def handle_error(self, request, client_address):
        # Whoever leaves early is no error.
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def free_port():
    """A port that is free, among those that the system gives to nobody by itself."""
    while True:
        port = random.randrange(25_000, 30_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


if __name__ == "__main__":
    folder = options.folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    os.umask(0o077)
    redirects = options.redirect or [f"http://127.0.0.1:{free_port()}/callback"]
    (folder / "redirects").write_text("".join(address + "\n" for address in redirects))
    if options.guest:
        guest.leave_with_the_host(folder)
    server = Server(("127.0.0.1", options.port), Exchange)
    ISSUER = f"http://127.0.0.1:{server.server_port}{PREFIX}"
    key, state = SigningKey(), State()
    print(ISSUER, flush=True)
    try:
        server.serve_forever(poll_interval=60)
    except KeyboardInterrupt:
        pass
