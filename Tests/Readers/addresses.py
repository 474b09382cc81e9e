"""Addresses, compared with ada, which reads them as browsers do (WHATWG URL), by ada-url."""

import re
import urllib.parse

import ada_url

HOSTS = [
    "example.com", "EXAMPLE.com", "example.com.", "a_b.example", "127.0.0.1", "0x7f.1", "127.1", "2130706433", "0177.0.0.1", "[::1]", "[::ffff:1.2.3.4]",
    "[1:2:3:4:5:6:7:8]", "[::1%25eth0]", "[1::2::3]", "[0:0:0:0:0:0:0:1]", "[FE80::A]", "[::0001]", "xn--bcher-kva.example", "bücher.example",
    "exa%6Dple.com", "ex ample.com", "localhost", "a..b", "-a.example", "a-.example", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.04", "1.2.3.4.", "0x1.example",
    "example.0x1", "example.1", "example.01", "a.0xg", "ＥＸ.com", "a。b", "a\u00adb.com", "example.com:443", "example.com:80", "example.com:8443", "example.com:",
    "example.com:0", "example.com:00443", "example.com:65536", "[::1]:8443", "u@example.com", "u:p@example.com", "@example.com", "", ".", "..", "0", "1e3", "[::]",
    "[v1.x]", "ex\tample.com", "example.com\n", "[::1", "::1", "[1:2:3:4:5:6:7::]", "[::1:2:3:4:5:6:7]", "[1::1.2.3.4]", "[1.2.3.4::]", "a" * 64 + ".example",
    "xn--a.example", "xn--.example", "a.b-c.d1", "4294967295", "4294967296", "0x", "1.0x", "08.1.1.1", "1.1.1.08", "[::127.0.0.1]", "[::1.2.3]", "0x7F000001",
]
PATHS = [
    "", "/", "/a", "/a/b", "/a/../b", "/a/./b", "/%2e%2e/b", "/a/%2E/b", "//a", "/a//b", "/a.git", "/a/b.git/", "/a%2fb", "/a%2f..%2fb", "/..;/a", "/a?x", "/a#f", "/a\\b",
    "/a b", "/é", "/%", "/%zz", "/a/..", "/../..", "/a/.git", "/.git", "/a%00b", "?q", "#f", "/a?b#c", "/a/b?c/d", "\\a", "/%41", "/a%c3%a9",
]
SCHEMES = ["https://", "https://", "https://", "http://", "HTTPS://", "ssh://", "git://", "", "https:/", "https:", "ftp://", "https:\\\\", "//", " https://", "git+ssh://", "https:///"]


def text_of(document):
    return document.decode()


def known(text):
    """What a browser makes of an address; nothing for none."""
    try:
        return ada_url.URL(text)
    except ValueError:
        return None


def parts(word):
    return [bytes.fromhex(part).decode() for part in word.split("/")]


class Address:
    small, large = 2_500, 50_000

    def documents(self, chance, count):
        return [(chance.choice(SCHEMES) + self._host(chance) + chance.choice(PATHS)).encode() for _ in range(count)]

    @staticmethod
    def _host(chance):
        host = chance.choice(HOSTS)
        if chance.random() < 0.2:
            place = chance.randint(0, len(host))
            host = host[:place] + chance.choice(list(".-_:@[]%0x1a/?#\\ é;,!*'()$&+=~^|\x7f")) + host[place:]
        return host

    @staticmethod
    def request(document):
        return document

    def expected(self, documents):
        return [known(self.whole(text_of(document))) for document in documents]

    @staticmethod
    def whole(text):
        return text if "://" in text else "https://" + text

    def judge_host(self, host, port, url):
        """What differs in a host without its port, and a port; nothing where both are the same."""
        # Of schemes that are not the web's they leave a host as it is written.
        name = url.hostname if url.protocol in ("https:", "http:") else url.hostname.lower()
        if name.rstrip(".") != host.rstrip("."):
            return "MISREADS"
        usual = {"https:": "443", "http:": "80", "ssh:": "22", "git:": "9418", "git+ssh:": "22"}.get(url.protocol)
        return None if (port or usual) == (url.port or usual) else "MISREADS"


