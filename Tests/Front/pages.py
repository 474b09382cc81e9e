"""What a file of SQLite is made of (https://sqlite.org/fileformat2.html), and how each part of it can be made wrong."""

import sqlite3
import struct

INTERIOR_INDEX, INTERIOR_TABLE, LEAF_INDEX, LEAF_TABLE = 2, 5, 10, 13
# Of the header of the file: where, how many bytes.
HEADER = {
    "page size": (16, 2), "write version": (18, 1), "read version": (19, 1), "reserved bytes": (20, 1),
    "largest share": (21, 1), "smallest share": (22, 1), "leaf share": (23, 1), "change counter": (24, 4),
    "size in pages": (28, 4), "first free page": (32, 4), "free pages": (36, 4), "schema cookie": (40, 4),
    "schema format": (44, 4), "cache size": (48, 4), "largest root": (52, 4), "text encoding": (56, 4),
    "user version": (60, 4), "incremental vacuum": (64, 4), "application": (68, 4), "reserved": (72, 4),
    "version valid for": (92, 4), "version of SQLite": (96, 4)}
ODD = {1: [0, 1, 2, 3, 0x20, 0x7F, 0x80, 0xFF],
       2: [0, 1, 3, 512, 513, 1024, 4096, 8192, 0x4001, 0x8000, 0xFFFF],
       4: [0, 1, 2, 3, 4, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]}


def read_varint(data, place):
    """The number at a place, and where it ends."""
    value = 0
    for index in range(8):
        byte = data[place + index]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + index + 1
    return value << 8 | data[place + 8], place + 9


def varint(value, length=0):
    """A number, in more bytes than it needs where `length` asks for them."""
    value &= (1 << 64) - 1
    if value >= 1 << 56 or length == 9:
        high, found = value >> 8, [value & 0xFF]
        for _ in range(8):
            found.append(high & 0x7F | 0x80)
            high >>= 7
        return bytes(reversed(found))
    found = [value & 0x7F]
    value >>= 7
    while value or len(found) < length:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(reversed(found))


class Cell:
    """An entry of a page: where each of its parts is, in the file."""

    def __init__(self, database, page, start):
        data, place, usable = database.data, start, database.usable
        self.start, self.child, self.overflow, self.row, self.length, self.types = start, None, None, None, None, []
        if page.is_interior:
            self.child, place = place, place + 4
        if page.kind != INTERIOR_TABLE:
            payload, after = read_varint(data, place)
            self.length, place = (place, after, payload), after
        if page.kind in (INTERIOR_TABLE, LEAF_TABLE):
            row, after = read_varint(data, place)
            self.row, place = (place, after, row), after
        self.body = self.end = place
        if page.kind == INTERIOR_TABLE:
            return
        most = usable - 35 if page.kind == LEAF_TABLE else (usable - 12) * 64 // 255 - 23
        least = (usable - 12) * 32 // 255 - 23
        here = least + (payload - least) % (usable - 4)
        self.end = place + (payload if payload <= most else here if here <= most else least)
        if payload > most:
            self.overflow, self.end = self.end, self.end + 4
        header, place = read_varint(data, place)
        self.header = (self.body, place, header)
        while place < self.body + header:
            kind, after = read_varint(data, place)
            self.types.append((place, after, kind))
            place = after


class Page:
    """A page of a tree."""

    def __init__(self, database, number):
        self.number, self.start = number, (number - 1) * database.size
        self.head = self.start + (100 if number == 1 else 0)
        self.kind = database.data[self.head]
        self.is_interior = self.kind in (INTERIOR_INDEX, INTERIOR_TABLE)
        (self.free_block, count, content) = struct.unpack_from(">HHH", database.data, self.head + 1)
        self.content = self.start + (content or 65536)
        self.pointers = self.head + (12 if self.is_interior else 8)
        self.cells = [Cell(database, self, self.start + offset)
                      for offset in struct.unpack_from(f">{count}H", database.data, self.pointers)]
        # What nothing points to: between the pointers and what they point to.
        self.gap = (self.pointers + 2 * count, self.content)


