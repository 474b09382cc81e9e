"""The format of a vault, written from VaultFormat.md alone: it shares no code with Keyfob.

XChaCha20 is HChaCha20 below and ChaCha20-Poly1305 of the package `cryptography`; BLAKE2b is Python's own."""

import hashlib
import hmac
import os
import struct

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

VERSION, SUITE = 3, 1


class WrongKey(Exception):
    """Another key than the one that sealed it."""


class Corrupted(Exception):
    """Bytes that are not what was written."""


class Unsupported(Exception):
    """A version or suite that this page does not describe."""


class AnotherKind(Exception):
    """A slot of a kind that this program does not open."""


def blake2b(size, message, key=b""):
    return hashlib.blake2b(message, digest_size=size, key=key).digest()


def kdf(key, context, number):
    return hashlib.blake2b(b"", digest_size=32, key=key, salt=struct.pack("<Q", number) + bytes(8),
                           person=context + bytes(8)).digest()


def rotated(word, count):
    return (word << count | word >> 32 - count) & 0xFFFFFFFF


def hchacha20(key, nonce):
    state = list(struct.unpack("<4I", b"expand 32-byte k") + struct.unpack("<8I", key) + struct.unpack("<4I", nonce))
    for turn in range(20):
        rows = [(0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15)] if turn % 2 == 0 else [
            (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)]
        for a, b, c, d in rows:
            for first, second, third, count in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)]:
                state[first] = (state[first] + state[second]) & 0xFFFFFFFF
                state[third] = rotated(state[third] ^ state[first], count)
    return struct.pack("<8I", *state[:4], *state[12:])


def opened(key, context, box):
    """The message in a sealed box."""
    if len(box) < 24 + 32 + 16:
        raise Corrupted("a box that is too short")
    nonce, commitment, ciphertext = box[:24], box[24:56], box[56:]
    derived = blake2b(64, context + nonce, key)
    if not hmac.compare_digest(derived[32:], commitment):
        raise WrongKey("another key, context or nonce")
    try:
        return ChaCha20Poly1305(hchacha20(derived[:32], nonce[:16])).decrypt(bytes(4) + nonce[16:], ciphertext, context)
    except InvalidTag:
        raise Corrupted("altered bytes") from None


def sealed(key, context, message):
    """A box around a message."""
    nonce = os.urandom(24)
    derived = blake2b(64, context + nonce, key)
    cipher = ChaCha20Poly1305(hchacha20(derived[:32], nonce[:16]))
    return nonce + derived[32:] + cipher.encrypt(bytes(4) + nonce[16:], message, context)


def seal(box):
    """Commitment and tag."""
    return box[24:56] + box[-16:]


def unpadded(message):
    content = message.rstrip(b"\0")
    if not content.endswith(b"\x80") or len(message) != padded_count(len(content) - 1):
        raise Corrupted("padding")
    return content[:-1]