class Resource(Address):
    name = "resource"

    def difference(self, document, ours, theirs):
        if ours.startswith("refused"):
            return None
        if theirs is None:
            return "TAKES"
        host, *path = parts(ours)
        name, _, port = host.rpartition(":") if re.search(r":\d+$", host) else (host, "", "")
        odd = self.judge_host(name, port, theirs)
        if odd:
            return odd
        theirs_path = [part for part in theirs.pathname.split("/") if part]
        while theirs_path and theirs_path[-1].endswith(".git") and len(theirs_path[-1]) > 4:
            theirs_path[-1] = theirs_path[-1][:-4]
        # Browsers encode what is no ASCII.
        return None if [urllib.parse.quote(part, safe="%!$&'()*+,;=:@-._~|^`{}[]\"<>") for part in path] == [
            urllib.parse.quote(part, safe="%!$&'()*+,;=:@-._~|^`{}[]\"<>") for part in theirs_path] else "path"


class Credential(Resource):
    """Where a program sends what it asks for."""

    name = "credential-url"


class Endpoint(Address):
    name = "endpoint"

    def difference(self, document, ours, theirs):
        if ours.startswith("refused"):
            return None
        if theirs is None:
            return "TAKES"
        host, port, path, query = ours.split(" ")
        odd = self.judge_host(bytes.fromhex(host).decode(), "" if port == "-" else port, theirs)
        if odd:
            return odd
        # It is sent as it is written, dots too; only that nothing is added.
        sent = bytes.fromhex(path[1:]).decode() or "/"
        if "/." not in sent and "%2" not in sent.lower() and sent != theirs.pathname:
            return "path"
        return None if query == "-" or "?" + bytes.fromhex(query).decode() == (theirs.search or "?") else "query"


class Remote(Address):
    """A git remote: a URL, or `user@host:path`."""

    name = "remote"

    def documents(self, chance, count):
        whole = super().documents(chance, count // 2)
        short = [(chance.choice(["", "git@", "a@b@", "u:p@"]) + self._host(chance) + chance.choice([":", ":", "/", "::"]) + chance.choice(
            ["a/b.git", "/a/b", "~/a", "a?b", "a#b", "", "../a", "a\\b"])).encode() for _ in range(count - count // 2)]
        return whole + short

    def expected(self, documents):
        return [self._meant(text_of(document)) for document in documents]

    def _meant(self, text):
        # git takes what is left of `://` for a scheme, whatever it is.
        if "://" in text:
            return known(text)
        # git takes what stands before the first colon for a host, unless a slash comes first.
        head = text.partition("/")[0]
        if "@[" in head:
            text = text[head.index("@[") + 1:]
        found = re.fullmatch(r"(\[[^\]/]*\]):(?!:)([^?#]*)" if text.startswith("[") else r"(?:[^/:]*@)?([^/:@\[\]]+):(?!:)([^?#]*)", text)
        if not found:
            return None
        host = found[1]
        # ssh takes brackets around any host.
        if host.startswith("[") and host.count(":") < 2:
            host = host[1:-1]
        return known(f"ssh://{host}/{found[2]}")

    def difference(self, document, ours, theirs):
        if ours == "refused":
            return None
        if theirs is None:
            return "TAKES"
        host = parts(ours)[0]
        name, _, port = host.rpartition(":") if re.search(r":\d+$", host) else (host, "", "")
        return self.judge_host(name, port, theirs)


class Percent:
    name = "percent"
    small, large = 1_000, 50_000
    PIECES = ["a", "%41", "%c3%a9", "%", "%4", "%zz", "+", "%00", "%2F", "é", "%%", " "]

    def documents(self, chance, count):
        return ["".join(chance.choice(self.PIECES) for _ in range(chance.randint(0, 8))).encode() for _ in range(count)]

    @staticmethod
    def request(document):
        return document

    def expected(self, documents):
        return [urllib.parse.unquote_to_bytes(document) for document in documents]

    def difference(self, document, ours, theirs):
        if ours == "refused":
            return None if re.search(rb"%(?![0-9A-Fa-f]{2})", document) else "REFUSES"
        return None if bytes.fromhex(ours) == theirs else "MISREADS"