class Database:
    """The pages of a file that is whole."""

    def __init__(self, data, path):
        self.data = data
        self.size = {1: 65536}.get(size := struct.unpack_from(">H", data, 16)[0], size)
        self.usable = self.size - data[20]
        self.count = len(data) // self.size
        connection = sqlite3.connect(path)
        waiting = [1] + [root for (root,) in connection.execute("SELECT rootpage FROM sqlite_schema WHERE rootpage > 0")]
        connection.close()
        self.pages, self.chains, self.trunks, self.free = {}, [], [], []
        while waiting:
            page = Page(self, waiting.pop())
            self.pages[page.number] = page
            if page.is_interior:
                waiting += [self.number(cell.child) for cell in page.cells] + [self.number(page.head + 8)]
            self.chains += [self._chain(self.number(cell.overflow)) for cell in page.cells if cell.overflow]
        trunk = self.number(32)
        while trunk:
            start = self.start(trunk)
            self.trunks.append(trunk)
            self.free += struct.unpack_from(f">{self.number(start + 4)}I", data, start + 8)
            trunk = self.number(start)

    def number(self, place):
        return struct.unpack_from(">I", self.data, place)[0]

    def start(self, number):
        return (number - 1) * self.size

    def _chain(self, number):
        found = []
        while number:
            found.append(number)
            number = self.number(self.start(number))
        return found

    def bytes(self, number):
        return self.data[self.start(number):self.start(number) + self.size]

    def used(self):
        """The bytes that mean something, as ranges."""
        for number in range(1, self.count + 1):
            start = self.start(number)
            first, last = self.pages[number].gap if number in self.pages else (start, start)
            yield range(start, first)
            if number not in self.free:
                yield range(last, start + self.size)


