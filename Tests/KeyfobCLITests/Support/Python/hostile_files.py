"""Makes files in the current folder that would cost whoever reads them without limits its memory or its time."""

import os
import pathlib


def make(name, data):
    path = pathlib.Path(name)
    path.write_bytes(data)
    path.chmod(0o600)


STANZA = b"-> X25519 " + b"A" * 43 + b"\n" + b"A" * 43 + b"\n"

make("deep.json", b'{"Account":{"k":{"x":' + b"[" * 4_000_000)
make("entries.json", b'{"Account":{' + b",".join(b'"%d":{}' % number for number in range(450_000)) + b"}}")
make("values.json", b'{"Account":{"k":{"x":[' + b"1," * 3_000_000 + b"1]}}}")
make("text.json", b'{"Account":{"k":{"x":"' + b"x" * 20_000_000 + b'"}}}')
make("line.age", b"age-encryption.org/v1\n-> X25519 " + b"A" * 20_000_000)
make("recipients.age", b"age-encryption.org/v1\n" + STANZA * 200_000)
make("work.age", b"age-encryption.org/v1\n-> scrypt " + b"A" * 22 + b" 40\n" + b"A" * 43 + b"\n--- " + b"A" * 43 + b"\n" + bytes(64))
make("words", b"correct horse\n")
for name in "endless.json", "endless.age", "endless.key", "endless.toml":
    make(name, b"")
    os.truncate(name, 1 << 40)
