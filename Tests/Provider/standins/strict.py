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
A code is of use with the key alone that the request for it named · https://www.rfc-editor.org/rfc/rfc9449#section-10
A provider may stop to bind tokens without a word · https://www.rfc-editor.org/rfc/rfc9449#section-5
A client shows its certificate, at addresses for that where there are such · https://www.rfc-editor.org/rfc/rfc8705#section-2
A token is bound to the certificate that was shown, and may say so · https://www.rfc-editor.org/rfc/rfc8705#section-3
A refresh token of a client that shows nothing else is bound to its certificate · https://www.rfc-editor.org/rfc/rfc8705#section-4
A client signs who it is by its own key, for this provider, for a minute and once · https://www.rfc-editor.org/rfc/rfc7523#section-3
An ID token may be signed with the client's secret · https://openid.net/specs/openid-connect-core-1_0.html#Signing

Options besides those of openid.py: `methods` are the ways in which client-1 may show its secret, and `says_methods` those in the document (None:
it does not say); `wants` {FIELD: VALUE} of an authorization request; `push` and `proof` are "no", "offered" or "required"; `nonces` is whether a
proof needs one; `context` is the value of acr_values that the resource wants of a sign-in; `drops` is whether a refresh binds no token any more;
`client_keys` are the JWK of a client that signs, `audiences` what it may name ("issuer", "token_endpoint"), `algorithms` by what it may sign, and
`clock` by how many seconds the provider's clock is ahead then and for proofs; `id_tokens` is how ID tokens are signed, `id_key` with which key ("secret", "public",
"other") where that is an HMAC; `mtls` is where a certificate is asked for ("no", "direct": here, "aliases": at mtls.strict.example alone) and at the resource then; `certificate` is
that of client-1 in PEM, and `authorities` those of whom certificates are good; `binds` is whether tokens are bound to it, `says_binds` whether the document has that,
and `tokens` what they are ("opaque", "jwt"); `wrong` {NAME: VALUE} is put into the document. It is at strict.example, and the resource /api at api.strict.example, which
tells whose a token is, as an MCP server does at /mcp."""

import base64
import email.utils
import hashlib
import hmac
import json
import secrets
import ssl
import threading
import time
import urllib.parse

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ed25519
from jwcrypto import jwk, jws

from .openid import OpenID
from .serving import Answer, Refusal
from .trust import server_context

AUTH, API, MUTUAL = "strict.example", "api.strict.example", "mtls.strict.example"
SECRET = "p:ä+ %/&="
#: For how many seconds a proof is good.
PROOF_LIFE = 60
#: For how many seconds at most the word of a client is good, and by how many the clocks may differ.
ASSERTION_LIFE, SKEW = 60, 5
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


class Strict(OpenID):
    HOSTS = (AUTH, API, MUTUAL)
    OPTIONS = OpenID.OPTIONS | {"methods": ["client_secret_basic"], "says_methods": None, "wants": {}, "push": "no", "proof": "no", "nonces": False,
                                   "context": None, "drops": False, "client_keys": [], "audiences": ["issuer"], "algorithms": ["ES256"], "clock": 0,
                                   "mtls": "no", "certificate": None, "authorities": [], "binds": True, "says_binds": True, "tokens": "opaque",
                                   "id_tokens": "RS256", "id_key": "secret", "wrong": {}}
    SUPPORTED = {"authorization_response_iss_parameter_supported": True}

    def __init__(self, **options):
        super().__init__(**options)
        self.pushed, self.seen, self.nonce, self.asked = {}, set(), secrets.token_urlsafe(8), threading.local()
        self.edwards = ed25519.Ed25519PrivateKey.generate()

    def document(self):
        more = {}
        if self.option("says_methods") is not None:
            more["token_endpoint_auth_methods_supported"] = self.option("says_methods")
        if self.option("push") != "no":
            more |= {"pushed_authorization_request_endpoint": self.issuer() + "/push",
                     "require_pushed_authorization_requests": self.option("push") == "required"}
        if self.option("proof") != "no":
            more["dpop_signing_alg_values_supported"] = ["ES256"]
        if self.option("client_keys"):
            more["token_endpoint_auth_signing_alg_values_supported"] = self.option("algorithms")
        if self.option("mtls") != "no":
            more["tls_client_certificate_bound_access_tokens"] = self.option("says_binds")
        if self.option("mtls") == "aliases":
            names = {**self.ENDPOINTS, "pushed_authorization_request_endpoint": "/push"}
            more["mtls_endpoint_aliases"] = {name: f"https://{MUTUAL}{path}" for name, path in names.items()}
        more["id_token_signing_alg_values_supported"] = [self.option("id_tokens")]
        return super().document() | more | self.option("wrong")

    def tls(self, host, usual):
        if host not in {"no": (), "direct": (AUTH, API), "aliases": (MUTUAL, API)}[self.option("mtls")]:
            return usual
        context = server_context(self.folder)
        context.load_verify_locations(cadata="".join(self.option("authorities")))
        context.verify_mode = ssl.CERT_OPTIONAL
        return context

    @staticmethod
    def thumbprint(certificate):
        return base64.urlsafe_b64encode(certificate.fingerprint(hashes.SHA256())).rstrip(b"=").decode()

    def shown(self, request):
        """The thumbprint of the certificate that came with a request; None without one."""
        return self.thumbprint(x509.load_der_x509_certificate(request.certificate)) if request.certificate else None

    def answer(self, request):
        request.notes["certified"] = bool(request.certificate)
        if request.host == API:
            return self.resource(request)
        if request.host == MUTUAL:
            request.host = AUTH
            request.notes["host"] = MUTUAL
        if request.path == "/push":
            return self.push(request)
        if request.path == "/keys" and self.option("id_tokens") == "Ed25519":
            return Answer(200, {"keys": [jwk.JWK.from_pyca(self.edwards.public_key()).export_public(as_dict=True)]})
        return super().answer(request)

    # The client.

    def check_secret(self, request):
        """Refuses a client that does not show its secret, or shows it where it may not."""
        self.check_fields(request)
        scheme = request.headers.get("Authorization", "").partition(" ")[0].lower()
        method = "client_secret_basic" if scheme == "basic" else "client_secret_post" if "client_secret" in request.form else "none"
        if "client_assertion" in request.form:
            method = "private_key_jwt" if method == "none" else "two ways"
        wanted = {"tls_client_auth", "self_signed_tls_client_auth"} & set(self.option("methods"))
        if method == "none" and wanted:
            request.notes["scheme"] = min(wanted)
            if self.shown(request) != self.thumbprint(x509.load_pem_x509_certificate(self.option("certificate").encode())):
                self.refuse("invalid_client", "Another certificate is wanted.", 401)
            return
        request.notes["scheme"] = method
        if method == "private_key_jwt" and method in self.option("methods"):
            return self.judge(request)
        if method not in self.option("methods") or method != "none" and request.form.get("client_secret") != SECRET:
            self.refuse("invalid_client", "Client authentication failed.", 401)

    def judge(self, request):
        """Refuses a client that does not sign who it is, by one of its keys, for this provider, now and for the first time."""
        now = time.time() + self.option("clock")

        def refuse(reason):
            raise Refusal(401, {"error": "invalid_client", "error_description": reason}, {"Date": email.utils.formatdate(now, usegmt=True)})

        if request.form.get("client_assertion_type") != ASSERTION:
            refuse("another kind of assertion")
        try:
            signed = jws.JWS()
            signed.deserialize(request.form["client_assertion"])
            head = json.loads(signed.objects["protected"])
            if head.get("alg") not in self.option("algorithms"):
                refuse(f"signed by {head.get('alg')}")
            keys = [key for key in self.option("client_keys") if key.get("kid") == head.get("kid")]
            if len(keys) != 1:
                refuse(f"no key is called {head.get('kid')}")
            signed.allowed_algs = [head["alg"]]
            signed.verify(jwk.JWK(**keys[0]))
            said = json.loads(signed.payload)
        except (ValueError, KeyError, jws.InvalidJWSSignature, jws.InvalidJWSObject) as error:
            refuse(f"the assertion cannot be read: {error}")
        if not said.get("iss") == said.get("sub") == request.form.get("client_id"):
            refuse("it is of another client")
        if said.get("aud") not in [{"issuer": self.issuer(), "token_endpoint": self.at("token_endpoint")}[name] for name in self.option("audiences")]:
            refuse(f"it is for {said.get('aud')}")
        if not now - SKEW < said.get("exp", 0) <= now + ASSERTION_LIFE + SKEW or said.get("iat", 0) > now + SKEW:
            refuse("it is of another time")
        if len(said.get("jti", "")) < 16 or said["jti"] in self.seen:
            refuse("it was here before")
        self.seen.add(said["jti"])

    def id_token(self, grant, subject, **claims):
        token, name = super().id_token(grant, subject, **claims), self.option("id_tokens")
        if name == "RS256":
            return token
        head = base64.urlsafe_b64encode(json.dumps({"alg": name, "typ": "JWT"}).encode()).rstrip(b"=").decode()
        text = head + "." + token.split(".")[1]
        if name == "Ed25519":
            signature = self.edwards.sign(text.encode())
        else:
            key = {"secret": SECRET.encode(), "other": b"another secret of the same length", "public": self.public_key()}[self.option("id_key")]
            signature = hmac.new(key, text.encode(), "sha" + name[2:]).digest()
        return text + "." + base64.urlsafe_b64encode(signature).rstrip(b"=").decode()

    def public_key(self):
        """The public key as people have it, which is no secret."""
        return jwk.JWK(**self.key.document()["keys"][0]).export_to_pem()

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

    # What a client asks besides, where it signs who it is.

    def device(self, request):
        if self.option("client_keys") or self.option("certificate"):
            self.check_secret(request)
        return super().device(request)

    def revoke(self, request):
        if self.option("client_keys") or self.option("certificate"):
            self.check_secret(request)
        return super().revoke(request)

    # Tokens, and the keys that they are bound to.

    def token(self, request):
        self.check_secret(request)
        thumbprint = self.prove(request, {"error": "invalid_dpop_proof"})
        named = self.codes.get(request.form.get("code"), {"query": {}})["query"].get("dpop_jkt")
        request.notes["bound"] = bool(named)
        if named and named != thumbprint and self.option("proof") != "no":
            self.refuse("invalid_grant", "The code is bound to another key.")
        kind = request.form.get("grant_type")
        if kind == "refresh_token":
            found = self.refresh_tokens.get(request.form.get("refresh_token"))
            if found and getattr(found.grant, "key", None) != thumbprint:
                self.refuse("invalid_grant", "The refresh token is bound to another key.")
            if found and "none" in self.option("methods") and getattr(found.grant, "certificate", None) not in (None, self.shown(request)):
                self.refuse("invalid_grant", "The refresh token is bound to another certificate.")
        self.asked.key = thumbprint
        self.asked.certificate = self.shown(request) if self.option("binds") else None
        return super().token(request)

    def issue(self, grant, refresh=None, scopes=None, **more):
        is_bound = bool(self.asked.key) and not (self.option("drops") and hasattr(grant, "key"))
        grant.key, grant.certificate = self.asked.key, self.asked.certificate
        return super().issue(grant, refresh, scopes, **more) | ({"token_type": "DPoP"} if is_bound else {})

    def give_access(self, grant, scopes, token=None, lifetime=0, **more):
        if self.option("tokens") == "jwt":
            bound = {"cnf": {"x5t#S256": grant.certificate}} if grant.certificate else {}
            token = self.key.signed({"iss": self.issuer(), "sub": grant.person, "jti": secrets.token_urlsafe(12), **bound})
        return super().give_access(grant, scopes, token, lifetime, certificate=grant.certificate, **more)

    def prove(self, request, refusal, status=400, token=None):
        """The thumbprint of the key of a request's proof (RFC 9449, section 4.3); None where none came, and none need come."""

        now = time.time() + self.option("clock")

        def refuse(reason, error=None):
            document = refusal | {"error_description": reason} | ({"error": error} if error else {})
            headers = {"DPoP-Nonce": self.nonce} if error == "use_dpop_nonce" else {}
            headers["Date"] = email.utils.formatdate(now, usegmt=True)
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
        if abs(now - said.get("iat", 0)) > PROOF_LIFE or len(said.get("jti", "")) < 16 or said["jti"] in self.seen:
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
        if found.certificate and found.certificate != self.shown(request):
            raise Refusal(401, {"error": "invalid_token"}, {"WWW-Authenticate": 'Bearer error="invalid_token"'})
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
        if request.path == "/mcp":
            return self.speak(request, access)
        return Answer(200, {"user": access.grant.person, "sent": urllib.parse.unquote_plus(request.body.decode(errors="replace"))})

    @staticmethod
    def speak(request, access):
        """What a server of the Model Context Protocol answers, whose every tool says who asks."""
        if request.method != "POST":
            return Answer(200 if request.method == "DELETE" else 405)
        asked = json.loads(request.body)
        if "id" not in asked:
            return Answer(202)
        begins = asked["method"] == "initialize"
        server = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "strict", "version": "1"}}
        return Answer(200, {"jsonrpc": "2.0", "id": asked["id"], "result": server if begins else {"user": access.grant.person}},
                      {"Mcp-Session-Id": "one"} if begins else {})
