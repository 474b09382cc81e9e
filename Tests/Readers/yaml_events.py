"""What PyYAML makes of a YAML document, in the words of KeyfobReaders."""

import contextlib
import os
import re
import sys

import libfyaml
import yaml

sys.setrecursionlimit(10_000)

WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,14})")
# What some programs take for no text, though PyYAML does: YAML 1.2's own numbers, and go-yaml's words.
OTHERS = re.compile(
    r"[yYnN=]|-0|[-+]?0[0-9_]+|[-+]?0[xob][0-9a-fA-F_]+|[-+]?(\.[0-9_]+|[0-9][0-9_]*(:[0-9]{1,2})*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t].*)?|[-+]?\.inf|\.nan|null|~|true|false|yes|no|on|off", re.IGNORECASE)
EMPTY = re.compile(r"\ufeff?([ \t]*(#[^\r\n]*)?[\r\n]+)*(---[ \t]*[\r\n]+)?([ \t]*(#[^\r\n]*)?[\r\n]+)*(\.\.\.[ \t]*[\r\n]+)*([ \t]*(#[^\r\n]*)?[\r\n]+)*")
RESOLVER = yaml.SafeLoader("")


class Events:
    """A document as its events, and what there is in it that Keyfob does not read."""

    def __init__(self, document, loader=yaml.CSafeLoader):
        self.words, self.features = [], set()
        text = document.decode()
        keys = []
        for event in yaml.parse(text, Loader=loader):
            self._note(event)
            if isinstance(event, (yaml.StreamStartEvent, yaml.StreamEndEvent, yaml.DocumentEndEvent)):
                continue
            if isinstance(event, yaml.DocumentStartEvent):
                self.documents = getattr(self, "documents", 0) + 1
                continue
            if isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                keys.pop()
                self.words.append("}" if isinstance(event, yaml.MappingEndEvent) else "]")
            else:
                self._key(keys, event)
                self._add(keys, event)
        if getattr(self, "documents", 0) > 1:
            self.features.add("severalDocuments")
        if not self.words:
            self.words = ["-"]

    def _note(self, event):
        if getattr(event, "anchor", None):
            self.features.add("anchor")
        if getattr(event, "tag", None):
            self.features.add("tag")
        if isinstance(event, yaml.DocumentStartEvent) and (event.version or event.tags):
            self.features.add("directive")

    def _key(self, keys, event):
        """Keeps account of which events are names."""
        if not keys or keys[-1] is None:
            return
        names = keys[-1]
        if len(names["seen"]) % 2 == 0:
            if isinstance(event, yaml.ScalarEvent):
                if event.value in names["all"]:
                    self.features.add("repeatedName")
                if event.value == "<<" and not event.style:
                    self.features.add("merge")
                names["all"].add(event.value)
            else:
                self.features.add("badName")
        names["seen"].append(1)

    def _add(self, keys, event):
        if isinstance(event, yaml.MappingStartEvent):
            keys.append({"all": set(), "seen": []})
            self.words.append("{")
        elif isinstance(event, yaml.SequenceStartEvent):
            keys.append(None)
            self.words.append("[")
        elif isinstance(event, yaml.ScalarEvent):
            self.words.append(self._scalar(event))
            if len(keys) > 60:
                self.features.add("tooDeep")
        else:
            self.words.append("*")

    @staticmethod
    def _scalar(event):
        sign = event.style or "p"
        if not event.style:
            # Nothing is written there.
            if event.value == "" and event.start_mark.index == event.end_mark.index:
                return "-"
            tag = RESOLVER.resolve(yaml.ScalarNode, event.value, (True, False))
            isText = tag.endswith(":str") or tag.endswith(":merge") or WHOLE.fullmatch(event.value)
            sign = "p" if isText else "w"
        return sign + event.value.encode("utf-8", "surrogatepass").hex()

    @property
    def line(self):
        return " ".join(self.words)


def read(document, loader=yaml.CSafeLoader):
    """The events, or why there are none."""
    try:
        return Events(document, loader), None
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        return None, " ".join(str(getattr(error, "problem", None) or error).split())


def words_agree(ours, theirs):
    """Whether both say the same, but that Keyfob takes what may be no text for some program as none."""
    mine, others = ours.split(" "), theirs.split(" ")
    if len(mine) != len(others):
        return False
    for one, other in zip(mine, others):
        if one != other and not (
                one[0] == "w" and other[0] == "p" and one[1:] == other[1:]
                and OTHERS.fullmatch(bytes.fromhex(one[1:]).decode("utf-8", "replace"))):
            return False
    return True


@contextlib.contextmanager
def silence():
    """libfyaml tells standard error what it does not like."""
    kept, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(null)


def is_of_yaml12(document, line):
    """Whether libfyaml, which reads YAML 1.2, makes of a document what a line of words says."""
    if line == "-" and EMPTY.fullmatch(document.decode()):
        return True
    try:
        with silence():
            value = libfyaml.loads(document.decode())
            value = value.to_python() if hasattr(value, "to_python") else value
    except Exception:  # It has no exceptions of its own.
        return False
    words = iter(line.split(" "))
    return _is_value(next(words), words, value) and next(words, None) is None


def _is_value(word, words, value):
    if word == "{":
        if not isinstance(value, dict):
            return False
        for name, item in value.items():
            if not _is_value(next(words), words, name) or not _is_value(next(words), words, item):
                return False
        return next(words) == "}"
    if word == "[":
        return isinstance(value, list) and all(_is_value(next(words), words, item) for item in value) and next(words) == "]"
    if word == "-":
        return value is None
    if word[0] in "]}":
        return False
    text = bytes.fromhex(word[1:]).decode("utf-8", "surrogatepass")
    # What stands for a number, a date or nothing is told in other words.
    return value == text if isinstance(value, str) else word[0] in "pw" and bool(OTHERS.fullmatch(text) or WHOLE.fullmatch(text))
