"""git's configuration and credentials, compared with git itself."""

import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import tempfile

SECTIONS = ["credential", "user", "url", "remote", "a", "a-b", "x1", "core"]
PIECES = [
    "[", "]", '"', "\\", "\n", "\r\n", "\r", "=", " ", "\t", "#", ";", ".", "-", "a", "B", "_", "1", "credential", "user", "name", "helper",
    "!", "\\n", "\\t", "\\b", '\\"', "\\\\", "\\x", '""', "[user]\n", '[credential "https://x"]\n', "[credential]", '[url "a\\"b"]\n',
    "[a.b]", '[A-b "c]d"]\n', "[A.B.c]\n", '[a ""]\n', "[]\n", '["x"]\n', '[a"b"]\n', '[a "b" ]\n', "[ a]\n", '[a  "b\\\\"]', "[a\n]",
    "name = value\n", "helper=\n", "helper\n", "NAME\t=\tx\n", 'k = "a b" # c\n', "k = a b  \n", "k=a\\\nb\n", "k = a ; c\n", "é", "\\é",
    "k = é\n", "\x00", "[x1]", "\x0b", "\x0c", "\ufeff", 'k = " a"b " \n', "k = a\\\r\nb\n", "k=a \\\n b\n", "k=#\n", "[user] k=v\n", "[user]k\n",
    "k =\n", 'k = "\n', '[remote "é"]\n', 'k="x;y"\n', 'k=x"#"y\n', "\x01", "\x7f", "k=a\rb\n", "k=a\tb\n", "k=\r\n", "[user]\r\n",
    '[credential "x"]k=v', "k = a  b\t c\n", "k=\\", "k = a\\tb\n", "k\x00\n", "k=\x00x\n", "a.b = c\n", "k_l = x\n", "1k = x\n", "k = v\r",
    "[a\x00]\n", '[a "b\x00c"]\n', '[a "b\nc"]\n', "k = \x0ba\x0c\n", "k = a\x0b\n", "# c\n", "; c\r", "  k = v\n", "\tk\t\n", "k = v",
    "[user]\n\tname = Ada\n\temail = ada@contoso.example\n", "k = \"a\tb\"\n", "k = a\r\n", 'k = "a\r"\n', "k = \ra\n", "k=a\\\n", "k = \"a\\\nb\"\n",
]
LINE = {"HOME": "/nonexistent", "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
        "LC_ALL": "C.UTF-8"}
WORKERS = 3


