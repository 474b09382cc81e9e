"""JSON, property lists, TOML and forms, compared with what Python has for them."""

import datetime
import json
import plistlib
import re
import struct
import sys
import tomllib
import urllib.parse
import xml.etree.ElementTree

sys.setrecursionlimit(10_000)

TEXTS = ["", "a", "b", "k", "token", "é", "日本", "😀", '"', "\\", "/", "\n", "\t", "\0", "\x7f", "\u2028", "a b", "null", "1", "e\u0301", "\ud83d", "x" * 70]
NUMBERS = ["0", "-0", "1", "-17", "1.5", "1e5", "1E-5", "0.0", "123456789012345678901234567890", "1e400", "-1.0e+2"]
BAD = ["01", "+1", "1.", ".5", "1e", "NaN", "Infinity", "-", "0x1", "True", "nul", "'a'", "", "\\", '"\n"', '"\\x"', '"\\u12"', "//", "/* */", "\ufeff", "\x0b"]


def hexadecimal(text):
    return text.encode("utf-8", "surrogatepass").hex()


class JSON:
    name = "json"
    small, large = 4_000, 50_000

    def documents(self, chance, count):
        return [self._document(chance) for _ in range(count)]

    def _document(self, chance):
        text = self._value(chance, 4)
        for _ in range(chance.choice([0, 0, 1, 1, 2])):
            place = chance.randint(0, len(text))
            piece = chance.choice(BAD + NUMBERS + ["{", "}", "[", "]", ",", ":", '"', " ", "a", "\\u00e9", "\\ud83d\\ude00", "\\udc00"])
            text = text[:place] + piece + text[place + chance.randint(0, 2):]
        document = text.encode("utf-8", "surrogatepass")
        if chance.random() < 0.03:
            place = chance.randint(0, len(document))
            document = document[:place] + bytes([chance.randint(0x80, 0xFF)]) + document[place:]
        return document

    def _value(self, chance, depth):
        blank = chance.choice(["", "", " ", "\n", "\t", "\r\n"])
        kind = chance.random()
        if depth == 0 or kind < 0.5:
            word = chance.choice([self._text(chance), chance.choice(NUMBERS), "true", "false", "null"])
        elif kind < 0.75:
            word = "{" + ",".join(f"{blank}{self._text(chance)}{blank}:{self._value(chance, depth - 1)}" for _ in range(chance.randint(0, 4))) + "}"
        else:
            word = "[" + ",".join(self._value(chance, depth - 1) for _ in range(chance.randint(0, 4))) + blank + "]"
        return blank + word + blank

    @staticmethod
    def _text(chance):
        return json.dumps(chance.choice(TEXTS), ensure_ascii=chance.random() < 0.5)

    @staticmethod
    def request(document):
        return document

    def expected(self, documents):
        return [self._read(document) for document in documents]

    def _read(self, document):
        def refuse(word):
            raise ValueError(f"no {word}")
        try:
            text = document.decode("utf-8")
            value = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=tuple, parse_int=Number, parse_float=Number, parse_constant=refuse)
            return " ".join(self._words(value))
        except (ValueError, RecursionError, UnicodeDecodeError):
            return None

    def _words(self, value):
        if isinstance(value, tuple):
            return ["{"] + [word for name, item in value for word in self._words(name) + self._words(item)] + ["}"]
        if isinstance(value, list):
            return ["["] + [word for item in value for word in self._words(item)] + ["]"]
        if isinstance(value, Number):
            return ["n" + hexadecimal(value.text)]
        if isinstance(value, str):
            return ["s" + hexadecimal(value)]
        return ["null" if value is None else str(value).lower()]

    def difference(self, document, ours, theirs):
        if ours.startswith("refused"):
            if theirs is None:
                return None
            # Half of a surrogate pair is no text.
            return "refuses: half a pair" if re.search(r"s(..)*?ed[ab]", theirs) else "REFUSES"
        return "TAKES" if theirs is None else None if ours == theirs else "MISREADS"


class Number:
    def __init__(self, text):
        self.text = text


