"""An OpenID provider that refuses without a word, and is strict in everything else. No provider documents this; some do it.

Whatever it refuses, it refuses with 400 and an empty body, where a word is wanted · https://www.rfc-editor.org/rfc/rfc6749#section-5.2
A bearer token that it does not accept gets 401 and an empty body · https://www.rfc-editor.org/rfc/rfc6750#section-3
A redirect address is taken as it was registered, port and path included · https://www.rfc-editor.org/rfc/rfc9700#section-2.1
An authorization request needs a nonce · https://openid.net/specs/openid-connect-core-1_0.html#NonceNotes
Each refresh gives a new refresh token; an old one that comes again ends the grant with all its tokens · https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2
Revocation takes no client, only a living access token of the same grant as its bearer · https://www.dropbox.com/developers/documentation/http/documentation#auth-token-revoke
A person signs in on a page, and may decline there · https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1

Options besides those of openid.py: `redirects` are the addresses that are registered, one at a free port where there is none;
`delay_ms`: a request to the token endpoint is done half of it later, and answered another half later. Users are alice, bob, carol, with
the password NAME-password; the client is keyfob-public. The issuer ends in /o. FOLDER/redirects has the addresses, one a line. GET
/counts tells as JSON how many refreshes were "rotated", "refused", and "reused" an old token."""

import hmac
import random
import secrets
import socket
import time

from .openid import OpenID
from .serving import Answer, Refusal

CLIENT = "keyfob-public"
PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Sign in</title></head><body><h1>Sign in</h1>
<form method="post"><input name="username"><input name="password" type="password">
<button type="submit" name="allow" value="Allow">Allow</button>
<button type="submit" name="allow" value="Cancel">Cancel</button></form></body></html>"""


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


class Wordless(OpenID):
    HOSTS = ("wordless.contoso.example",)
    OPTIONS = OpenID.OPTIONS | {
        "people": {"alice": 1, "bob": 2, "carol": 3}, "access_lifetime": 3600, "refresh_lifetime": None, "redirects": [], "delay_ms": 0}
    ENDPOINTS = {
        "authorization_endpoint": "/authorize/", "token_endpoint": "/token/", "userinfo_endpoint": "/userinfo/", "jwks_uri": "/keys",
        "revocation_endpoint": "/revoke/"}
    SUPPORTED = {"token_endpoint_auth_methods_supported": ["none"], "revocation_endpoint_auth_methods_supported": ["bearer"],
                 "grant_types_supported": ["authorization_code", "refresh_token"], "authorization_response_iss_parameter_supported": True}

    def prepare(self):
        self.counts = {"rotated": 0, "refused": 0, "reused": 0}
        self.redirects = self.option("redirects") or [f"http://127.0.0.1:{free_port()}/callback"]
        if self.folder:
            (self.folder / "redirects").write_text("".join(address + "\n" for address in self.redirects))

    def issuer(self):
        return self.origin + "/o"

    def refuse(self, error, description=None, status=400, **more):
        raise Refusal(401 if error == "invalid_token" else 400)

    def answer_of(self, request):
        half = self.option("delay_ms") / 2_000 if request.path == "/o/token/" else 0
        time.sleep(half)
        answer = super().answer_of(request)
        answer.delay = half
        return answer

    def check_client(self, client):
        if client != CLIENT:
            self.refuse("invalid_client")

    def authorize(self, request):
        query = request.query
        self.check_client(query.get("client_id"))
        if self.wrong_request(query) or query.get("redirect_uri") not in self.redirects or not query.get("nonce"):
            self.refuse("invalid_request")
        if request.method == "GET":
            return Answer(200, PAGE)
        user = request.form.get("username")
        if request.form.get("allow") == "Cancel":
            return self.lead_back(query, error="access_denied")
        if user not in self.option("people") or not hmac.compare_digest(request.form.get("password", ""), f"{user}-password"):
            self.refuse("access_denied")
        code = secrets.token_urlsafe(24)
        with self.lock:
            self.codes[code] = {"query": query, "person": user, "begin": time.time(), "place": None, "grant": None}
        return self.lead_back(query, code=code)

    def refreshed(self, request):
        with self.lock:
            found = self.refresh_tokens.get(request.form.get("refresh_token"))
            is_old = found is not None and found.is_revoked and found.grant.is_alive
            try:
                answer = super().refreshed(request)
            except Refusal:
                self.counts["refused"] += 1
                self.counts["reused"] += is_old
                raise
            self.counts["rotated"] += 1
            return answer

    def subject(self, person):
        return str(self.option("people")[person])

    def names(self, grant):
        return {"preferred_username": grant.person, "name": f"{grant.person.capitalize()} Sample"}

    def userinfo(self, request):
        access = self.good_access(request)
        return Answer(200, {"user": access.grant.person, "sub": self.subject(access.grant.person), "scope": " ".join(access.scopes)})

    def revoke(self, request):
        with self.lock:
            caller, token = self.good_access(request), request.form.get("token")
            found = self.refresh_tokens.get(token) or self.access_tokens.get(token)
            if found is not None:
                if found.grant is not caller.grant:
                    self.refuse("invalid_request")
                found.grant.is_alive = False
        return Answer(200)

    def elsewhere(self, request):
        if request.path == "/counts":
            return Answer(200, self.counts)
        if request.path == "/api/me":
            return self.userinfo(request)
        return Answer(404)
