"""Keyfob's module for Python with the libraries that it is for; each case ends with an error where something is not as it says.

usage: library.py CASE [WORD]…   ISSUER is the provider's, and alice is signed in there"""

import base64
import http.server
import io
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

if "MODULES" in os.environ:
    sys.path.insert(0, os.environ["MODULES"])
import keyfob  # noqa: E402

case, words = sys.argv[1], sys.argv[2:]


def owner(token, issuer):
    request = urllib.request.Request(issuer.removesuffix("/o") + "/api/me", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["user"]


def refused(code, status, **options):
    try:
        keyfob.token(**options)
    except keyfob.Error as error:
        assert (error.code, error.status) == (code, status), (options, error.code, error.status, str(error))
        return error
    raise AssertionError(f"{options} is not refused")


class Service(http.server.BaseHTTPRequestHandler):
    """Takes a token once `accepted` says so; keeps what it was asked."""

    accepted, seen, challenge = staticmethod(lambda token: True), [], "Bearer"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        Service.seen.append((self.path, token, body))
        status = 302 if self.path == "/moved" else 200 if Service.accepted(token) else 401
        self.send_response(status)
        if status == 302:
            self.send_header("Location", f"http://localhost:{self.server.server_port}/elsewhere")
        if status == 401:
            self.send_header("WWW-Authenticate", Service.challenge)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST

    def log_message(self, *_):
        pass

    @staticmethod
    def start():
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"127.0.0.1:{server.server_port}"


def hostile():
    """Of a vault with the accounts ada and bob."""
    error = refused("ambiguous", 11)
    assert "ada@git.example" in str(error) and "--account" in error.hint, error
    assert keyfob.token(account="ada") == "ADA" and keyfob.token("repo", account="bob") == "BOB"
    assert "keyfob account list" in refused("noSuchAccount", 13, account="eve").hint
    refused("limitExceeded", 65, account="x" * 70_000)
    refused("limitExceeded", 65, scopes=["x" * (10 << 20)])
    refused("limitExceeded", 65, scopes=["x"] * 1_001)
    refused("hostNotAllowed", 77, account="ada", url="https://other.example/")
    refused("hostNotAllowed", 77, account="ada", url="http://git.example/")
    for options in [{"account": b"\xff"}, {"account": "a\0b"}, {"account": ""}, {"account": "a\nb"}, {"odd": 1},
                    {"vault": "/"}, {"min_validity": -1}, {"min_validity": "x"}, {"min_validity": 1 << 80},
                    {"claims": "x"}, {"offline": "yes"}, {"offline": True, "force_refresh": True},
                    {"scopes": ["a"], "resource": "b"}, {"url": "https://user:word@git.example/"}, {"url": "::"},
                    {"account": "ada", "allow_host": "git.example"}]:
        refused("usage", 64, **options)
    assert [account["username"] for account in keyfob.accounts()] == ["ada", "bob"]
    missing = keyfob.Keyring(vault="/nowhere/at/all")
    try:
        missing.token()
        raise AssertionError("there is a vault at /nowhere")
    except keyfob.Error as error:
        assert error.code == "noVault" and "keyfob init" in error.hint, error
        # What a program sends to another process.
        assert pickle.loads(pickle.dumps(error)).code == "noVault"
    assert "ADA" not in repr(keyfob.Keyring().token(account="ada"))


def locked():
    error = refused("locked", 12, account="ada")
    assert "it opens with a key file" in error.hint, error
    assert keyfob.Keyring(key_file=words[0]).token(account="ada").token == "ADA"


def asked(what):
    """While an agent has the vault open and this process has no key."""
    ring = keyfob.Keyring()
    if what == "refused":
        assert not ring.accounts()
        error = refused("notPermitted", 77, account="ada")
        assert "keyfob program allow" in error.hint, error
        return
    assert [account["username"] for account in ring.accounts()] == ["ada"], ring.accounts()
    token = ring.token(account="ada")
    assert token.token == "ADA" and token.username == "ada" and token.source == "stored", token
    refused("notPermitted", 77, account="bob")
    assert not ring.warnings()


def threads(issuer):
    """Eight threads with a keyring each, and one that all share, beside the command: one refresh for all of them."""
    shared, found = keyfob.Keyring(), []

    def ask(keyring):
        found.append(keyring.token(account="alice").token)

    first = shared.token(account="alice").token
    shared.refuse(first, account="alice")
    workers = [threading.Thread(target=ask, args=(keyfob.Keyring() if number % 2 else shared,)) for number in range(16)]
    commands = [subprocess.Popen(["keyfob", "token", "--account", "alice"], stdout=subprocess.PIPE, text=True) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    found += [command.communicate()[0].strip() for command in commands]
    assert len(found) == 20 and set(found) != {first} and len(set(found)) == 1, found
    assert owner(found[0], issuer) == "alice"


def child(_):
    new = keyfob.token(account="alice", force_refresh=True)
    return new == keyfob.token(account="alice")


def forks(issuer):
    """In the children of a fork, after the parent has used the library and the network."""
    before = keyfob.token(account="alice", force_refresh=True)
    with multiprocessing.get_context("fork").Pool(4) as pool:
        assert pool.map_async(child, range(8)).get(60) and keyfob.token(account="alice") != before
    assert owner(keyfob.token(account="alice"), issuer) == "alice"


def requests_auth(issuer):
    import requests

    base, host = issuer.removesuffix("/o"), Service.start()
    assert requests.get(base + "/api/me", auth=keyfob.Auth(account="alice")).json()["user"] == "alice"
    auth = keyfob.Auth(account="alice", allow_host=host)
    # Refused once: another token, the same body, and both answers in the history.
    first = keyfob.token(account="alice")
    Service.accepted = staticmethod(lambda token: token != first)
    for body in (b"text", io.BytesIO(b"text")):
        first, Service.seen = keyfob.token(account="alice"), []
        answer = requests.post(f"http://{host}/path", data=body, auth=auth)
        assert answer.status_code == 200 and [past.status_code for past in answer.history] == [401], answer
        assert [body for _, _, body in Service.seen] == [b"text"] * 2 and Service.seen[0][1] == first != Service.seen[1][1]
    # Refused for ever: one more try, no more.
    Service.accepted, Service.seen = staticmethod(lambda token: False), []
    assert requests.get(f"http://{host}/", auth=auth).status_code == 401 and len(Service.seen) == 2
    # A redirection to another host has no token.
    Service.accepted, Service.seen = staticmethod(lambda token: True), []
    with requests.Session() as session:
        session.auth = auth
        assert session.get(f"http://{host}/moved").status_code == 200
    assert [bool(token) for _, token, _ in Service.seen] == [True, False], Service.seen
    # Where the token does not go, nothing is sent.
    Service.seen = []
    try:
        requests.get(f"http://{host}/", auth=keyfob.Auth(account="alice"))
        raise AssertionError("a token went to another host")
    except keyfob.Error as error:
        assert error.code == "hostNotAllowed" and not Service.seen, error
    # A challenge's claims are asked for, whether or not they make sense.
    for claims in [b'{"access_token":{"nbf":{"essential":true}}}', b"[]", b"\xff"]:
        Service.accepted = staticmethod(lambda token: token != first)
        first = keyfob.token(account="alice")
        Service.challenge = f'Bearer error="insufficient_claims", claims="{base64.b64encode(claims).decode()}"'
        assert requests.get(f"http://{host}/", auth=auth).status_code == 200


def azure(issuer):
    import azure.core.credentials as credentials
    import azure.core.exceptions
    from azure.core.pipeline import Pipeline
    from azure.core.pipeline.policies import BearerTokenCredentialPolicy
    from azure.core.pipeline.transport import RequestsTransport
    from azure.core.rest import HttpRequest

    credential = keyfob.Credential(account="alice")
    assert isinstance(credential, credentials.TokenCredential) and isinstance(credential, credentials.SupportsTokenInfo)
    token, info = credential.get_token("openid"), credential.get_token_info("openid")
    assert isinstance(token, credentials.AccessToken) and isinstance(info, credentials.AccessTokenInfo)
    assert token.token == info.token and token.expires_on == info.expires_on > time.time() and info.token_type == "Bearer"
    request = HttpRequest("GET", issuer.removesuffix("/o") + "/api/me")
    # The policy takes https alone unless it is told otherwise.
    with Pipeline(RequestsTransport(), [BearerTokenCredentialPolicy(credential, "openid", enforce_https=False)]) as pipeline:
        answer = pipeline.run(request, enforce_https=False).http_response
        assert json.loads(answer.body())["user"] == "alice"
    try:
        keyfob.Credential(account="nobody").get_token("openid")
        raise AssertionError("there is a nobody")
    except azure.core.exceptions.ClientAuthenticationError as error:
        assert error.code == "noSuchAccount" and "keyfob account list" in error.message + str(error.hint), error
    with credential:
        assert credential.get_token("openid", claims='{"a":1}').token != token.token


def without():
    """Without azure-core, msal and requests nothing is missed."""
    assert not {"azure", "azure.core", "msal", "requests"} & set(sys.modules)
    token = keyfob.Credential(account="ada").get_token("repo")
    assert token == ("ADA", token.expires_on) and keyfob.Credential(account="ada").get_token_info("repo").token == "ADA"
    assert type(token).__module__ == "keyfob._azure"


def msal(issuer, certificates):
    """MSAL signs bob in, and Keyfob has him; what each renews the other has; MSAL's sign-out removes him."""
    import msal as library

    os.environ["REQUESTS_CA_BUNDLE"] = certificates
    cache = keyfob.token_cache()
    client = library.PublicClientApplication(
        "keyfob-public", oidc_authority=issuer, token_cache=cache, instance_discovery=False)
    flow = client.initiate_auth_code_flow(["email"], redirect_uri="http://localhost:1/")
    visit = subprocess.run([sys.executable, words[2], flow["auth_uri"], "bob", "--stay", "--ca", certificates],
                           stdout=subprocess.PIPE, text=True, check=True)
    address = urllib.parse.urlsplit(visit.stdout.strip())
    answer = client.acquire_token_by_auth_code_flow(flow, dict(urllib.parse.parse_qsl(address.query)))
    assert keyfob.token(account="bob") == answer["access_token"], answer
    account, = client.get_accounts(username="bob")
    assert client.acquire_token_silent(["email"], account=account)["token_source"] == "cache"
    # Renewed by Keyfob: MSAL has the new one, and renews with the refresh token that came with it.
    new = keyfob.token(account="bob", force_refresh=True)
    assert client.acquire_token_silent(["email"], account=account)["access_token"] == new != answer["access_token"]
    renewed = client.acquire_token_silent_with_error(["email"], account=account, force_refresh=True)
    assert renewed["token_source"] == "identity_provider", renewed
    # And back, by another program with a cache of its own.
    again = library.PublicClientApplication(
        "keyfob-public", oidc_authority=issuer, token_cache=keyfob.token_cache(), instance_discovery=False)
    assert again.acquire_token_silent(["email"], account=account)["access_token"] == renewed["access_token"]
    assert keyfob.token(account="bob") == renewed["access_token"] and keyfob.token(account="bob", force_refresh=True)
    client.remove_account(account)
    assert not again.get_accounts() and not keyfob.accounts() and refused("noSuchAccount", 13, account="bob")


{"hostile": hostile, "locked": locked, "threads": threads, "forks": forks, "requests": requests_auth, "azure": azure,
 "without": without, "msal": msal, "asked": asked}[case](*([] if case == "locked" else words[:2]))
