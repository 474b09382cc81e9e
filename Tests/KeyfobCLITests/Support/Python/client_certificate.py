"""Makes a client's certificate by cryptography: client_certificate.py KIND FORM NAME. Prints it, and the authority by which it is good, as JSON.

KIND is RSA, P-256, P-384 or Ed25519. FORM is "self" (it vouches for itself) or "issued" (by an authority, through another one). NAME.pem has the
certificate and the key, NAME.crt and NAME.key one of them each."""

import datetime
import json
import os
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

kind, form, name = sys.argv[1:]
KINDS = {
    "RSA": lambda: rsa.generate_private_key(65537, 2048), "P-256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "P-384": lambda: ec.generate_private_key(ec.SECP384R1()), "Ed25519": ed25519.Ed25519PrivateKey.generate}


def certificate(title, key, issuer, signer, is_authority):
    now = datetime.datetime.now(datetime.timezone.utc)

    def called(text):
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    builder = (x509.CertificateBuilder().subject_name(called(title)).issuer_name(called(issuer)).public_key(key.public_key())
               .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
               .not_valid_after(now + datetime.timedelta(days=2)).add_extension(x509.BasicConstraints(is_authority, None), True))
    if not is_authority:
        builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), False)
    made = builder.sign(signer, None if isinstance(signer, ed25519.Ed25519PrivateKey) else hashes.SHA256())
    return made.public_bytes(serialization.Encoding.PEM)


def write(ending, content, mode):
    with os.fdopen(os.open(name + ending, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as out:
        out.write(content)


key = KINDS[kind]()
if form == "self":
    own = certificate(name, key, name, key, False)
    authority, chain = own, b""
else:
    root, between = KINDS["P-256"](), KINDS["P-256"]()
    authority, chain = certificate("root", root, "root", root, True), certificate("between", between, "root", root, True)
    own = certificate(name, key, "between", between, False)
secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
write(".pem", own + chain + secret, 0o600)
write(".crt", own + chain, 0o644)
write(".key", secret, 0o600)
print(json.dumps({"certificate": own.decode(), "authority": authority.decode()}))