def many(function, documents):
    """`function` of each document and of a file of its own to write it to."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            paths = (pathlib.Path(folder) / str(number) for number in range(len(documents)))
            return list(pool.map(function, documents, paths))


class Configuration:
    name = "git-config"
    small, large = 1_500, 50_000

    def documents(self, chance, count):
        return [self._document(chance) for _ in range(count)]

    @staticmethod
    def _document(chance):
        text = chance.choice(["", "[user]\n", "[credential]\n", '[credential "https://e"]\n', "\ufeff[a]\n"])
        for _ in range(chance.randint(1, 12)):
            text += chance.choice(PIECES) + ("\n" if chance.random() < 0.15 else "")
        document = text.encode()
        return document.replace("é".encode(), b"\xff") if chance.random() < 0.02 else document

    @staticmethod
    def request(document):
        return ",".join(SECTIONS).encode() + b"\n" + document

    def expected(self, documents):
        return many(self._listed, documents)

    @staticmethod
    def _listed(document, path):
        path.write_bytes(document)
        # Without a shell: git is started some ten thousand times.
        done = subprocess.run(["git", "config", "--file", path, "--no-includes", "--list", "-z"], capture_output=True, env=LINE)
        path.unlink()
        words = []
        for entry in done.stdout.split(b"\0")[:-1]:
            key, has_value, value = entry.partition(b"\n")
            words.append(Configuration._word(key, value if has_value else None))
        return done.returncode == 0, [word for word in words if word], done.stdout

    @staticmethod
    def _word(key, value):
        """As KeyfobReaders tells an entry; nothing for one of another section, or of a name that is no text."""
        section, dot, rest = key.partition(b".")
        subsection, dot, name = rest.rpartition(b".")
        try:
            key.decode()
            if section.decode() not in SECTIONS:
                return None
        except UnicodeDecodeError:
            return None
        word = section.hex() + ("." + subsection.hex() if dot else "") + "." + name.hex()
        if value is not None:
            try:
                value.decode()
                word += "=" + value.hex()
            except UnicodeDecodeError:
                pass
        return word

    def difference(self, document, ours, theirs):
        is_sound, words, listed = theirs
        mine = ours.split(" ")
        # git lists variables that stand before the first section, and its other commands refuse them.
        is_homeless = any(b"." not in entry.split(b"\n")[0] for entry in listed.split(b"\0")[:-1])
        if (mine[0] == "sound") != (is_sound and not is_homeless):
            return "takes" if mine[0] == "sound" else "refuses"
        # What precedes a mistake need not be the same.
        if not is_sound or is_homeless or mine[1:] == words:
            return None
        if b"\0" in document:
            return "zero bytes"
        # One that Keyfob leaves out for it has a blank, or what git of before 2.45 made one.
        return "blanks between words" if len(mine) == len(words) + 1 and all(
            one == other or other.startswith(one + "=") and re.search(r"=.*(09|0d|20)", other) for one, other in zip(mine[1:], words)) else "MISREADS"


HOSTS = ["git.example", "GIT.example", "127.0.0.1", "git.example:8443", "[::1]", "[::1]:8443", "a_b.example", "xn--bcher-kva.example"]
TOKENS = ["glpat-" + "x" * 20, "ghp_" + "A" * 36, "%67lpat-" + "x" * 20, "glpat-" + "x" * 19 + "%2D", "glpat-" + "x" * 19 + "%5f"]
USERS = ["ada", "a%40b", "a%3Ab", "%61da", "ada%20b", "ben%2f", "", "a+b", "%C3%A9va", "a%2"]


class CredentialFile:
    """`.git-credentials`, asked for each host."""

    name = "git-credential-file"
    small, large = 300, 10_000

    def documents(self, chance, count):
        return [self._document(chance) for _ in range(count)]

    @staticmethod
    def _document(chance):
        start = chance.choice(["https://", "https://", "https://", "HTTPS://", "http://", " https://", "https:/", ""])
        path = chance.choice(["", "", "", "/", "/a", "?a", "#a", "/a@b"])
        return (f"{start}{chance.choice(USERS)}{chance.choice([':', ':', ':', ''])}{chance.choice(TOKENS)}{chance.choice(['@', '@', '@', '@@', ''])}"
                f"{chance.choice(HOSTS)}{path}{chance.choice(['', '', ' ', chr(13)])}\n").encode()

    @staticmethod
    def request(document):
        return document

    def expected(self, documents):
        return many(self._asked, documents)

    @staticmethod
    def _asked(document, path):
        found = []
        for content in {document: 1, document.strip() + b"\n": 2}:
            path.write_bytes(content)
            found.append(set())
            for host in [host for host in HOSTS if host.lower().encode() in document.lower()]:
                scheme = "http" if content.lstrip().lower().startswith(b"http:") else "https"
                done = subprocess.run(["git", "credential-store", "--file", path, "get"], capture_output=True, env=LINE,
                                      input=f"protocol={scheme}\nhost={host}\n\n".encode())
                fields = dict(line.split(b"=", 1) for line in done.stdout.split(b"\n") if b"=" in line)
                if b"password" in fields:
                    found[-1].add((host.lower(), fields.get(b"username", b""), fields[b"password"]))
        path.unlink()
        return found

    def difference(self, document, ours, theirs):
        """Of what Keyfob takes, git must say the same; it takes less than git, since not every password is a token."""
        if ours.startswith("refused") or not ours:
            return None
        for word in ours.split(" "):
            account, secret = word.split("=")
            name, _, host = bytes.fromhex(account).decode().rpartition("@")
            def is_in(found):
                return any(host == other and name == user.decode().lower() and bytes.fromhex(secret) == password for other, user, password in found)
            if not is_in(theirs[0]):
                return "takes: blanks around a line" if is_in(theirs[-1]) else "MISREADS"
        return None


class CredentialRequest:
    """What git asks a helper, as `git credential` writes it anew."""

    name = "git-credential"
    small, large = 300, 10_000

    def documents(self, chance, count):
        lines = collections.OrderedDict
        def value():
            return chance.choice(["https", "http", "git.example", "git.example:8443", "127.0.0.1", "a/b.git", "ada", "x=y", "", "é", "a b", "GIT.example"])
        return [("".join(f"{chance.choice(['protocol', 'host', 'path', 'username', 'password', 'unknown', 'protocol', 'host'])}={value()}\n"
                         for _ in range(chance.randint(1, 6))) + "\n").encode() for _ in range(count)]

    @staticmethod
    def request(document):
        return document

    def expected(self, documents):
        return many(self._filled, documents)

    @staticmethod
    def _filled(document, path):
        """git asks its helper in the words that it was asked in."""
        path.write_text(f"#!/bin/sh\n[ \"$1\" = get ] && cat > {path}.asked\nexit 0\n")
        path.chmod(0o700)
        subprocess.run(["git", "-c", f"credential.helper={path}", "-c", "credential.useHttpPath=true", "credential", "fill"], input=document,
                       capture_output=True, env=LINE | {"GIT_ASKPASS": "/bin/false", "GIT_TERMINAL_PROMPT": "0"})
        asked = pathlib.Path(f"{path}.asked")
        fields = dict(line.split("=", 1) for line in asked.read_text().split("\n") if "=" in line) if asked.exists() else None
        asked.unlink(missing_ok=True)
        path.unlink()
        return fields

    def difference(self, document, ours, theirs):
        # Without a protocol or with a password git asks nobody.
        if theirs is None or ours.startswith("refused"):
            return None
        fields = dict(word.split("=") for word in ours.split(" "))
        def text(name):
            return None if fields[name] == "-" else bytes.fromhex(fields[name]).decode()
        if (text("user") or "") != theirs.get("username", ""):
            return "MISREADS"
        if text("url") is not None:
            scheme, _, rest = text("url").partition("://")
            host, _, path = rest.partition("/")
            if (scheme, host) != (theirs.get("protocol"), theirs.get("host")):
                return "MISREADS"
        return None
