"""A provider that wants of a sign-in what specifications of the last years let it want; jwcrypto judges the signatures.

A client shows its secret where the provider wants it, whatever its document says · https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1
An authorization request lacks a field of the provider's own · https://auth0.com/docs/api/authentication/authorization-code-flow/authorize
offline_access is ignored unless consent is asked for · https://openid.net/specs/openid-connect-core-1_0.html#OfflineAccess
An authorization request is pushed first, by a client that shows its secret, and named once · https://www.rfc-editor.org/rfc/rfc9126#section-2
A token is bound to the key of the proof that came with the request for it · https://www.rfc-editor.org/rfc/rfc9449#section-5
A request without a proof is refused, and so is a proof of another request, another time, or that was there before · https://www.rfc-editor.org/rfc/rfc9449#section-4.3
A proof names the nonce that the server gave last · https://www.rfc-editor.org/rfc/rfc9449#section-8
A resource takes a bound token by the scheme DPoP alone, with a proof of the same key and of the token · https://www.rfc-editor.org/rfc/rfc9449#section-7.1
A resource wants another way of signing in, and says which · https://www.rfc-editor.org/rfc/rfc9470#section-3
A refresh token is of use with its key alone · https://www.rfc-editor.org/rfc/rfc9449#section-5

Options besides those of openid.py: `methods` are the ways in which client-1 may show its secret, and `says_methods` those in the document (None:
it does not say); `wants` {FIELD: VALUE} of an authorization request; `push` and `proof` are "no", "offered" or "required"; `nonces` is whether a
proof needs one; `context` is the value of acr_values that the resource wants of a sign-in; `wrong` {NAME: VALUE} is put into the document. It is at strict.example, and the resource /api at api.strict.example, which
tells whose a token is."""

import base64
import hashlib
import json
import secrets
import threading
import time
import urllib.parse

from jwcrypto import jwk, jws

from .openid import OpenID
from .serving import Answer, Refusal

AUTH, API = "strict.example", "api.strict.example"
SECRET = "p:ä+ %/&="
#: For how many seconds a proof is good.
PROOF_LIFE = 60


