"""Changes a vault's files as somebody without a key can.

usage: vault_bytes.py VAULT kdf-cost OPERATIONS MEMORY    what the first slot, a passphrase's, asks for
       vault_bytes.py VAULT header-version NUMBER         as a newer program would write it
       vault_bytes.py VAULT header-suite NUMBER           the same with other primitives
       vault_bytes.py VAULT database-version NUMBER       the same for the database
       vault_bytes.py VAULT flip-header [--copy]          one bit, in the database; in the copies too
       vault_bytes.py VAULT forge-header                  a later header, of somebody who has no key
       vault_bytes.py VAULT flip-records                  bits all over the pages of the records
       vault_bytes.py VAULT flip-token                    one bit in what is sealed about the first token
       vault_bytes.py VAULT other-database                a database that is somebody else's
       vault_bytes.py VAULT swap-secrets                  the sealed tokens of two records"""

import hashlib
import pathlib
import sqlite3
import struct
import sys

folder, action, arguments = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
path = folder / "keyring.db"

# magic 8, version u16, suite u16, vault id 16, sequence u64, public key 32, no successions u8,
# slot count u16, then the first slot:
# kind u8, id 16, created i64, salt 16, operations u32, memory u64
VERSION, SUITE, SEQUENCE, SLOT = 8, 10, 28, 8 + 2 + 2 + 16 + 8 + 32 + 1 + 2
COST = SLOT + 1 + 16 + 8 + 16


def with_checksum(header):
    """The header with its checksum made right; its signature and its MAC need the key."""
    end = len(header) - 112
    header[end : end + 16] = hashlib.blake2b(bytes(header[:end]), digest_size=16).digest()
    return header


def change_header(change, copy=True):
    database = sqlite3.connect(path)
    header = change(bytearray(database.execute("SELECT bytes FROM header").fetchone()[0]))
    database.execute("UPDATE header SET bytes = ?", (bytes(header),))
    if copy:
        database.execute("UPDATE second_header SET bytes = ?", (bytes(header),))
    database.commit()
    if copy:
        (folder / "header.copy").write_bytes(header)


def kdf_cost(header):
    assert header[SLOT] == 1, "the first slot is a passphrase's"
    struct.pack_into("<IQ", header, COST, int(arguments[0]), int(arguments[1]))
    return with_checksum(header)


def version(header):
    struct.pack_into("<H", header, VERSION, int(arguments[0]))
    return with_checksum(header)


def suite(header):
    struct.pack_into("<H", header, SUITE, int(arguments[0]))
    return with_checksum(header)


def flip(header):
    header[100] ^= 1
    return header


def forge(header):
    """A later one, by somebody who has no key."""
    struct.pack_into("<Q", header, SEQUENCE, struct.unpack_from("<Q", header, SEQUENCE)[0] + 1)
    return with_checksum(header)


if action == "kdf-cost":
    change_header(kdf_cost)
elif action == "header-version":
    change_header(version)
elif action == "header-suite":
    change_header(suite)
elif action == "flip-header":
    change_header(flip, copy="--copy" in arguments)
elif action == "forge-header":
    change_header(forge)
elif action == "database-version":
    sqlite3.connect(path).execute(f"PRAGMA user_version = {int(arguments[0])}")
elif action == "flip-records":
    content = bytearray(path.read_bytes())
    for place in range(2 * 8192, len(content), 64):
        content[place] ^= 0x55
    path.write_bytes(content)
elif action == "flip-token":
    database = sqlite3.connect(path)
    row, sealed = database.execute("SELECT id, attributes FROM records WHERE kind = 2 LIMIT 1").fetchone()
    database.execute("UPDATE records SET attributes = ? WHERE id = ?", (sealed[:-1] + bytes([sealed[-1] ^ 1]), row))
    database.commit()
elif action == "other-database":
    path.unlink()
    path.touch(mode=0o600)
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE recipes (name TEXT)")
    database.commit()
elif action == "swap-secrets":
    database = sqlite3.connect(path)
    (one, first), (other, second) = database.execute("SELECT id, bytes FROM secrets ORDER BY id LIMIT 2").fetchall()
    database.execute("UPDATE secrets SET bytes = ? WHERE id = ?", (second, one))
    database.execute("UPDATE secrets SET bytes = ? WHERE id = ?", (first, other))
    database.commit()
else:
    sys.exit(__doc__)
