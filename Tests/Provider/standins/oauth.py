"""What authorization servers share: codes with PKCE, device codes, grants and their tokens.

A provider says in what it differs: which scopes there are, what a token looks like, what a refresh replaces, how a refusal is worded."""

import base64
import hashlib
import html
import secrets
import time
import urllib.parse

from .serving import Answer, Refusal, StandIn
from .trust import SigningKey, base64url

DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
#: How long a code is good.
CODE_LIFE = 600
FORM = """<!DOCTYPE html><html lang="en"><head><title>Signed in</title></head><body><h1>Signed in</h1>
<form method="post" action="{action}">{fields}<button type="submit">Continue</button></form></body></html>"""


class Grant:
    """What a person allowed a client once."""

    def __init__(self, person, client, scopes, **more):
        self.person, self.client, self.scopes, self.is_alive = person, client, list(scopes), True
        self.__dict__.update(more)


class Token:
    """An access token, or a refresh token: whose it is, for what, until when (None: it does not end)."""

    def __init__(self, grant, scopes, expiry=None, **more):
        self.grant, self.scopes, self.expiry, self.is_revoked = grant, list(scopes), expiry, False
        self.__dict__.update(more)

    def is_good(self):
        return self.grant.is_alive and not self.is_revoked and (self.expiry is None or time.time() < self.expiry)