def padded_count(count):
    needed = count + 1
    step = 512 if needed <= 4096 else 1024 if needed <= 16384 else 4096
    return -(-needed // step) * step


class Reader:
    """Reads fields one after the other."""

    def __init__(self, data):
        self.data, self.place = data, 0

    def take(self, count):
        if count < 0 or self.place + count > len(self.data):
            raise Corrupted("it ends too early")
        self.place += count
        return self.data[self.place - count:self.place]

    def number(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]

    def end(self):
        if self.place != len(self.data):
            raise Corrupted("bytes behind it")


class Slot:
    """A slot: what opens a vault, or a group."""

    def __init__(self, reader, vault, group=bytes(16)):
        self.vault, self.group = vault, group
        self.kind, self.id, self.created = reader.number("B"), reader.take(16), reader.number("q")
        if self.kind == 1:
            self.salt, self.passes, self.memory = reader.take(16), reader.number("I"), reader.number("Q")
            self.box = reader.take(104)
        elif self.kind in (2, 4):
            self.salt, self.box = reader.take(32), reader.take(104)
        elif self.kind in (3, 5):
            self.recipient = reader.take(32 if self.kind == 3 else 1216)
            count = reader.number("I")
            if count > 4096:
                raise Corrupted("an age file that is too long")
            self.file, count = reader.take(count), reader.number("I")
            if count not in (0, 32):
                raise Corrupted("a proof of another length")
            self.proof = reader.take(count)
        else:
            raise Corrupted("an unknown kind of slot")

    def open(self, kind, secret):
        """The key in it, for a secret of a kind."""
        if kind != self.kind:
            raise AnotherKind(kind)
        front = b"keyfob slot v2" + self.vault + self.group + self.id + bytes([self.kind])
        if kind == 1:
            if not (2 <= self.passes <= 10 and 64 << 20 <= self.memory <= 1 << 30):
                raise Corrupted("a cost that is not taken")
            key = Argon2id(salt=self.salt, length=32, iterations=self.passes, lanes=1,
                           memory_cost=self.memory >> 10).derive(secret)
            return opened(key, front + self.salt + struct.pack("<IQ", self.passes, self.memory), self.box)
        if kind in (2, 4):
            if kind == 4 and len(secret) != 32:
                raise WrongKey("an item that holds something else")
            return opened(blake2b(32, secret, self.salt), front + self.salt, self.box)
        if kind == 3:
            return self.open_age(secret)
        raise AnotherKind(kind)

    def open_age(self, secret):
        """The file key of an age file of version 1 with stanzas of X25519, and then its one chunk."""
        head, _, rest = self.file.partition(b"\n---")
        mac, _, payload = rest.partition(b"\n")
        private = X25519PrivateKey.from_private_bytes(secret)
        own = private.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        file_key = None
        lines = head.split(b"\n")
        for line, body in zip(lines[1:], lines[2:]):
            if not line.startswith(b"-> X25519 "):
                continue
            share = base64(line.split(b" ")[2])
            shared = private.exchange(X25519PublicKey.from_public_bytes(share))
            wrap = HKDF(hashes.SHA256(), 32, share + own, b"age-encryption.org/v1/X25519").derive(shared)
            try:
                file_key = ChaCha20Poly1305(wrap).decrypt(bytes(12), base64(body), None)
            except InvalidTag:
                continue
        if file_key is None:
            raise WrongKey("no stanza for this identity")
        key = HKDF(hashes.SHA256(), 32, b"", b"header").derive(file_key)
        if hmac.digest(key, head + b"\n---", "sha256") != base64(mac.strip()):
            raise Corrupted("the MAC of an age file")
        stream = HKDF(hashes.SHA256(), 32, payload[:16], b"payload").derive(file_key)
        try:
            key = ChaCha20Poly1305(stream).decrypt(bytes(11) + b"\1", payload[16:], None)
        except InvalidTag:
            raise Corrupted("an age file") from None
        if self.proof:
            scalar = kdf(secret, b"KeyfobRK", 1)
            said = b"keyfob slot proof v2" + self.vault + self.group + self.id + struct.pack("<q", self.created) + self.file
            if blake2b(32, said, scalar) != self.proof:
                raise Corrupted("the proof of a recovery key")
        return key


def base64(text):
    import binascii
    try:
        return binascii.a2b_base64(text + b"=" * (-len(text) % 4), strict_mode=True)
    except binascii.Error:
        raise Corrupted("base64") from None


class Header:
    """A header, whose checksum is right."""

    def __init__(self, data):
        self.data = data
        if not data.startswith(b"KEYFOBV1"):
            raise Corrupted("another magic")
        end = len(data) - 16 - 64 - 32
        if end < 36 or len(data) > 16 << 20 or blake2b(16, data[:end]) != data[end:end + 16]:
            raise Corrupted("the checksum")
        reader = Reader(data[:end])
        reader.take(8)
        if reader.number("H") != VERSION or reader.number("H") != SUITE:
            raise Unsupported("another version or suite")
        self.vault, self.sequence, self.signer = reader.take(16), reader.number("Q"), reader.take(32)
        self.successions = [(reader.take(32), reader.number("Q"), reader.number("q"), reader.take(64))
                            for _ in range(limited(reader.number("B"), 16))]
        self.slots = [Slot(reader, self.vault) for _ in range(limited(reader.number("H"), 16))]
        self.groups = [Group(reader, self.vault) for _ in range(limited(reader.number("H"), 4096))]
        reader.end()

    def unlock(self, kind, secret):
        """The groups that a secret opens, by their names, after the header was found to be the owner's."""
        failure = AnotherKind(kind)
        for slot in self.slots:
            try:
                key = slot.open(kind, secret)
            except (WrongKey, AnotherKind) as error:
                failure = error if isinstance(error, WrongKey) else failure
                continue
            return self.with_vault_key(key)
        for group in self.groups:
            for grant in group.grants:
                try:
                    own = grant.slot.open(kind, secret)
                except (WrongKey, AnotherKind) as error:
                    failure = error if isinstance(error, WrongKey) else failure
                    continue
                return self.with_own_key(group, grant, own)
        raise failure

    def with_vault_key(self, key):
        expected = blake2b(32, self.data[:-32], kdf(key, b"KeyfobVK", 1))
        if not hmac.compare_digest(expected, self.data[-32:]):
            raise Corrupted("the MAC")
        groups = {}
        for group in self.groups:
            context = b"keyfob group key v1" + self.vault + group.id + struct.pack("<I", group.epoch)
            keys = Keys(self.vault, group.id, group.epoch, corrupted(kdf(key, b"KeyfobVK", 2), context, group.wrapped), key)
            groups[keys.name(group.sealed_name)] = keys
        return groups

    def with_own_key(self, group, grant, own):
        context = (b"keyfob granted key v2" + self.vault + group.id + struct.pack("<I", group.epoch) + grant.slot.id)
        held = corrupted(own, context, grant.group_key)
        if held[32:] != self.signer:
            raise Corrupted("another vault's key signed it")
        try:
            Ed25519PublicKey.from_public_bytes(held[32:]).verify(
                self.data[-96:-32], b"keyfob header v1" + self.data[:-96])
        except InvalidSignature:
            raise Corrupted("the signature") from None
        keys = Keys(self.vault, group.id, group.epoch, held[:32])
        return {keys.name(group.sealed_name): keys}


def signer(vault_key):
    """The public key of a vault's signatures."""
    private = Ed25519PrivateKey.from_private_bytes(kdf(vault_key, b"KeyfobVK", 7))
    return private.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def limited(count, limit):
    if count > limit:
        raise Corrupted("more than there can be")
    return count


def corrupted(key, context, box):
    """The same as ``opened`` where another key would be damage."""
    try:
        return opened(key, context, box)
    except WrongKey as error:
        raise Corrupted(str(error)) from None


class Group:
    """A group in the header."""

    def __init__(self, reader, vault):
        self.id, self.epoch = reader.take(16), reader.number("I")
        self.wrapped, self.sealed_name = reader.take(104), reader.take(584)
        self.grants = [Grant(reader, vault, self.id) for _ in range(limited(reader.number("H"), 8))]


class Grant:
    """A slot for one group."""

    def __init__(self, reader, vault, group):
        self.slot = Slot(reader, vault, group)
        self.own_key, self.group_key = reader.take(104), reader.take(136)


CLOUDS = [
    ["login.microsoftonline.com", "login.windows.net", "login.microsoft.com", "sts.windows.net"],
    ["login.partner.microsoftonline.cn", "login.chinacloudapi.cn"],
    ["login.microsoftonline.us", "login.usgovcloudapi.net"]]


def folded(text):
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in text)


