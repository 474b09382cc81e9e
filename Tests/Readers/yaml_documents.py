"""YAML: as tools write it, in every style, damaged, and of pieces at random; compared with libyaml by PyYAML."""

import os
import pathlib
import re
import subprocess
import tempfile

import yaml

import yaml_events

WORDS = [
    "token", "user", "users", "name", "oauth_token", "a b", "a: b", "a:b", "x #y", "x#y", "#x", "- a", "-a", "? q", "?q", "a?b",
    "& a", "&a", "*a", "!t", "%d", "@a", "`x", "", " ", "  lead", "trail ", "a\nb", "a\n\nb", "a\nb\n", "\na", "a\n b", " a\nb", "\n",
    "a\\b", '"q"', "it's", "''", "null", "Null", "~", "True", "false", "yes", "No", "off", "y", "123", "-5", "007", "1.5", "1e3",
    "0x1f", "0o7", "1_000", "1:30", "2026-11-26", "2026-11-26T10:00:00Z", ".inf", "=", "<<", "é", "日本", "😀", "\u2028", "\x85", "\ufeff",
    "a\tb", "\ta", "a\t", "{x}", "[x]", "a,b", "a]", "|", ">", "---", "...", "--- a", "key", "x" * 90, "word " * 25, "::", ": x", "a:",
    "https://k8s.example:6443/p?q=1#f", "gho_0123456789abcdefghij", "\x7f", "\x01", "-", "--", "?", ":", "a:\tb", "0", "a  b", "'", '"',
    "\r\n", "a\rb", "\0", "e\u0301", "{", "}", "[", ",", "a, b", "a: [b", "# no\nyes", "a\n# b\nc", "a\n---\nb", "%x\n", "\U0010ffff",
]
PIECES = [
    "a", "b: ", "key", ":", ": ", "- ", "-", "\n", "\n  ", "\n    ", "\n ", "\n- ", "\n  - ", '"x"', "'y'", " #c", "#", '"', "'", "|", ">",
    "|\n", ">-\n", "|2\n", "|+\n", ">1-\n", "~", "x y", "? ", "?", "&a ", "*a", "!t ", "!!str ", "{", "}", "[", "]", ", ", ",", "---", "---\n",
    "...\n", "--- ", "\t", " ", "token: v\n", "token : v\n", "  ", "é", "\\", '"a\\u0041"', "'it''s'", "NULL", "\r\n", "\r", "\ufeff", "name:",
    '"k":v', '"k": v', "'k' : v", "- - a", "-  b", "key:  v", "%YAML 1.1\n", "users:\n", '"a\\\n  b"', "<<: ", "0x1f", "a:\n", "- a\n",
    "? a\n: b\n", "\x85", "\u2028", "\x7f", "\x00", "{a: b}", "[a, b]", "{a: b, ", "[a: b]", '{"a":b}', "@", "`", ":a", "a#", "a #b\n", "\n\n",
]


def value(chance, depth):
    """Anything that YAML can hold."""
    kind = chance.random()
    if depth <= 0 or kind < 0.55:
        return chance.choice(WORDS)
    if kind < 0.8:
        return {chance.choice(WORDS): value(chance, depth - 1) for _ in range(chance.randint(0, 4))}
    return [value(chance, depth - 1) for _ in range(chance.randint(0, 4))]


def kubeconfig(chance):
    """What kubectl could have written."""
    def word():
        return chance.choice(WORDS)
    users = [{"name": word(), "user": chance.choice([{"token": word()}, {}, {"exec": {"command": word(), "args": [word()], "env": None}}])}
             for _ in range(chance.randint(0, 3))]
    return {"apiVersion": "v1", "clusters": [{"cluster": {"server": word()}, "name": word()}], "contexts": None, "kind": "Config",
            "current-context": word(), "preferences": {}, "users": users}