class TOML:
    """A project file: lines `key = "text"` alone."""

    name = "toml"
    small, large = 3_000, 50_000
    KEYS = ["a", "b", "account", "group", "A-b_1", '"q k"', "'s k'", '"\\u0061"', "1", '""']
    PIECES = ["[t]", "[[t]]", "a.b", ".", '"""', "'''", '"""\na"""', "1", "true", "1979-05-27", "[1, 2]", "{a = 1}", "=", '"', "'", "\\", "\n", "\r", "#",
              " ", "\t", "é", "\\e", "\\x41", "\\u00e9", "\\U0001F600", "\\ud800", "\x00", "\x7f", "\x08", "a", "inf", "+1", "\ufeff", "a = 'x'\n"]

    def documents(self, chance, count):
        return [self._document(chance) for _ in range(count)]

    def _document(self, chance):
        end = chance.choice(["\n", "\n", "\r\n"])
        lines = [self._line(chance) for _ in range(chance.randint(0, 4))]
        text = chance.choice(["", "", "\ufeff"]) + end.join(lines) + chance.choice(["", end])
        for _ in range(chance.choice([0, 0, 1, 2])):
            place = chance.randint(0, len(text))
            text = text[:place] + chance.choice(self.PIECES) + text[place + chance.randint(0, 2):]
        return text.encode()

    def _line(self, chance):
        blank = lambda: chance.choice(["", " ", " ", "\t", "  "])
        if chance.random() < 0.15:
            return blank() + chance.choice(["", "# c", "# é \"x", "#"])
        value = chance.choice(['"ada@contoso.example"', "'a\\b'", '"a\\"b\\\\ \\t\\u00e9\\U0001F600"', '""', "''", '"é#x"', "'\"'", "1", "true", "[]", '"""x"""'])
        return f"{blank()}{chance.choice(self.KEYS)}{blank()}={blank()}{value}{blank()}{chance.choice(['', '', '# c', '#'])}"

    @staticmethod
    def request(document):
        return document

    def expected(self, documents):
        return [self._read(document) for document in documents]

    @staticmethod
    def _read(document):
        try:
            return tomllib.loads(document.decode().removeprefix("\ufeff"))
        except (ValueError, RecursionError):
            return None

    def difference(self, document, ours, theirs):
        if ours.startswith("refused"):
            if theirs is None:
                return None
            is_flat = all(isinstance(value, str) for value in theirs.values())
            if not is_flat:
                return None
            # Of what stands in its promise nothing is refused: no table, no dotted name, no text of several lines.
            parts = re.findall(r"\"\"\"|\'\'\'|'[^'\n]*'|\"(?:\\.|[^\"\\\n])*\"|#[^\n]*|^[ \t]*\[", document.decode(), re.MULTILINE)
            return None if any(part in ('"""', "\'\'\'") or part.endswith("[") and part[0] not in "\"'#" for part in parts) else "REFUSES"
        words = " ".join(sorted(f"{hexadecimal(key)}={hexadecimal(value)}" for key, value in (theirs or {}).items() if isinstance(value, str)))
        return "TAKES" if theirs is None else None if ours == words and all(isinstance(value, str) for value in theirs.values()) else "MISREADS"


class PropertyList:
    """Binary property lists, whole and damaged."""

    name = "plist"
    small, large = 2_000, 50_000
    EPOCH = datetime.datetime(2001, 1, 1)

    def documents(self, chance, count):
        return [self._document(chance) for _ in range(count)]

    def _document(self, chance):
        document = bytearray(plistlib.dumps(self._value(chance, 3), fmt=plistlib.FMT_BINARY, sort_keys=False))
        for _ in range(chance.choice([0, 0, 1, 2, 4])):
            place = chance.choice([chance.randrange(len(document)), -chance.randint(1, 40)])
            document[place] = chance.choice([chance.randrange(256), document[place] ^ 1 << chance.randrange(8), 0, 0xFF])
        if chance.random() < 0.05:
            del document[chance.randrange(len(document)):]
        return bytes(document)

    def _value(self, chance, depth):
        kind = chance.random()
        if depth == 0 or kind < 0.5:
            text = chance.choice([text for text in TEXTS if text != "\ud83d"])
            return chance.choice([text, text.encode(), True, False, 0, 17, -1, 1 << 63, 1.5, -0.0, plistlib.UID(chance.choice([0, 3, 300, 70_000])),
                                  self.EPOCH + datetime.timedelta(seconds=chance.choice([0, 0.5, -1, 800_000_000]))])
        if kind < 0.75:
            return {chance.choice(TEXTS[:6] + ["é"]): self._value(chance, depth - 1) for _ in range(chance.randint(0, 20))}
        return [self._value(chance, depth - 1) for _ in range(chance.randint(0, 18))]

    @staticmethod
    def request(document):
        return document

    def expected(self, documents):
        return [self._read(document) for document in documents]

    def _read(self, document):
        try:
            return " ".join(self._words(plistlib.loads(document, fmt=plistlib.FMT_BINARY, dict_type=Pairs)))
        except Exception:  # What it raises for damage is not told.
            return None

    def _words(self, value):
        if isinstance(value, Pairs):
            return ["{"] + [word for name, item in value.pairs for word in self._words(name) + self._words(item)] + ["}"]
        if isinstance(value, list):
            return ["["] + [word for item in value for word in self._words(item)] + ["]"]
        if isinstance(value, bool):
            return [str(value).lower()]
        if isinstance(value, str):
            return ["s" + hexadecimal(value)]
        if isinstance(value, bytes):
            return ["d" + value.hex()]
        if isinstance(value, plistlib.UID):
            return [f"u{value.data}"]
        if isinstance(value, float):
            return [f"r{struct.unpack('>Q', struct.pack('>d', value))[0]}"]
        if isinstance(value, datetime.datetime):
            return ["date"]
        return ["null" if value is None else "integer"]

    def difference(self, document, ours, theirs):
        if "refused" in ours:
            why = ours.split(": ")[-1] if ": " in ours else ours.removeprefix("refused ") if ours.startswith("refused") else "no text"
            return None if theirs is None else f"refuses: {why}"
        mine = ours.split(" ")
        if theirs is None:
            if "<" in mine:
                return "takes: a set"
            # No calendar has such a date, and none is made of it.
            reals = [struct.unpack(">d", struct.pack(">Q", int(word[1:])))[0] for word in mine if word[0] == "r"]
            return "takes: a date of no calendar" if any(not abs(real) < 5e10 for real in reals) else "TAKES"
        others = theirs.split(" ")
        # A date is told in another way: to the microsecond alone.
        same = len(mine) == len(others) and all(one == other or other == "date" and one[0] == "r" for one, other in zip(mine, others))
        return None if same else "MISREADS"