def host(text):
    return next((cloud[0] for cloud in CLOUDS if folded(text) in cloud), folded(text))


class Keys:
    """A group's key of one epoch, and what comes from it."""

    def __init__(self, vault, group, epoch, key, vault_key=None):
        self.vault, self.group, self.epoch, self.vault_key = vault, group, epoch, vault_key
        names = ["record", "index", "manifest", "name_key", "usage", "audit", "element", "tree", "usage_tag"]
        for number, name in enumerate(names, 1):
            setattr(self, name, kdf(key, b"KeyfobGK", number))

    def name(self, box):
        message = corrupted(self.name_key, b"keyfob group name v1" + self.vault + self.group, box)
        return unpadded(message).decode()

    def context(self, header, part):
        """The encoded clear header of a row of `records`."""
        fixed = struct.pack("<4sBBH16s16sI16sQQBBH", b"KFR1", VERSION, SUITE, header["flags"], self.vault, self.group,
                            header["epoch"], header["record"], header["stamp"] & (1 << 64) - 1,
                            header["device"] & (1 << 64) - 1, header["kind"], part, 0)
        return fixed + b"".join(header[name] or bytes(16) for name in INDICES)

    def open_record(self, header, attributes, secret):
        """Body and secret of a record."""
        body = unpadded(corrupted(self.record, self.context(header, 0), attributes))
        fields(body)
        return body, None if secret is None else unpadded(corrupted(self.record, self.context(header, 1), secret))

    def hash(self, header, attributes_seal, secret_seal):
        return blake2b(32, self.context(header, 0) + attributes_seal + (secret_seal or bytes(48)), self.element)

    def blind(self, field, *texts):
        value = b"".join(struct.pack("<I", len(text.encode())) + text.encode() for text in texts)
        return blake2b(16, struct.pack("<II", field, len(value)) + value, self.index)

    def open_manifest(self, box):
        context = b"keyfob manifest v1" + self.vault + self.group + struct.pack("<I", self.epoch)
        return corrupted(self.manifest, context, box)

    def open_usage(self, box, first):
        context = b"keyfob usage v2" + self.vault + self.group + struct.pack("<IQ", self.epoch, first)
        events = corrupted(self.usage, context, box)
        if not events or len(events) % 64 or len(events) > 512 * 64:
            raise Corrupted("events")
        if any(struct.unpack("<Q", events[place + 56:place + 64])[0] > 1 for place in range(0, len(events), 64)):
            raise Corrupted("a flag that is not known")
        return events

    def usage_tag_of(self, texts):
        message = b"keyfob usage tag v1" + b"".join(
            struct.pack("<I", len(text.encode())) + text.encode() for text in texts)
        return struct.unpack("<Q", blake2b(16, message, self.usage_tag)[:8])[0] or 1

    def digest(self, position, node):
        return blake2b(16, struct.pack("<Q", position) + node, self.tree)

    def owners_mac(self, name, value):
        parts = b"".join(struct.pack("<I", len(part)) + part for part in [name, value])
        return blake2b(32, b"keyfob decision v1" + self.vault + self.group + parts, kdf(self.vault_key, b"KeyfobVK", 4))


