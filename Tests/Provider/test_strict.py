"""That the provider that wants proofs, pushed requests and a client's secret in its place does what its table says."""

import base64
import hashlib
import json
import secrets
import ssl
import time
import unittest
import unittest.mock
import urllib.parse
import urllib.request

from checking import CHALLENGE, REDIRECT, NoRedirect, StandInCase, later, shows
from jwcrypto import jwa, jwk, jws
from standins import strict, trust

BASE, API = "https://strict.example", "https://api.strict.example/api"


def proof(key, method, url, token=None, head=None, **claims):
    said = {"jti": secrets.token_urlsafe(16), "htm": method, "htu": url, "iat": int(time.time())}
    if token:
        said["ath"] = base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()).rstrip(b"=").decode()
    signed = jws.JWS(json.dumps(said | claims))
    signed.add_signature(key, None, json.dumps({"typ": "dpop+jwt", "alg": "ES256", "jwk": key.export_public(as_dict=True)} | (head or {})))
    return signed.serialize(compact=True)


class Strict(StandInCase, unittest.TestCase):
    NAME, OPTIONS = "strict", {"methods": ["client_secret_post"]}
    AUTHORIZE, TOKEN, SECRET = BASE + "/authorize", BASE + "/token", strict.SECRET

    def setUp(self):
        super().setUp()
        self.key = jwk.JWK.generate(kty="EC", crv="P-256")

    def given(self, proof=None, **more):
        """What a code gives, with a proof or none."""
        code = self.authorize(prompt="consent").location["code"]
        form = {"client_id": self.CLIENT, "client_secret": self.SECRET, "grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT,
                "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}
        return self.ask(self.TOKEN, form, **({"DPoP": proof} if proof else {}), **more)

    def refreshed(self, token, key=None):
        form = {"client_id": self.CLIENT, "client_secret": self.SECRET, "grant_type": "refresh_token", "refresh_token": token}
        return self.ask(self.TOKEN, form, **({"DPoP": proof(key, "POST", self.TOKEN)} if key else {}))

    @shows("A client shows its secret where the provider wants it, whatever its document says")
    def test_client(self):
        self.assertEqual(self.sign_in().status, 200)
        self.set(methods=["client_secret_basic"], says_methods=["client_secret_post"])
        self.expect(self.tell(grant_type="refresh_token"), 401, error="invalid_client")
        pair = (self.CLIENT, urllib.parse.quote_plus(self.SECRET))
        self.expect(self.ask(self.TOKEN, {"grant_type": "refresh_token"}, basic=pair), 400, error="invalid_grant")
        self.expect(self.ask(self.TOKEN, {"grant_type": "refresh_token"}, basic=(self.CLIENT, "x")), 401, error="invalid_client")
        self.assertEqual(self.ask(BASE + "/.well-known/openid-configuration").json["token_endpoint_auth_methods_supported"],
                         ["client_secret_post"])

    @shows("A resource wants another way of signing in, and says which")
    def test_context(self):
        self.set(context="gold")
        asked = self.ask(API, bearer=self.given().json["access_token"])
        self.expect(asked, 401, error="insufficient_user_authentication")
        self.assertIn('acr_values="gold"', asked.headers["WWW-Authenticate"])

    @shows("An authorization request lacks a field of the provider's own")
    def test_fields(self):
        self.set(wants={"audience": "https://api"})
        self.assertEqual(self.authorize().location["error"], "invalid_request")
        self.assertIn("code", self.authorize(audience="https://api").location)

    @shows("offline_access is ignored unless consent is asked for")
    def test_consent(self):
        self.assertNotIn("refresh_token", self.sign_in().json)
        self.assertIn("refresh_token", self.sign_in(prompt="consent").json)

    @shows("An authorization request is pushed first, by a client that shows its secret, and named once")
    def test_push(self):
        self.set(push="required")
        self.assertEqual(self.authorize().status, 400)
        fields = {"client_id": self.CLIENT, "response_type": "code", "redirect_uri": REDIRECT, "scope": "openid", "code_challenge": CHALLENGE,
                  "code_challenge_method": "S256"}
        self.expect(self.ask(BASE + "/push", fields), 401, error="invalid_client")
        name = self.ask(BASE + "/push", fields | {"client_secret": self.SECRET}).json["request_uri"]
        address = self.AUTHORIZE + "?" + urllib.parse.urlencode({"client_id": self.CLIENT, "request_uri": name})
        self.assertIn("code", self.ask(address).location)
        self.assertEqual(self.ask(address).status, 400)

    @shows("A token is bound to the key of the proof that came with the request for it",
           "A resource takes a bound token by the scheme DPoP alone, with a proof of the same key and of the token",
           "A refresh token is of use with its key alone")
    def test_bound(self):
        self.set(proof="offered")
        plain = self.given().json
        self.assertEqual((plain["token_type"], self.ask(API, bearer=plain["access_token"]).status), ("Bearer", 200))
        given = self.given(proof(self.key, "POST", self.TOKEN)).json
        token, other = given["access_token"], jwk.JWK.generate(kty="EC", crv="P-256")
        self.assertEqual(given["token_type"], "DPoP")
        self.assertEqual(self.ask(API, bearer=token).status, 401)
        for status, made in ((200, proof(self.key, "GET", API, token)), (401, proof(other, "GET", API, token)),
                             (401, proof(self.key, "GET", API, "x")), (401, proof(self.key, "GET", API))):
            self.assertEqual(self.ask(API, Authorization=f"DPoP {token}", DPoP=made).status, status)
        self.assertEqual(self.ask(API, Authorization=f"DPoP {token}").status, 401)
        self.expect(self.refreshed(given["refresh_token"]), 400, error="invalid_grant")
        self.expect(self.refreshed(given["refresh_token"], other), 400, error="invalid_grant")
        self.expect(self.refreshed(given["refresh_token"], self.key), 200, token_type="DPoP")

    @shows("A request without a proof is refused, and so is a proof of another request, another time, or that was there before")
    def test_proofs(self):
        self.set(proof="required")
        self.expect(self.given(), 400, error="invalid_dpop_proof")
        twice, private = proof(self.key, "POST", self.TOKEN), self.key.export(as_dict=True)
        self.expect(self.given(twice), 200)
        for made in (twice, proof(self.key, "GET", self.TOKEN), proof(self.key, "POST", API), proof(self.key, "POST", self.TOKEN, iat=1),
                     proof(self.key, "POST", self.TOKEN, jti="1"), proof(self.key, "POST", self.TOKEN, head={"typ": "JWT"}),
                     proof(self.key, "POST", self.TOKEN, head={"jwk": private}), twice[:-8] + "AAAAAAAA", "x"):
            self.expect(self.given(made), 400, error="invalid_dpop_proof")
        made = proof(self.key, "POST", self.TOKEN)
        with later(120):
            self.expect(self.given(made), 400, error="invalid_dpop_proof")

    @shows("A code is of use with the key alone that the request for it named", "A provider may stop to bind tokens without a word")
    def test_codes(self):
        self.set(proof="offered")
        other = jwk.JWK.generate(kty="EC", crv="P-256")
        code = self.authorize(prompt="consent", dpop_jkt=self.key.thumbprint()).location["code"]
        form = {"client_id": self.CLIENT, "client_secret": self.SECRET, "grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT,
                "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}
        self.expect(self.ask(self.TOKEN, form), 400, error="invalid_grant")
        self.expect(self.ask(self.TOKEN, form, DPoP=proof(other, "POST", self.TOKEN)), 400, error="invalid_grant")
        given = self.ask(self.TOKEN, form, DPoP=proof(self.key, "POST", self.TOKEN))
        self.expect(given, 200, token_type="DPoP")
        self.set(proof="offered", drops=True)
        self.expect(self.refreshed(given.json["refresh_token"], self.key), 200, token_type="Bearer")

    @shows("A client signs who it is by its own key, for this provider, for a minute and once")
    def test_assertions(self):
        key, other = self.key, jwk.JWK.generate(kty="EC", crv="P-256")
        public = key.export_public(as_dict=True) | {"kid": "one"}
        self.set(methods=["private_key_jwt"], client_keys=[public])

        def asked(key=key, head=None, **claims):
            now = int(time.time())
            said = {"iss": self.CLIENT, "sub": self.CLIENT, "aud": BASE, "jti": secrets.token_urlsafe(16), "iat": now, "exp": now + 60} | claims
            signed = jws.JWS(json.dumps(said))
            signed.add_signature(key, None, json.dumps({"alg": "ES256", "kid": "one"} | (head or {})))
            return self.told(signed.serialize(compact=True))

        self.expect(asked(), 400, error="invalid_grant")
        once = secrets.token_urlsafe(16)
        self.expect(asked(jti=once), 400, error="invalid_grant")
        now = int(time.time())
        for changed in ({"jti": once}, {"aud": self.TOKEN}, {"aud": [BASE]}, {"sub": "x"}, {"exp": now - 60}, {"exp": now + 600}, {"iat": now + 60},
                        {"key": other}, {"head": {"kid": "two"}}):
            self.expect(asked(**changed), 401, error="invalid_client")
        text = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()
                for part in ({"alg": "none", "kid": "one"}, {"iss": self.CLIENT})]
        self.expect(self.told(".".join(text) + "."), 401, error="invalid_client")
        self.expect(self.tell(grant_type="refresh_token"), 401, error="invalid_client")
        self.set(methods=["private_key_jwt"], client_keys=[public], audiences=["token_endpoint"], clock=600)
        self.expect(asked(aud=self.TOKEN), 401, error="invalid_client")
        self.expect(asked(aud=self.TOKEN, iat=now + 600, exp=now + 660), 400, error="invalid_grant")

    def told(self, assertion):
        form = {"client_id": self.CLIENT, "grant_type": "refresh_token", "client_assertion_type": strict.ASSERTION, "client_assertion": assertion}
        return self.ask(self.TOKEN, form)

    @shows("An ID token may be signed with the client's secret")
    @unittest.mock.patch.object(jwa, "default_enforce_hmac_key_length", False)
    def test_id_tokens(self):
        for name in ("HS256", "HS384", "HS512"):
            self.set(id_tokens=name)
            self.assertEqual(self.ask(BASE + "/.well-known/openid-configuration").json["id_token_signing_alg_values_supported"], [name])
            for key in ("secret", "other", "public"):
                self.set(id_tokens=name, id_key=key)
                signed = jws.JWS()
                signed.deserialize(self.sign_in().json["id_token"])
                signed.allowed_algs = [name]
                shared = jwk.JWK(kty="oct", k=base64.urlsafe_b64encode(self.SECRET.encode()).rstrip(b"=").decode())
                if key == "secret":
                    signed.verify(shared)
                else:
                    self.assertRaises(jws.InvalidJWSSignature, signed.verify, shared)
        self.set(id_tokens="Ed25519")
        self.assertEqual(self.ask(BASE + "/keys").json["keys"][0]["crv"], "Ed25519")
        self.assertIn("id_token", self.sign_in().json)

    def showing(self, name):
        """Has what is asked from now on come with a certificate of this name, which is made; gives it in PEM."""
        folder = self.network.folder
        trust.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "2", "-subj", "/CN=" + name,
                      "-keyout", name + ".key", "-out", name + ".crt", folder=folder)
        context = ssl.create_default_context(cafile=self.network.environment["KEYFOB_CA_FILE"])
        context.load_cert_chain(folder / (name + ".crt"), folder / (name + ".key"))
        self.opener = urllib.request.build_opener(
            NoRedirect, urllib.request.ProxyHandler({"https": self.network.environment["HTTPS_PROXY"]}), urllib.request.HTTPSHandler(context=context))
        return (folder / (name + ".crt")).read_text()

    @shows("A client shows its certificate, at addresses for that where there are such", "A token is bound to the certificate that was shown, and may say so",
           "A refresh token of a client that shows nothing else is bound to its certificate")
    def test_certificates(self):
        bare, other = self.opener, self.showing("other")
        stranger, own = self.opener, self.showing("own")
        known, mutual = self.opener, "https://mtls.strict.example"
        options = {"methods": ["tls_client_auth"], "certificate": own, "authorities": [own, other], "mtls": "aliases", "tokens": "jwt"}
        self.set(**options)
        document = self.ask(BASE + "/.well-known/openid-configuration").json
        self.assertEqual((document["mtls_endpoint_aliases"]["token_endpoint"], document["tls_client_certificate_bound_access_tokens"]), (mutual + "/token", True))
        self.SECRET = None
        # The usual address asks for none.
        self.expect(self.sign_in(), 401, error="invalid_client")
        self.TOKEN = mutual + "/token"
        given = self.sign_in(prompt="consent").json
        said = json.loads(base64.urlsafe_b64decode(given["access_token"].split(".")[1] + "=="))
        self.assertEqual(said["cnf"]["x5t#S256"], base64.urlsafe_b64encode(hashlib.sha256(ssl.PEM_cert_to_DER_cert(own)).digest()).rstrip(b"=").decode())
        for opener, status in ((known, 200), (stranger, 401), (bare, 401)):
            self.opener = opener
            self.assertEqual(self.ask(API, bearer=given["access_token"]).status, status)
            self.assertEqual(self.refresh("x").status, 400 if status == 200 else 401)
        self.set(**options | {"methods": ["none"], "mtls": "direct"})
        self.opener, self.TOKEN = known, BASE + "/token"
        given = self.sign_in(prompt="consent").json
        for opener, status in ((stranger, 400), (bare, 400), (known, 200)):
            self.opener = opener
            self.assertEqual(self.refresh(given["refresh_token"]).status, status)

    @shows("A proof names the nonce that the server gave last")
    def test_nonces(self):
        self.set(proof="required", nonces=True)
        refused = self.given(proof(self.key, "POST", self.TOKEN))
        self.expect(refused, 400, error="use_dpop_nonce")
        given = self.given(proof(self.key, "POST", self.TOKEN, nonce=refused.headers["DPoP-Nonce"])).json
        token = given["access_token"]
        refused = self.ask(API, Authorization=f"DPoP {token}", DPoP=proof(self.key, "GET", API, token))
        self.assertIn("use_dpop_nonce", refused.headers["WWW-Authenticate"])
        made = proof(self.key, "GET", API, token, nonce=refused.headers["DPoP-Nonce"])
        self.assertEqual(self.ask(API, Authorization=f"DPoP {token}", DPoP=made).status, 200)