class Strict(OpenID):
    HOSTS = (AUTH, API)
    OPTIONS = OpenID.OPTIONS | {"methods": ["client_secret_basic"], "says_methods": None, "wants": {}, "push": "no", "proof": "no", "nonces": False, "context": None,
                                   "wrong": {}}
    SUPPORTED = {"authorization_response_iss_parameter_supported": True}

    def __init__(self, **options):
        super().__init__(**options)
        self.pushed, self.seen, self.nonce, self.asked = {}, set(), secrets.token_urlsafe(8), threading.local()

    def document(self):
        more = {}
        if self.option("says_methods") is not None:
            more["token_endpoint_auth_methods_supported"] = self.option("says_methods")
        if self.option("push") != "no":
            more |= {"pushed_authorization_request_endpoint": self.issuer() + "/push",
                     "require_pushed_authorization_requests": self.option("push") == "required"}
        if self.option("proof") != "no":
            more["dpop_signing_alg_values_supported"] = ["ES256"]
        return super().document() | more | self.option("wrong")

    def answer(self, request):
        if request.host == API:
            return self.resource(request)
        if request.path == "/push":
            return self.push(request)
        return super().answer(request)

    # The client.

    def check_secret(self, request):
        """Refuses a client that does not show its secret, or shows it where it may not."""
        self.check_fields(request)
        scheme = request.headers.get("Authorization", "").partition(" ")[0].lower()
        method = "client_secret_basic" if scheme == "basic" else "client_secret_post" if "client_secret" in request.form else "none"
        request.notes["scheme"] = method
        if method not in self.option("methods") or method != "none" and request.form.get("client_secret") != SECRET:
            self.refuse("invalid_client", "Client authentication failed.", 401)

    # The authorization request.

    def push(self, request):
        self.check_secret(request)
        if self.option("push") == "no" or "client_id" not in request.form:
            self.refuse("invalid_request")
        name = "urn:ietf:params:oauth:request_uri:" + secrets.token_urlsafe(12)
        self.pushed[name] = {field: value for field, value in request.form.items() if field != "client_secret"}
        return Answer(201, {"request_uri": name, "expires_in": 60})

    def authorize(self, request):
        if "request_uri" in request.query:
            fields = self.pushed.pop(request.query["request_uri"], None)
            if fields is None or fields["client_id"] != request.query.get("client_id"):
                raise Refusal(400, "<h1>Error</h1>The request is unknown.")
            request.query = fields
            request.notes["hook"] = "pushed"
        elif self.option("push") == "required":
            raise Refusal(400, "<h1>Error</h1>Requests have to be pushed.")
        return super().authorize(request)

    def wrong_request(self, query):
        for name, value in self.option("wants").items():
            if query.get(name) != value:
                return "invalid_request", f"{name} is missing"
        return super().wrong_request(query)

    def first_refresh(self, grant):
        return super().first_refresh(grant) if grant.query.get("prompt") == "consent" else None

    # Tokens, and the keys that they are bound to.

    def token(self, request):
        self.check_secret(request)
        thumbprint = self.prove(request, {"error": "invalid_dpop_proof"})
        kind = request.form.get("grant_type")
        if kind == "refresh_token":
            found = self.refresh_tokens.get(request.form.get("refresh_token"))
            if found and getattr(found.grant, "key", None) != thumbprint:
                self.refuse("invalid_grant", "The refresh token is bound to another key.")
        self.asked.key = thumbprint
        return super().token(request)

    def issue(self, grant, refresh=None, scopes=None, **more):
        grant.key = self.asked.key
        return super().issue(grant, refresh, scopes, **more) | ({"token_type": "DPoP"} if grant.key else {})

    def prove(self, request, refusal, status=400, token=None):
        """The thumbprint of the key of a request's proof (RFC 9449, section 4.3); None where none came, and none need come."""

        def refuse(reason, error=None):
            document = refusal | {"error_description": reason} | ({"error": error} if error else {})
            headers = {"DPoP-Nonce": self.nonce} if error == "use_dpop_nonce" else {}
            if status == 401:
                headers["WWW-Authenticate"] = f'DPoP error="{document["error"]}", algs="ES256"'
            raise Refusal(status, document, headers)

        proofs = request.headers.get_all("DPoP") or []
        if token is None and (self.option("proof") == "no" or not proofs and self.option("proof") != "required"):
            return None
        if len(proofs) != 1:
            refuse("there is not one proof")
        try:
            signed = jws.JWS()
            signed.deserialize(proofs[0])
            head = json.loads(signed.objects["protected"])
            key = jwk.JWK(**head["jwk"])
            if head.get("typ") != "dpop+jwt" or head.get("alg") != "ES256" or key.has_private:
                refuse("the head is not that of a proof")
            signed.allowed_algs = ["ES256"]
            signed.verify(key)
            said = json.loads(signed.payload)
        except (ValueError, KeyError, jws.InvalidJWSSignature, jws.InvalidJWSObject) as error:
            refuse(f"the proof cannot be read: {error}")
        if said.get("htm") != request.method or said.get("htu") != f"https://{request.host}{request.path}":
            refuse("the proof is of another request")
        if abs(time.time() - said.get("iat", 0)) > PROOF_LIFE or len(said.get("jti", "")) < 16 or said["jti"] in self.seen:
            refuse("the proof is of another time, or was here before")
        if token is not None:
            digest = base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()).rstrip(b"=").decode()
            if said.get("ath") != digest:
                refuse("the proof is of another token", "invalid_token")
        if self.option("nonces") and said.get("nonce") != self.nonce:
            refuse("another nonce is wanted", "use_dpop_nonce")
        self.seen.add(said["jti"])
        return key.thumbprint()

    # What a token opens.

    def good_access(self, request):
        """The access token of a request, of which a bound one needs a proof."""
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        request.notes["scheme"] = scheme
        found = self.access_tokens.get(token)
        bound = getattr(found.grant, "key", None) if found else None
        if found is None or not found.is_good() or scheme != ("DPoP" if bound else "Bearer"):
            raise Refusal(401, {"error": "invalid_token"}, {"WWW-Authenticate": 'DPoP error="invalid_token", algs="ES256"'})
        if bound and self.prove(request, {"error": "invalid_dpop_proof"}, 401, token) != bound:
            raise Refusal(401, {"error": "invalid_token"}, {"WWW-Authenticate": 'DPoP error="invalid_token", algs="ES256"'})
        return found

    def resource(self, request):
        access = self.good_access(request)
        wanted = self.option("context")
        if wanted and access.grant.query.get("acr_values") != wanted:
            scheme = "DPoP" if getattr(access.grant, "key", None) else "Bearer"
            raise Refusal(401, {"error": "insufficient_user_authentication"}, {
                "WWW-Authenticate": f'{scheme} error="insufficient_user_authentication", acr_values="{wanted}", max_age="600"'})
        return Answer(200, {"user": access.grant.person, "sent": urllib.parse.unquote_plus(request.body.decode(errors="replace"))})
