"""What is on a disk after a loss of power, from a log of what a command asked of it.

The log is the shim's. What is in the folder before the command runs is on the disk; from then on a file's bytes are there once
the file was synchronised, and a name once its folder was."""

import hashlib
import os
import pathlib
import re

LINE = re.compile(rb"(\d+) (-?\d+) ([a-z]+) (-?\d+) (-?\d+) (\d+) ([^\0]*)\0([^\0]*)\0")


class Node:
    """A file or a folder: what it is now, and what is safe."""

    def __init__(self, is_folder, mode):
        self.is_folder, self.mode = is_folder, mode
        self.names, self.safe_names = {}, {}
        self.bytes, self.safe_bytes = bytearray(), b""

    def make_safe(self):
        self.safe_bytes = bytes(self.bytes)
        self.safe_names = dict(self.names)


class Disk:
    """A folder as it is on a disk."""

    def __init__(self, folder):
        self.folder = str(folder)
        self.opened = {}
        self.root = self._read(pathlib.Path(folder))

    def _read(self, path):
        node = Node(path.is_dir(), path.stat().st_mode & 0o777)
        if node.is_folder:
            node.names = {child.name: self._read(child) for child in path.iterdir()}
        else:
            node.bytes = bytearray(path.read_bytes())
        node.make_safe()
        return node

    def _parent(self, path):
        *folders, name = os.path.relpath(path, self.folder).split("/")
        node = self.root
        for folder in folders:
            node = node.names[folder]
        return node, name

    def find(self, path):
        if os.path.relpath(path, self.folder) == ".":
            return self.root
        parent, name = self._parent(path)
        return parent.names.get(name)

    def apply(self, call):
        """Does what a call has done."""
        match call["name"]:
            case "open" | "truncating":
                parent, name = self._parent(call["path"])
                if name not in parent.names:
                    parent.names[name] = Node(False, 0o600)
                if call["name"] == "truncating":
                    parent.names[name].bytes = bytearray()
                self.opened[call["file"]] = (call["path"], parent.names[name])
            case "write":
                node, end = self._node(call), call["offset"] + len(call["bytes"])
                node.bytes.extend(bytes(max(0, end - len(node.bytes))))
                node.bytes[call["offset"]:end] = call["bytes"]
            case "ftruncate":
                node = self._node(call)
                node.bytes = node.bytes[:call["offset"]].ljust(call["offset"], b"\0")
            case "sync":
                self._node(call).make_safe()
            case "mkdir":
                parent, name = self._parent(call["path"])
                parent.names[name] = Node(True, 0o700)
            case "unlink" | "rmdir":
                parent, name = self._parent(call["path"])
                parent.names.pop(name, None)
            case "rename" | "link":
                parent, name = self._parent(call["path"])
                node = parent.names[name]
                if call["name"] == "rename":
                    del parent.names[name]
                parent, name = self._parent(call["other"])
                parent.names[name] = node

    def _node(self, call):
        path, node = self.opened.get(call["file"], (None, None))
        return node if path == call["path"] else self.find(call["path"])

    def after(self, how):
        """The files and folders after the loss, by path: None for a folder, else bytes.

        `lost`: what is not safe is gone. `names`: names are as the command left them, bytes as they are safe, as on a file
        system that writes its names sooner. `bytes`: the other way round."""
        found = {}

        def walk(node, path):
            if node.is_folder:
                found[path] = None
                for name, child in (node.names if how == "names" else node.safe_names).items():
                    walk(child, f"{path}/{name}")
            else:
                found[path] = (node.mode, bytes(node.bytes if how == "bytes" else node.safe_bytes))

        walk(self.root, self.folder)
        return found


def calls(log):
    """The calls in a log."""
    text, place = pathlib.Path(log).read_bytes(), 0
    while match := LINE.match(text, place):
        number, result, name, file, offset, count, path, other = match.groups()
        end = match.end() + int(count)
        yield {"number": int(number), "result": int(result), "name": name.decode(), "file": int(file),
               "offset": int(offset), "path": path.decode(), "other": other.decode(), "bytes": text[match.end():end]}
        place = end
    assert place == len(text), "the log of the shim cannot be read"


def write(found):
    """Makes the files and folders; parents come first."""
    for path, content in found.items():
        if content is None:
            os.makedirs(path, mode=0o700, exist_ok=True)
        else:
            with open(path, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
                file.write(content[1])
            os.chmod(path, content[0])


def digest(folder):
    """What tells whether two folders hold the same."""
    found = hashlib.sha256()
    for path in sorted(pathlib.Path(folder).rglob("*")):
        content = None if path.is_dir() else path.read_bytes()
        found.update(repr((str(path.relative_to(folder)), path.stat().st_mode, content)).encode())
    return found.digest()