class Pairs(dict):
    def __init__(self):
        super().__init__()
        self.pairs = []

    def __setitem__(self, name, value):
        if not isinstance(name, str):
            raise TypeError(name)
        self.pairs.append((name, value))


class Form:
    """`application/x-www-form-urlencoded`, as sign-ins answer."""

    name = "form"
    small, large = 3_000, 50_000
    PIECES = ["a", "b", "c", "=", "=", "&", "&", "%41", "%c3%a9", "%C3%28", "%", "%4", "%zz", "+", "x", "%00", "%26", "%3D", ";", "é", " ", "\n", "a=1", "b=2&", "c="]

    def documents(self, chance, count):
        return ["".join(chance.choice(self.PIECES) for _ in range(chance.randint(0, 9))).encode() for _ in range(count)]

    @staticmethod
    def request(document):
        return document

    def expected(self, documents):
        return [self._read(document) for document in documents]

    @staticmethod
    def _read(document):
        try:
            pairs = urllib.parse.parse_qsl(document.decode(), keep_blank_values=True, strict_parsing=bool(document), errors="strict")
        except (ValueError, UnicodeDecodeError):
            return None
        return pairs

    def difference(self, document, ours, theirs):
        if ours.startswith("refused"):
            if theirs is None:
                return None
            names = [name for name, _ in theirs]
            # What is not written as the standard says, is there twice, or has no name.
            is_odd = not re.fullmatch(rb"([\x21-\x24\x26-\x7e]|%[0-9A-Fa-f]{2})*", document) or len(set(names)) < len(names) or "" in names
            return None if is_odd else "REFUSES"
        if theirs is None:
            return "TAKES"
        words = sorted(f"{name}={value.encode().hex()}" for name, value in theirs if name in set("abcdef"))
        return None if sorted(ours.split()) == words else "MISREADS"


class TokenServiceError:
    """The errors of AWS's token service, which are XML."""

    name = "sts"
    small, large = 1_000, 20_000
    PIECES = ["AccessDenied", "Expired Token", "", "a &amp; b", "&lt;x&gt;", "&amp;lt;", "&quot;&apos;", "&#65;", "&#x41;", "<!-- c -->", "<![CDATA[x]]>",
              "<b>x</b>", "é", "]]>", "&", "<", "  ", "\n", "a.b-c:d_e"]

    def documents(self, chance, count):
        return [self._document(chance) for _ in range(count)]

    def _document(self, chance):
        def element(name):
            pieces = self.PIECES[:1] + self.PIECES[-1:] if name == "Code" and chance.random() < 0.6 else self.PIECES
            return f"<{name}>{''.join(chance.choice(pieces) for _ in range(chance.randint(0, 2)))}</{name}>"
        inner = "".join(element(name) for name in chance.choice([["Code", "Message"], ["Type", "Code", "Message"], ["Code"], ["Message", "Code"], ["Code", "Code"]]))
        return f"<ErrorResponse><Error>{inner}</Error><RequestId>x</RequestId></ErrorResponse>".encode()

    @staticmethod
    def request(document):
        return document

    def expected(self, documents):
        return [self._read(document) for document in documents]

    @staticmethod
    def _read(document):
        try:
            root = xml.etree.ElementTree.fromstring(document)
        except xml.etree.ElementTree.ParseError:
            return None
        def text(name):
            found = root.findall(f".//{name}")
            return (found[0].text or "") if len(found) == 1 and len(found[0]) == 0 else None
        return text("Code"), text("Message")

    def difference(self, document, ours, theirs):
        if ours == "refused":
            if theirs is None or not re.fullmatch(r"[A-Za-z0-9+/=_.:-]+", theirs[0] or ""):
                return None
            return "refuses: marks in a code"
        code, message = ours.split(" ")
        if theirs is None:
            return "takes: no XML"
        if bytes.fromhex(code).decode() != theirs[0]:
            return "MISREADS"
        if message == "-" or bytes.fromhex(message).decode() == theirs[1]:
            return None
        return "MISREADS: message"