def dumped(chance):
    """A document as PyYAML writes it."""
    content = kubeconfig(chance) if chance.random() < 0.2 else {word: value(chance, 3) for word in chance.sample(WORDS, chance.randint(1, 4))}
    return yaml.dump(
        content, Dumper=chance.choice([yaml.SafeDumper, yaml.CSafeDumper]), default_flow_style=chance.choice([False, False, None, True]),
        allow_unicode=chance.choice([True, False]), width=chance.choice([10, 20, 80, 1000]), indent=chance.choice([2, 2, 4, 7]),
        default_style=chance.choice([None, None, None, '"', "'", "|", ">"]), explicit_start=chance.random() < 0.2,
        explicit_end=chance.random() < 0.1, sort_keys=chance.random() < 0.5,
        line_break=chance.choice(["\n", "\n", "\n", "\r\n", "\r"]))


class Writer:
    """Writes values as people do who know all of YAML's styles."""

    def __init__(self, chance):
        self.chance = chance

    def blank(self):
        return self.chance.choice(["", "", "", " ", "  "])

    def comment(self):
        return self.chance.choice(["", "", "", "", " # c", "  #", " #: x", " # 'q"])

    def lines(self):
        return self.chance.choice(["\n"] * 6 + ["\n\n", "\n# c\n", "\n   # c\n", "\n  \n"])

    def plain(self, text, is_flow):
        bad = r"[\x00-\x1f\x7f\x85\u2028\u2029\ufeff]|: |:$| #|^[-?:,\[\]{}#&*!|>'\"%@` ]|\s$|^\s|^$|^---|^\.\.\."
        return None if re.search(bad, text) or is_flow and re.search(r"[,\[\]{}]|:$", text) else text

    def scalar(self, text, indent, is_flow, is_key):
        styles = ["plain"] * 4 + ["single", "double"]
        if not is_flow and not is_key:
            styles += ["block", "long"]
        style = self.chance.choice(styles)
        if style == "plain" and self.plain(text, is_flow) is not None:
            return text
        if style == "long":
            return self.long(text, indent)
        if style == "block" and text and not re.search(r"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ufeff]", text):
            return self.block(text, indent)
        if style == "single" and not re.search(r"[\x00-\x1f\x7f\x85\u2028\u2029\ufeff]", text):
            return "'" + text.replace("'", "''") + "'"
        return self.double(text)

    def double(self, text):
        out = ""
        for character in text:
            code = ord(character)
            if character in '"\\':
                out += "\\" + character
            elif code < 0x20 or code in (0x7F, 0x85, 0x2028, 0x2029, 0xFEFF) or self.chance.random() < 0.05:
                short = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0", "\x85": "\\N", "\u2028": "\\L", " ": "\\ ", "/": "\\/"}
                out += short.get(character) or (
                    "\\x%02x" % code if code < 256 else "\\u%04X" % code if code < 0x10000 else "\\U%08x" % code)
            else:
                out += character
        return '"' + out + '"'

    def long(self, text, indent):
        """Words in several lines."""
        words = [word for word in re.split(r"[\s\x00-\x1f\x85\u2028\u2029]+", text) if word] or ["x"]
        words = [re.sub(r"[^\w/.@-]", "_", word, flags=re.ASCII) for word in words * 2]
        style = self.chance.choice(["", "'", '"'])
        if not style and words[0][0] in "-@.":
            words[0] = "x" + words[0]
        glue = lambda: self.chance.choice([" "] * 3 + ["\n" + " " * indent, "\n\n" + " " * indent, " \n" + " " * (indent + 2)] + (
            ["\\\n" + " " * indent] if style == '"' else []))
        return style + "".join(word + (glue() if place < len(words) - 1 else "") for place, word in enumerate(words)) + style

    def block(self, text, indent):
        step = self.chance.choice([1, 2, 4])
        lead = text.lstrip("\n").startswith((" ", "\t")) or text.startswith("\n")
        width = str(step) if lead or self.chance.random() < 0.2 else ""
        ends = len(text) - len(text.rstrip("\n"))
        chomp = "-" if ends == 0 else "" if ends == 1 and text != "\n" and self.chance.random() < 0.7 else "+"
        marks = self.chance.choice([width + chomp, chomp + width])
        body = "".join((" " * (max(indent - 1, 0) + step) if line else "") + line + "\n" for line in text.rstrip("\n").split("\n"))
        body += "\n" * (ends - 1 if ends > 1 else 0)
        # What follows belongs to the line after.
        return "|" + marks + self.comment() + "\n" + body + "\x1a"

    def flow(self, value, indent):
        glue = lambda: self.chance.choice(["", " ", "\n" + " " * indent, " # c\n" + " " * indent])
        if isinstance(value, dict):
            names = set()
            parts = []
            for name, item in value.items():
                if not isinstance(name, str) or name in names:
                    continue
                names.add(name)
                key = self.scalar(name, indent, True, True)
                colon = self.chance.choice([": ", " : ", ":"] if key[0] in "\"'" else [": ", " : "])
                parts.append(glue() + key + colon + self.flow(item, indent))
            return "{" + ",".join(parts) + self.chance.choice(["", "," if parts else ""]) + glue() + "}"
        if isinstance(value, list):
            return "[" + ",".join(glue() + self.flow(item, indent) for item in value) + glue() + "]"
        return "null" if value is None else self.scalar(value, indent, True, False)

    def node(self, value, indent, column):
        """What stands behind a colon or a dash, with the end of its line; nested blocks begin at `column` or further in."""
        if isinstance(value, (dict, list)) and value and self.chance.random() < 0.75:
            further = column + self.chance.choice([0, 1, 2] if isinstance(value, list) and column == indent - 1 else [1, 2, 4])
            further = max(further, indent) if isinstance(value, dict) else further
            return self.comment() + self.lines() + self.blocks(value, further)
        text = self.flow(value, indent) if isinstance(value, (dict, list)) else (
            self.chance.choice(["", " null", " ~"]) if value is None else " " + self.blank() + self.scalar(value, indent, False, False))
        text = text if text.startswith(" ") or not text else " " + text
        return text[:-1] if text.endswith("\x1a") else text + self.comment() + self.lines()

    def blocks(self, value, column):
        out = ""
        pad = " " * column
        if isinstance(value, dict):
            for name, item in value.items():
                key = self.scalar(name, column + 1, False, True)
                sign = "? " if self.chance.random() < 0.05 else ""
                between = "\n" + pad if sign else self.blank()
                out += pad + sign + key + between + ":" + self.node(item, column + 1, column)
            return out
        for item in value:
            if isinstance(item, dict) and item and self.chance.random() < 0.6:
                step = self.chance.choice([1, 1, 3])
                inner = self.blocks(item, column + 1 + step)
                out += pad + "-" + " " * step + inner[column + 1 + step:]
            else:
                out += pad + "-" + self.node(item, column + 1, column)
        return out