INDICES = ["account_index", "credential_index", "username_index", "label_index"]


def fields(body):
    """The fields of a body, which are in ascending order of their numbers."""
    reader, found = Reader(body), []
    while reader.place < len(body):
        number = reader.number("H")
        found.append((number, reader.take(reader.number("I"))))
    if [number for number, _ in found] != sorted(number for number, _ in found):
        raise Corrupted("the order of fields")
    return found


def undo_entry(kind, body):
    """The entry of an undo journal that a record is of, or that added it: id, when it ran, command; nothing where it says none."""
    found = dict(fields(body))
    if kind == 10:
        id, command, ran = found[1], found[2], found[3]
    elif 0xFF01 in found and len(found[0xFF01]) >= 32:
        id, ran, command = found[0xFF01][:16], found[0xFF01][16:24], found[0xFF01][32:]
    else:
        return None
    return None if len(command) > 64 else (id, struct.unpack("<q", ran)[0], command)


def undo_key(entry):
    """By what people name an entry."""
    id, ran, command = entry
    return blake2b(16, id + struct.pack("<q", ran) + command)


def undo_entries(database, kind, secret):
    """The entries of the undo journals of a vault, and those of what was only added, each by its key."""
    stored = database.execute("SELECT bytes FROM header WHERE id = 1").fetchone()
    found = {}
    columns = ["record", "flags", "epoch", "stamp", "device", "kind", *INDICES, "attributes"]
    for keys in Header(stored[0]).unlock(kind, secret).values():
        for values in database.execute(f"SELECT {', '.join(columns)} FROM records WHERE group_id = ?", [keys.group]):
            header = dict(zip(columns, values))
            entry = undo_entry(header["kind"], keys.open_record(header, header["attributes"], None)[0])
            if entry and header["kind"] != 8:
                found[undo_key(entry).hex()] = entry
    return found


def keys_of(header):
    """The keys under which a record stands in the lookup tree."""
    return [header[name] for name in INDICES if header[name]] or [header["record"]]


