"""Writes a keyring file of gnome-keyring, and many items like a few that a program has made.

gnome-keyring writes its whole file anew for each item that comes: 10,000 would take hours. So the file is written here,
in its format "GnomeKeyring", version 0: AES-128 in CBC mode, with a key and a start from the password.
"""

import base64
import hashlib
import secrets
import struct
import time

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

ITERATIONS = 2_000
RESERVED = bytes(16)
NO_TEXT = b"\xff\xff\xff\xff"


def number(value):
    return struct.pack(">I", value)


def moment(value):
    return struct.pack(">Q", value)


def text(value):
    content = value if isinstance(value, bytes) else value.encode()
    return number(len(content)) + content


def attribute_list(attributes, transformed=lambda value: value):
    parts = [number(len(attributes))]
    for name in sorted(attributes):
        parts += text(name), number(0), text(transformed(attributes[name]))
    return b"".join(parts)


def fingerprint(value):
    """What a locked keyring shows of an attribute's value."""
    return hashlib.md5(value.encode(), usedforsecurity=False).hexdigest()


def sealed(content, password, salt):
    key = hashlib.sha256(password.encode() + salt).digest()
    for _ in range(ITERATIONS - 1):
        key = hashlib.sha256(key).digest()
    content += bytes(-len(content) % 16)
    content = hashlib.md5(content, usedforsecurity=False).digest() + content
    encryptor = Cipher(algorithms.AES128(key[:16]), modes.CBC(key[16:])).encryptor()
    return encryptor.update(content) + encryptor.finalize()


def keyring_file(items, password):
    """The bytes of a keyring called Login, with these items: label, attributes and secret of each."""
    now, salt = moment(int(time.time())), secrets.token_bytes(8)
    front = [b"GnomeKeyring\n\r\0\n", bytes(4), text("Login"), now, now, number(0), number(0), number(ITERATIONS), salt,
             RESERVED]
    shown, hidden, count = [], [], 0
    for label, attributes, secret in items:
        count += 1
        shown += number(count), number(0), attribute_list(attributes, fingerprint)
        hidden += text(label), text(secret), now, now, NO_TEXT, RESERVED, attribute_list(attributes), number(0)
    body = sealed(b"".join(hidden), password, salt)
    return b"".join(front + [number(count)] + shown + [number(len(body)), body])


# Keyfob's records in the open: where the id is, and what the secret is; where the part with names begins; the lengths of what
# tells the secret, and of the checksum.
RECORD_ID, CONTENT, FIXED, CHECK, CHECKSUM = slice(36, 52), 53, 76, 4, 16


def copies(item, old, new):
    """The item once for each name in `new`, which stands wherever it has the name `old` of the same length."""
    label, attributes, secret = item
    model = decoded(attributes["record"].encode()) if "record" in attributes else None
    content = secret.decode()
    if model and model[CONTENT] == 2:
        content = decoded(secret).decode("latin-1")
    if model and model != record(model[:-CHECK - CHECKSUM], content.encode("latin-1")):
        raise RuntimeError("Keyfob's records are not what this program takes them for")
    for name in new:
        if len(name) != len(old):
            raise ValueError("a name of another length")
        own = {key.replace(old, name): value.replace(old, name) for key, value in attributes.items()}
        text = content.replace(old, name).encode("latin-1")
        if model:
            front = bytearray(model[:FIXED] + model[FIXED:-CHECK - CHECKSUM].replace(old.encode(), name.encode()))
            front[RECORD_ID] = secrets.token_bytes(16)
            own["record"] = encoded(record(bytes(front), text)).decode()
        yield (label.replace(old, name), own, encoded(text) if model and model[CONTENT] == 2 else text)


def record(front, secret):
    """A record with what tells its secret, and its checksum."""
    key = hashlib.blake2b(front, digest_size=32).digest()
    check = hashlib.blake2b(secret, digest_size=16, key=key).digest()[:CHECK]
    return checked(front + (check if front[CONTENT] else bytes(CHECK)))


def decoded(text):
    return base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))


def encoded(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=")


def checked(content):
    return content + hashlib.blake2b(content, digest_size=CHECKSUM).digest()
