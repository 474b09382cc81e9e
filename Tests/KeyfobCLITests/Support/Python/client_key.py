"""Makes a client's private key by jwcrypto: client_key.py KIND FORM FILE [ALG]. Prints its public half as a JWK, which is called "one".

KIND is RSA, RSA-1024, P-256, P-384, P-521 or Ed25519; FORM is pkcs8, traditional, encrypted, jwk, public or twice."""

import json
import os
import sys

from cryptography.hazmat.primitives import serialization
from jwcrypto import jwk

kind, form, file, *algorithm = sys.argv[1:]
if kind.startswith("RSA"):
    key = jwk.JWK.generate(kty="RSA", size=1024 if kind.endswith("1024") else 2048, kid="one")
elif kind == "Ed25519":
    key = jwk.JWK.generate(kty="OKP", crv=kind, kid="one")
else:
    key = jwk.JWK.generate(kty="EC", crv=kind, kid="one")
raw = serialization.load_pem_private_key(key.export_to_pem(private_key=True, password=None), None)


def pem(kind, encryption=serialization.NoEncryption()):
    return raw.private_bytes(serialization.Encoding.PEM, kind, encryption)


forms = {
    "pkcs8": lambda: pem(serialization.PrivateFormat.PKCS8),
    "traditional": lambda: pem(serialization.PrivateFormat.TraditionalOpenSSL),
    "encrypted": lambda: pem(serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"words")),
    "old-encrypted": lambda: pem(serialization.PrivateFormat.TraditionalOpenSSL, serialization.BestAvailableEncryption(b"words")),
    "jwk": lambda: json.dumps(key.export(as_dict=True) | ({"alg": algorithm[0]} if algorithm else {})).encode(),
    "public": key.export_to_pem,
    "twice": lambda: 2 * pem(serialization.PrivateFormat.PKCS8),
}
with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
    out.write(forms[form]())
print(json.dumps(key.export_public(as_dict=True)))
