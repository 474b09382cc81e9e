"""Prints texts and what they are folded to as names, by Python's own tables: scalars in hexadecimal, a tab between the two.

Every scalar that Python's version of Unicode knows, but for ideographs and syllables of which one in 61 is enough; and
COUNT texts made at random of what composes, folds and moves. The first line tells the version.
"""
import random
import sys
import unicodedata


def fold(scalar):
    """Simple case folding: Python has the full one, and for the few that it makes longer the small letter is the simple one."""
    folded = scalar.casefold()
    if len(folded) > 1:
        folded = scalar.lower()
    return folded if len(folded) == 1 else scalar


def name(text):
    composed = unicodedata.normalize("NFC", text)
    return unicodedata.normalize("NFC", "".join(map(fold, composed)))


def show(text):
    print(" ".join(f"{ord(c):x}" for c in text), " ".join(f"{ord(c):x}" for c in name(text)), sep="\t")


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    print(unicodedata.unidata_version)
    known = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000 and unicodedata.category(chr(c)) not in ("Cn", "Co")]
    uniform = [c for c in known if 0x3400 <= ord(c) < 0xA000 or 0xAC00 <= ord(c) < 0xD7A4 or ord(c) >= 0x17000]
    plain = set(uniform) - {c for c in uniform if unicodedata.decomposition(c) or name(c) != c or unicodedata.combining(c)}
    for number, scalar in enumerate(known):
        if scalar not in plain or number % 61 == 0:
            show(scalar)
    odd = [c for c in known if c not in plain and (unicodedata.decomposition(c) or unicodedata.combining(c) or name(c) != c)]
    pools = [odd, [chr(c) for c in range(0x300, 0x370)], list("aAeEiIoOuUsSkKTtIıİ"), [chr(c) for c in range(0x1100, 0x11C3)],
             [chr(c) for c in range(0xAC00, 0xAD00)], [c for c in known if 0x900 <= ord(c) < 0xE00], known]
    chance = random.Random(seed)
    for _ in range(count):
        show("".join(chance.choice(chance.choice(pools)) for _ in range(chance.randint(1, 8))))


main()