def written(chance):
    content = kubeconfig(chance) if chance.random() < 0.2 else value(chance, 4)
    writer = Writer(chance)
    if isinstance(content, (dict, list)) and content:
        text = writer.blocks(content, 0) if chance.random() < 0.85 else writer.flow(content, 0) + "\n"
    else:
        text = (writer.flow(content, 1) if isinstance(content, (dict, list)) else writer.scalar(content, 1, True, False)) + "\n"
    text = chance.choice(["", "", "", "---\n", "# c\n", "\ufeff", "\n"]) + text + chance.choice(["", "", "", "...\n", "# end\n"])
    return text.replace("\n", "\r\n") if chance.random() < 0.15 else text


def damaged(chance):
    text = chance.choice([dumped, written])(chance)
    for _ in range(chance.randint(1, 3)):
        place = chance.randint(0, len(text))
        kind = chance.random()
        if kind < 0.35:
            text = text[:place] + text[place + chance.randint(1, 3):]
        elif kind < 0.75:
            text = text[:place] + chance.choice(PIECES) + text[place:]
        elif kind < 0.9:
            end = place + chance.randint(1, 20)
            text = text[:place] + text[place:end] + text[place:]
        else:
            text = text[:place] + "\n"
    return text


def pieces(chance):
    return "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 9))) + "\n"