class AuthorizationServer(StandIn):
    """Options that all have: `people` are those who have accounts; `sitting` are those at the browser, who sign in one after the other, the
    last of them from then on (None: the first of `people`), unless a login_hint or the browser's cookie `person` names one; `granted` are the scopes that people allow at most (None: what is asked); `access_lifetime` in seconds
    (None: no end); `clients` are the ids that are registered (None: any); `device` is what becomes of a code that is shown: "approved" at once, "pending" or "denied"; `interval` in seconds; `user_code` is the one
    that is shown (None: another one each time)."""

    OPTIONS = {"people": ["ada"], "sitting": None, "granted": None, "access_lifetime": 3600, "device": "approved", "interval": 5, "clients": None,
               "user_code": None}
    PKCE_REQUIRED = True
    #: How long a device code is good.
    DEVICE_LIFE = 900

    def __init__(self, **options):
        super().__init__(**options)
        self.codes, self.device_codes, self.access_tokens, self.refresh_tokens = {}, {}, {}, {}
        self.key, self.signed_in = SigningKey(), 0

    # Who is there.

    def person(self, request, hint=None):
        for name in (request.headers.get("X-Person"), hint):
            if name in self.option("people"):
                return name
        sitting = self.option("sitting") or list(self.option("people"))[:1]
        with self.lock:
            self.signed_in += 1
            return sitting[min(self.signed_in, len(sitting)) - 1]

    # Refusals.

    def refuse(self, error, description=None, status=400, **more):
        raise Refusal(status, {"error": error} | ({"error_description": description} if description else {}) | more)

    def check_client(self, client):
        """Refuses a client that is not registered, where `clients` says which are."""
        clients = self.option("clients")
        if not client or clients is not None and client not in clients:
            self.refuse("invalid_client", "Client authentication failed due to unknown client.", 401)

    # The authorization endpoint.

    def takes_redirect(self, uri):
        """Whether an address is registered: those of this machine are, and schemes of apps."""
        url = urllib.parse.urlsplit(uri or "")
        return url.hostname in ("127.0.0.1", "localhost", "::1") and url.scheme == "http" or "." in url.scheme

    def wrong_request(self, query):
        """The error of an authorization request that goes back to the client, with a description; None where it is right."""
        if query.get("response_type") != "code":
            return "unsupported_response_type", "The response type is not supported."
        if self.PKCE_REQUIRED and (query.get("code_challenge_method") != "S256" or not query.get("code_challenge")):
            return "invalid_request", "PKCE code challenge is required."
        return None

    def authorize(self, request):
        """Signs in whoever sits at the browser, and leads back with a code."""
        query = request.query
        self.check_client(query.get("client_id"))
        if not self.takes_redirect(query.get("redirect_uri")):
            raise Refusal(400, "<h1>Error</h1>The redirect address is not registered for this client.")
        wrong = self.wrong_request(query)
        if wrong:
            return self.lead_back(query, error=wrong[0], error_description=wrong[1])
        person = self.person(request, query.get("login_hint"))
        code = secrets.token_urlsafe(24)
        with self.lock:
            self.codes[code] = {"query": query, "person": person, "begin": time.time(), "place": self.place_of(request), "grant": None}
        request.notes["person"] = person
        return self.lead_back(query, code=code)

    def place_of(self, request):
        """Where a code is good, for a provider with several places."""
        return None

    def lead_back(self, query, **answer):
        if "state" in query:
            answer["state"] = query["state"]
        if query.get("response_mode") == "form_post":
            fields = "".join(f'<input type="hidden" name="{name}" value="{html.escape(value)}">' for name, value in answer.items())
            return Answer(200, FORM.format(action=html.escape(query["redirect_uri"]), fields=fields))
        separator = "&" if "?" in query["redirect_uri"] else "?"
        return Answer(302, headers={"Location": query["redirect_uri"] + separator + urllib.parse.urlencode(answer)})

    def redeem(self, request):
        """What a code stands for. It is good once; used twice, all that came of it ends."""
        form = request.form
        with self.lock:
            found = self.codes.get(form.get("code"))
            if found and found["grant"] is not None:
                found["grant"].is_alive = False
            if found is None or found["grant"] is not None or time.time() > found["begin"] + CODE_LIFE:
                self.refuse_code("the code is unknown, expired, or was used before")
            query = found["query"]
            verifier = base64url(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
            if form.get("client_id") != query["client_id"] or form.get("redirect_uri") != query["redirect_uri"]:
                self.refuse_code("the code was given to another client or address")
            if "code_challenge" in query and verifier != query["code_challenge"]:
                self.refuse_code("the verifier is not that of the challenge")
            scopes = self.allowed(query.get("scope", "").split())
            found["grant"] = Grant(found["person"], query["client_id"], scopes, query=query, place=found["place"])
            return found["grant"]

    def refuse_code(self, reason):
        self.refuse("invalid_grant", "The authorization code is invalid: " + reason + ".")

    def allowed(self, scopes):
        """What of the scopes a person allows."""
        granted = self.option("granted")
        return scopes if granted is None else [scope for scope in scopes if scope in granted]

    # Devices.

    def device_codes_for(self, request, address, **more):
        """Makes a pair of codes; the person is told to open `address`."""
        form = request.form
        self.check_client(form.get("client_id"))
        device, letters = secrets.token_hex(20), "BCDFGHJKLMNPQRSTVWXZ"
        user = "".join(secrets.choice(letters) for _ in range(8))
        user = self.option("user_code") or user[:4] + "-" + user[4:]
        with self.lock:
            self.device_codes[device] = {"form": form, "person": None, "begin": time.time(), "interval": self.option("interval"), "last": None,
                                         "place": self.place_of(request)}
        return Answer(200, {"device_code": device, "user_code": user, "verification_uri": address, "expires_in": self.DEVICE_LIFE,
                            "interval": self.option("interval"), **more})

    def poll(self, request):
        """The grant that a device code has become; a refusal until then."""
        form, now = request.form, time.time()
        with self.lock:
            found = self.device_codes.get(form.get("device_code"))
            if found is None or found["form"].get("client_id") != form.get("client_id"):
                self.refuse_device("incorrect_device_code")
            if now > found["begin"] + self.DEVICE_LIFE:
                self.refuse_device("expired_token")
            if found["last"] is not None and now < found["last"] + found["interval"] - 0.1:
                found["last"], found["interval"] = now, found["interval"] + 5
                self.refuse_device("slow_down", interval=found["interval"])
            found["last"] = now
            if self.option("device") == "denied":
                del self.device_codes[form["device_code"]]
                self.refuse_device("access_denied")
            if self.option("device") == "pending":
                self.refuse_device("authorization_pending")
            del self.device_codes[form["device_code"]]
            person, asked = self.person(request), found["form"]
            return Grant(person, asked["client_id"], self.allowed(asked.get("scope", "").split()), query=asked, place=found["place"])

    def refuse_device(self, error, **more):
        self.refuse("invalid_grant" if error == "incorrect_device_code" else error, "The device code is not good (yet).")

    # Tokens.

    def check_fields(self, request):
        """No field comes twice (RFC 6749, section 3.2); a client may say who it is in a header instead (section 2.3.1)."""
        scheme, _, value = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "basic":
            name, _, secret = base64.b64decode(value).decode(errors="replace").partition(":")
            request.form.setdefault("client_id", urllib.parse.unquote_plus(name))
            request.form.setdefault("client_secret", urllib.parse.unquote_plus(secret))
        names = [name for name, _ in request.pairs]
        if len(names) != len(set(names)):
            self.refuse("invalid_request", "A parameter is there more than once.")

    def give_access(self, grant, scopes, token=None, lifetime=0, **more):
        """Stores an access token, a new one unless it is said, for `access_lifetime` unless that is."""
        token = token or secrets.token_urlsafe(24)
        lifetime = self.option("access_lifetime") if lifetime == 0 else lifetime
        with self.lock:
            self.access_tokens[token] = Token(grant, scopes, None if lifetime is None else time.time() + lifetime, **more)
        return token

    def give_refresh(self, grant, token=None, lifetime=None, **more):
        token = token or secrets.token_urlsafe(24)
        with self.lock:
            self.refresh_tokens[token] = Token(grant, grant.scopes, None if lifetime is None else time.time() + lifetime, **more)
        return token

    def access(self, request):
        """The access token that came as a bearer token or as a password; None for one that is not good, or without one."""
        _, token = request.credentials()
        found = self.access_tokens.get(token)
        if found is None or not found.is_good():
            return None
        request.notes["person"] = found.grant.person
        return found

    def id_token(self, grant, subject, **claims):
        now = int(time.time())
        nonce = {"nonce": grant.query["nonce"]} if grant.query.get("nonce") else {}
        return self.key.signed({"iss": self.origin, "aud": grant.client, "sub": subject, "iat": now, "exp": now + 3600, **nonce, **claims})
