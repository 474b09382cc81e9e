"""Certificates for names, and the keys that sign ID tokens; by the openssl program."""

import base64
import hashlib
import json
import re
import ssl
import subprocess
import threading

#: Names and addresses of this machine.
LOOPBACK = ["IP:127.0.0.1", "IP:::1", "DNS:localhost"]


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def openssl(*words, folder=None, data=b""):
    return subprocess.run(["openssl", *words], cwd=folder, input=data, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def certify(folder, names):
    """Writes ca.pem, and server.pem with server.key for the names ("DNS:github.com"); returns what a server needs to use them."""

    def certificate(name, signer, *extensions):
        lines = [*extensions, "subjectKeyIdentifier = hash", "authorityKeyIdentifier = keyid"]
        text = f"[req]\nprompt = no\ndistinguished_name = n\nx509_extensions = x\n[n]\nCN = Keyfob test {name}\n[x]\n"
        (folder / f"{name}.conf").write_text(text + "\n".join(lines) + "\n")
        openssl("req", "-x509", "-config", f"{name}.conf", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "2",
                "-keyout", f"{name}.key", "-out", f"{name}.pem", *signer, folder=folder)

    certificate("ca", [], "basicConstraints = critical, CA:TRUE", "keyUsage = critical, keyCertSign, cRLSign")
    certificate("server", ["-CA", "ca.pem", "-CAkey", "ca.key"], "basicConstraints = critical, CA:FALSE",
                "subjectAltName = " + ", ".join(names), "keyUsage = critical, digitalSignature", "extendedKeyUsage = serverAuth")
    return server_context(folder)


def server_context(folder):
    """TLS with the certificate that lies in a folder."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", folder / "server.key")
    return context


class SigningKey:
    """An RSA key, made when it is first needed; signatures of RFC 7518, section 3.3, by arithmetic."""

    PREFIX = bytes.fromhex("3031300d060960864801650304020105000420")

    def __init__(self):
        self.lock, self.numbers = threading.Lock(), None

    def key(self):
        with self.lock:
            if self.numbers is None:
                text = openssl("rsa", "-noout", "-text", data=openssl("genrsa", "2048")).decode()
                found = re.findall(r"^(\w+):\s*\n((?:\s+[0-9a-f:]+\n)+)", text, re.MULTILINE)
                values = {name: int(re.sub(r"[\s:]", "", digits), 16) for name, digits in found}
                self.numbers = [values[name] for name in ("modulus", "prime1", "prime2", "exponent1", "exponent2", "coefficient")]
            return self.numbers

    def document(self):
        """The set of keys that a provider publishes."""
        number = base64url(self.key()[0].to_bytes(256, "big"))
        return {"keys": [{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "1", "n": number, "e": "AQAB"}]}

    def signed(self, claims):
        parts = [{"alg": "RS256", "kid": "1", "typ": "JWT"}, claims]
        text = ".".join(base64url(json.dumps(part).encode()) for part in parts)
        end = b"\0" + self.PREFIX + hashlib.sha256(text.encode()).digest()
        block = b"\0\1" + b"\xff" * (254 - len(end)) + end
        _, first, second, *exponents, coefficient = self.key()
        number = int.from_bytes(block, "big")
        parts = pow(number, exponents[0], first), pow(number, exponents[1], second)
        return text + "." + base64url((parts[1] + second * (coefficient * (parts[0] - parts[1]) % first)).to_bytes(256, "big"))