def spoiled_header(database):
    """Each field of the file's header, with values that it must not have, or that mean something else."""
    for name, (place, width) in HEADER.items():
        now = int.from_bytes(database.data[place:place + width], "big")
        for value in [*ODD[width], now + 1, now - 1, now * 2, now // 2]:
            yield f"{name} {value}", [(place, (value % (1 << 8 * width)).to_bytes(width, "big"))]


def spoiled_free_list(database):
    lives = list(database.pages)[-3:] + [chain[0] for chain in database.chains[:1]]
    for number in lives:
        for count in [1, 2, database.count]:
            yield f"{number} is free", [(32, struct.pack(">II", number, count))]
    for trunk in database.trunks[:2]:
        start = database.start(trunk)
        for next_one in [trunk, 1, *lives, database.count + 1]:
            yield f"free page {trunk} leads to {next_one}", [(start, struct.pack(">I", next_one))]
        for count in [0, 1, database.size // 4, database.size, 0x7FFFFFFF, 0xFFFFFFFF]:
            yield f"free page {trunk} has {count}", [(start + 4, struct.pack(">I", count))]
        for leaf in [trunk, 0, 1, *lives]:
            yield f"free page {trunk} lists {leaf}", [(start + 8, struct.pack(">I", leaf))]


def spoiled_chains(database, chains):
    """Overflow pages that lead elsewhere, or round in a circle."""
    for chain in chains:
        for number in chain:
            for other in [0, 1, number, chain[0], chain[-1], database.count, database.count + 1, 0x80000000, 0xFFFFFFFF,
                          *database.trunks[:1], *(each[0] for each in database.chains[:2])]:
                yield f"overflow page {number} leads to {other}", [(database.start(number), struct.pack(">I", other))]


def spoiled_page(database, number):
    """Each field of a page of a tree."""
    page, start = database.pages[number], database.start(number)
    alike = [each.number for each in database.pages.values() if each.kind == page.kind][:3]
    targets = {0, 1, number, database.count, database.count + 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, *alike,
               *(chain[0] for chain in database.chains[:1]), *database.trunks[:1]}
    for kind in {0, 1, 2, 5, 10, 13, 0x7F, 0xFF} - {page.kind}:
        yield f"page {number}: kind {kind}", [(page.head, bytes([kind]))]
    for name, offset in [("free block", 1), ("cells", 3), ("content", 5)]:
        place = page.head + offset
        now = struct.unpack_from(">H", database.data, place)[0]
        for value in {*ODD[2], now + 1, now - 1, now // 2, page.pointers - start, page.gap[0] - start,
                      database.size - 1, *(cell.start - start for cell in page.cells[:2])}:
            yield f"page {number}: {name} {value}", [(place, struct.pack(">H", value % 65536))]
    # A free block that leads to itself.
    if page.gap[1] - page.gap[0] >= 8:
        block = page.gap[1] - 4
        yield f"page {number}: a circle of free blocks", [
            (page.head + 1, struct.pack(">H", block - start)), (block, struct.pack(">HH", block - start, 4))]
    for value in ODD[1]:
        yield f"page {number}: fragments {value}", [(page.head + 7, bytes([value]))]
    if page.is_interior:
        for target in targets:
            yield f"page {number}: right to {target}", [(page.head + 8, struct.pack(">I", target))]
    yield from spoiled_pointers(database, page)
    for index, cell in enumerate(page.cells):
        for name, edits in spoiled_cell(database, page, index, cell, targets):
            yield f"page {number}, cell {index}: {name}", edits


def spoiled_pointers(database, page):
    """Entries that are elsewhere, twice, missing or in another order."""
    start, count = page.start, len(page.cells)
    offsets = [cell.start - start for cell in page.cells]
    for index, offset in enumerate(offsets):
        place = page.pointers + 2 * index
        for value in {0, offset + 1, offset - 1, page.pointers - start, database.size - 1, database.size % 65536, 65535,
                      offsets[(index + 1) % count], offsets[0], offsets[-1]} - {offset}:
            yield f"page {page.number}, cell {index} at {value}", [(place, struct.pack(">H", value))]
        for name, order in [
                ("exchanged", offsets[:index] + offsets[index:index + 2][::-1] + offsets[index + 2:]),
                ("missing", offsets[:index] + offsets[index + 1:]),
                ("twice", offsets[:index] + offsets[index:index + 1] + offsets[index:])]:
            if page.pointers + 2 * len(order) <= page.content:
                yield f"page {page.number}, cell {index} {name}", [
                    (page.head + 3, struct.pack(">H", len(order))), (page.pointers, struct.pack(f">{len(order)}H", *order))]
    yield f"page {page.number}, cells backwards", [(page.pointers, struct.pack(f">{count}H", *offsets[::-1]))]


def spoiled_cell(database, page, index, cell, targets):
    """The numbers of an entry; where they take more bytes it moves to where there is room, and is otherwise whole."""
    data = database.data

    def moved(part, new):
        whole = data[cell.start:part[0]] + new + data[part[1]:max(cell.end, part[1])]
        place = page.content - len(whole)
        if place < page.gap[0]:
            return [(part[0], new)]
        offset = place - page.start
        return [(place, whole), (page.pointers + 2 * index, struct.pack(">H", offset)),
                (page.head + 5, struct.pack(">H", offset))]

    for place in [cell.child, cell.overflow]:
        for target in targets if place else []:
            yield f"leads to {target}", [(place, struct.pack(">I", target))]
    if cell.length:
        now = cell.length[2]
        for value in [0, 1, 3, now - 1, now + 1, now + database.size, 1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63]:
            yield f"length {value}", moved(cell.length, varint(value))
    if cell.row:
        now = cell.row[2]
        for value in [0, -1, -now, now - 1, now + 1, (1 << 63) - 1, -(1 << 63), *(each.row[2] for each in page.cells[:2])]:
            yield f"row {value}", moved(cell.row, varint(value))
    for name, part in [("length", cell.length), ("row", cell.row)]:
        for length in [3, 8, 9] if part else []:
            yield f"{name} in {length} bytes", moved(part, varint(part[2], length))
    if cell.length:
        for value in {0, 1, 2, cell.header[2] - 1, cell.header[2] + 1, 127, 1 << 31, 1 << 63}:
            yield f"header {value}", [(cell.header[0], varint(value))]
    for column, part in enumerate(cell.types):
        for value in {*range(14), part[2] + 1, part[2] - 1, part[2] + 2, 1 << 31, 1 << 32, (1 << 64) - 1} - {part[2], -1}:
            yield f"column {column} of type {value}", [(part[0], varint(value))]


def spoiled(database):
    """All of that, for every page."""
    yield from spoiled_header(database)
    yield from spoiled_free_list(database)
    yield from spoiled_chains(database, database.chains)
    for number in sorted(database.pages):
        yield from spoiled_page(database, number)