class YAML:
    name = "yaml"
    small, large = 6_000, 50_000

    @staticmethod
    def request(document):
        return document

    def documents(self, chance, count):
        kinds = [dumped, written, written, damaged, damaged, pieces, pieces]
        return [chance.choice(kinds)(chance).encode("utf-8", "surrogatepass") for _ in range(count)]

    def expected(self, documents):
        return [yaml_events.read(document) for document in documents]

    def difference(self, document, ours, theirs):
        """Nothing where both agree; else what differs, in a word."""
        events, problem = theirs
        refused = ours.startswith("refused")
        if events is None:
            if refused:
                return None
            if yaml_events.is_of_yaml12(document, ours):
                return "takes: YAML 1.2"
            if self._is_like_item(document, ours):
                return "takes: a text at the margin"
            # Between tokens a tab is a blank.
            blank, _ = yaml_events.read(document.replace(b"\t", b" "))
            return "takes: tab" if b"\t" in document and blank and yaml_events.words_agree(ours, blank.line) else f"TAKES: {problem}"
        if not refused:
            return None if yaml_events.words_agree(ours, events.line) else "MISREADS"
        flaw = ours.split(" ")[1]
        # What is refused because it is there must be there.
        if flaw in events.features or flaw == "anchor" and "*" in events.words:
            return None
        if flaw in ("unended", "character"):
            return f"refuses: {flaw}"
        # By the rules of YAML 1.2 it is something else, or nothing.
        if "tag" not in events.features and not yaml_events.is_of_yaml12(document, events.line):
            return "refuses: no YAML 1.2"
        return f"refuses: {flaw}"

    @staticmethod
    def _is_like_item(document, ours):
        """Whether a document that is one text is what libyaml reads where it is an item of a list, indented by a blank."""
        found = re.search(r"(?:^|\n)(?:--- )?([|>][^\r\n]*)((?:\r\n|\r|\n).*)", document.decode(), re.DOTALL)
        if not found or ours[0] not in "|>" or " " in ours:
            return False
        body = re.split(r"(?m)^(?:\.\.\.|---)(?=\s|$)", found[2])[0]
        item, _ = yaml_events.read(f"- {found[1]}{re.sub(r'(?<=[' + chr(13) + chr(10) + r'])(?=[^' + chr(13) + chr(10) + r'])', ' ', body)}".encode())
        return item is not None and item.line == f"[ {ours} ]"


class Kubectl(YAML):
    """What the real kubectl writes."""

    name, reader = "kubectl", "yaml"
    small, large = 6, 60

    def documents(self, chance, count):
        return [self._document(chance) for _ in range(count)]

    @staticmethod
    def _document(chance):
        texts = [word for word in WORDS if "\0" not in word and word]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "config"
            environment = os.environ | {"HOME": folder, "KUBECONFIG": str(path)}
            for _ in range(3):
                name, token = chance.choice(texts), chance.choice(texts)
                subprocess.run(["kubectl", "config", "set-credentials", "--", name] if chance.random() < 0.1 else
                               ["kubectl", "config", f"--kubeconfig={path}", "set-credentials", f"--token={token}", "--", name],
                               env=environment, capture_output=True)
            subprocess.run(["kubectl", "config", "set-cluster", "--server=https://k8s.example:6443", "--", chance.choice(texts)], env=environment, capture_output=True)
            return path.read_bytes() if path.exists() else b"{}\n"