def entry(key, row, kind, digest):
    return key + struct.pack("<Q", kind << 56 | row) + digest


def order(entry):
    return entry[:16], struct.unpack("<Q", entry[16:24])[0]


def digit(key, level):
    return int.from_bytes(key[:8], "big") >> 58 - 6 * level & 63


def tree(keys, entries, level=0, path=0):
    """The nodes of the tree that holds these entries, by their positions, and the digest of the top."""
    position, count = level << 36 | path, len({entry[:16] for entry in entries})
    if not entries:
        return {}, bytes(16)
    if count <= 32 or level == 6:
        node, nodes = b"\0" + b"".join(sorted(entries, key=order)), {}
    else:
        present, digests, nodes = 0, b"", {}
        for number in range(64):
            own = [entry for entry in entries if digit(entry, level) == number]
            if own:
                below, top = tree(keys, own, level + 1, path << 6 | number)
                nodes |= below
                present |= 1 << number
                digests += top
        node = b"\1" + struct.pack("<IQ", count, present) + digests
    return nodes | {position: node}, keys.digest(position, node)


def problems(database, kind, secret):
    """What is wrong with a vault's database, all of whose records are opened."""
    stored = database.execute("SELECT bytes FROM header WHERE id = 1").fetchone()
    if not stored:
        return ["no header"]
    found = []
    header = Header(stored[0])
    second = database.execute("SELECT bytes FROM second_header WHERE id = 1").fetchone()
    if second != stored:
        found.append("the second header")
    groups = header.unlock(kind, secret)
    for name, keys in groups.items():
        found += [f"{name}: {problem}" for problem in group_problems(database, keys)]
    known = [group.id for group in header.groups]
    strays = [row for (row,) in database.execute("SELECT group_id FROM records") if row not in known]
    return found + ["records of no group"] * bool(strays)


def group_problems(database, keys):
    row = database.execute("SELECT tree, sealed FROM manifests WHERE group_id = ?", [keys.group]).fetchone()
    if not row:
        return ["no manifest"]
    number, found = row[0], []
    try:
        manifest = keys.open_manifest(row[1])
    except Corrupted as error:
        return [f"the manifest: {error}"]
    counts, digests, entries = [0] * 16, [bytes(16)] * 16, []
    columns = ["id", "record", "flags", "epoch", "stamp", "device", "kind", *INDICES, "secret_commitment", "attributes"]
    for values in database.execute(f"SELECT {', '.join(columns)} FROM records WHERE group_id = ?", [keys.group]):
        header = dict(zip(columns, values))
        secret = database.execute("SELECT bytes FROM secrets WHERE id = ?", [header["id"]]).fetchone()
        secret = secret[0] if secret else None
        try:
            hash_ = keys.hash(header, seal(header["attributes"]), header["secret_commitment"])
            if (header["secret_commitment"] or None) != (seal(secret) if secret else None):
                found.append(f"the secret of row {header['id']}")
            if header["epoch"] != keys.epoch:
                raise Corrupted("the epoch")
            keys.open_record(header, header["attributes"], secret)
            counts[header["kind"]] += 1
            digests[header["kind"]] = bytes(a ^ b for a, b in zip(digests[header["kind"]], hash_[16:]))
            entries += [entry(key, header["id"], header["kind"], hash_[:16]) for key in keys_of(header)]
        except (Corrupted, struct.error, IndexError, TypeError) as error:
            found.append(f"row {header['id']}: {error}")
    if list(struct.unpack("<16I", manifest[8:72])) != counts or manifest[72:328] != b"".join(digests):
        found.append("the records are not those of the manifest")
    nodes, top = tree(keys, entries)
    if manifest[328:344] != top:
        found.append("the tree's top is not that of the manifest")
    for position, node in nodes.items():
        stored = database.execute("SELECT bytes FROM nodes WHERE id = ?", [number << 40 | position]).fetchone()
        if stored != (node,):
            found.append(f"node {position:#x}")
    counted = database.execute("SELECT records FROM record_counts WHERE group_id = ?", [keys.group]).fetchone()
    if (counted or (0,)) != (sum(counts),):
        found.append("the count of records")
    return found
