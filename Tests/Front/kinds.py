"""The kinds of damage that are tried, each a list of which any can be tried again by its number."""

import array
import functools
import random
import sqlite3

import pages
from bench import COPY, DATABASE, KEY, MARK, PLACES
from forms import FORMS


class Kind:
    """Damages of one kind, by number."""

    def __init__(self, name, vault, count, damage, asked=1):
        self.name, self.vault, self.count, self.damage, self.asked = name, vault, count, damage, asked


def flips(vault, is_every_bit):
    """Some bits of each byte after the other: three where something stands, one where nothing does, or all eight."""
    found, is_used = array.array("Q"), bytearray(len(vault.bytes[DATABASE]))
    for used in vault.database.used():
        is_used[used.start:used.stop] = b"\1" * len(used)
    for place, used in enumerate(is_used):
        found.extend(place << 3 | (place + 3 * step) % 8 for step in range(8 if is_every_bit else 3 if used else 1))

    def damage(number, _):
        place, bit = found[number] >> 3, found[number] & 7
        return f"bit {bit} of byte {place}", [(DATABASE, place, bytes([vault.bytes[DATABASE][place] ^ 1 << bit]))], None

    return Kind("flips", vault, len(found), damage, asked=8)


def cuts(vault):
    """The database cut off, or longer, at the borders of sectors and pages and beside them."""
    whole = len(vault.bytes[DATABASE])
    borders = range(0, whole + 2 * vault.database.size + 1, 512)
    lengths = sorted({border + beside for border in borders for beside in [-1, 0, 1]} - {-1, whole})
    return Kind("cuts", vault, len(lengths), lambda number, _: (f"{lengths[number]} bytes", [], (DATABASE, lengths[number])))


def files(vault):
    """Every bit and every length of the other files."""
    sizes = [(file, len(vault.bytes[file])) for file in [COPY, PLACES, MARK, KEY]]
    each = [(file, place, bit) for file, size in sizes for place in range(size) for bit in range(9)]
    each += [(file, size + more, 8) for file, size in sizes for more in [1, 512, 1 << 21]]

    def damage(number, bench):
        file, place, bit = each[number]
        name = vault.paths[file]
        if bit == 8:
            return f"{name}: {place} bytes", [], (file, place)
        return f"{name}: bit {bit} of byte {place}", [(file, place, bytes([bench.bytes[file][place] ^ 1 << bit]))], None

    return Kind("other files", vault, len(each), damage, asked=9)


def structure(vault):
    found = [(name, [(DATABASE, place, new) for place, new in edits]) for name, edits in pages.spoiled(vault.database)]
    return Kind("structure", vault, len(found), lambda number, _: (*found[number], None), asked=2)


def rewritten(vault):
    """The database as SQLite leaves it after a statement; each is asked every question."""
    found, folder = [], vault.base / "rewritten"
    folder.mkdir()
    for form in FORMS:
        path = folder / "keyring.db"
        path.write_bytes(vault.bytes[DATABASE])
        connection = sqlite3.connect(path, isolation_level=None)
        connection.executescript(form)
        connection.close()
        content = path.read_bytes()
        found += [(form, [(DATABASE, 0, content)], (DATABASE, len(content)))] * len(vault.questions)
    return Kind("rewritten", vault, len(found), lambda number, _: found[number])


def at_random(vault, seed, count, relevant):
    """Many kinds of damage to a large vault, most of them where an answer rests."""
    database, size = vault.database, vault.database.size
    header, free = list(pages.spoiled_header(database)), list(pages.spoiled_free_list(database))

    @functools.lru_cache(200)
    def of_page(number):
        if number in database.pages:
            return list(pages.spoiled_page(database, number))
        chains = [chain for chain in database.chains if number in chain]
        return list(pages.spoiled_chains(database, chains)) or free or header

    def one(chance, question):
        number = chance.choice(relevant[question]) if chance.random() < 0.8 else chance.randrange(database.count) + 1
        start, kind = database.start(number), chance.randrange(16)
        name = f"page {number}"
        if kind < 4:
            bits = [chance.randrange(size * 8) for _ in range(chance.choice([1, 1, 2, 8]))]
            return f"{name}: bits {bits}", [(start + bit // 8, bytes([database.data[start + bit // 8] ^ 1 << bit % 8]))
                                            for bit in bits]
        if kind < 6:
            length = min(chance.choice([1, 2, 4, 16, 512, 4096]), size)
            place = chance.randrange(0, size - length + 1)
            new = chance.choice([bytes(length), b"\xff" * length, chance.randbytes(length)])
            return f"{name}: {length} bytes at {place}", [(start + place, new)]
        if kind < 11:
            return chance.choice(of_page(number))
        if kind == 11:
            return chance.choice(header + free)
        if kind == 12:
            new = chance.choice([bytes(size), chance.randbytes(size), b"\xff" * size])
            return f"{name} is {new[:2].hex()}…", [(start, new)]
        if kind == 13:
            kinds = {page.number for page in database.pages.values()
                     if number in database.pages and page.kind == database.pages[number].kind}
            other = chance.choice(sorted(kinds) or [1])
            if chance.random() < 0.5:
                return f"{name} is a copy of {other}", [(start, database.bytes(other))]
            return f"{name} and {other} exchanged", [
                (start, database.bytes(other)), (database.start(other), database.bytes(number))]
        # Pages as they were before some changes.
        changed = vault.changed
        chosen = chance.choice([[number] if number in changed else changed[:1], changed,
                                chance.sample(changed, chance.randrange(1, len(changed) + 1)),
                                [page for page in changed if page != number],
                                [page for page in changed if page in relevant[question]] or changed[:1]])
        return f"{len(chosen)} pages of before, {chosen[:4]}", [
            (database.start(page), vault.old[database.start(page):database.start(page) + size]) for page in chosen]

    def damage(number, bench):
        chance = random.Random(f"{seed} {number}")
        question, cut = number % len(vault.questions), None
        found = [one(chance, question) for _ in range(chance.choice([1, 1, 1, 2, 5]))]
        if chance.random() < 0.02:
            cut = (DATABASE, chance.randrange(len(database.data) + size))
            found.append((f"{cut[1]} bytes", []))
        return ("; ".join(name for name, _ in found),
                [(DATABASE, *edit) for _, edits in found for edit in edits], cut)

    return Kind("at random", vault, count, damage)
