"""Programs that keep their secrets in files: the floor, Keyfob, age, pass, gh, keepassxc-cli and msal-extensions."""

import base64
import json
import os
import shutil
import subprocess
import sys
import time

from .measure import Command, Failure, NotPossible, name_of, token_of

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = os.path.join(os.path.dirname(HERE), "peers")
sys.path.insert(0, PEERS)
NO_COMMAND = "no command for it"


class Store:
    """A program, and the accounts that it holds in a folder of its own.

    `missing` has for each figure that it cannot take part in the reason."""

    missing = {}
    package = None

    def __init__(self, name, folder, size):
        self.name, self.folder, self.size = name, folder, size
        os.makedirs(f"{folder}/run", mode=0o700)
        self.environment = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8", "XDG_RUNTIME_DIR": f"{folder}/run"}

    def names(self):
        return [name_of(number) for number in range(self.size)]

    def call(self, *words, content=None, limit=3600):
        """Runs something that is not measured and must work; what it prints."""
        try:
            done = subprocess.run(words, env=self.environment, cwd=self.folder, input=content, text=True, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=limit)
        except subprocess.TimeoutExpired:
            raise NotPossible(f"setting up takes more than {limit:.0f} s") from None
        if done.returncode:
            raise Failure(f"{words[0]} ended with {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1]}")
        return done.stdout

    def write(self, name, content):
        """A private file with this content, or these pieces."""
        path = f"{self.folder}/{name}"
        with open(os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as file:
            file.writelines([content] if isinstance(content, bytes) else (piece.encode() for piece in content))
        return path

    def remove(self, *names):
        for name in names:
            path = f"{self.folder}/{name}"
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif os.path.exists(path):
                os.unlink(path)

    def replace(self, name, token):
        """Stores another token for an account that is there."""
        return self.store(name, token)

    def daemons(self):
        """The processes that do the work of its commands."""
        return []

    def settle(self):
        """Waits until they have done what they were asked for."""

    def stop(self):
        """Ends them."""


class Floor(Store):
    def __init__(self, name, folder, size, program):
        super().__init__(name, folder, size)
        self.program, self.file = program, f"{folder}/tokens.db"

    def fill(self, limit):
        lines = self.write("lines", (f"{name}\t{token_of(name)}\n" for name in self.names()))
        with open(lines, "rb") as file:
            subprocess.run([self.program, "make", self.file], stdin=file, check=True)

    def look_up(self, name):
        return Command([self.program, "get", self.file, name])

    def store(self, name, token):
        return Command([self.program, "set", self.file, name], token)

    def list(self):
        return Command([self.program, "list", self.file], wanted="@", times=self.size)

    def export(self):
        return Command([self.program, "export", self.file], wanted="\t", times=self.size)

    def import_all(self):
        # Its input is a file too, so `sh` does no more than open it.
        words = ["sh", "-c", 'exec "$0" make "$1" < "$2"', self.program, f"{self.folder}/new.db", f"{self.folder}/lines"]
        return Command(words, before=lambda: self.remove("new.db", "new.db.key"))


def msal_cache(names):
    """A cache of MSAL with an access token for each name, piece by piece."""
    from offline import CLIENT, SCOPE, TENANT  # pylint: disable=import-outside-toplevel

    now = int(time.time())
    place = {"environment": "login.microsoftonline.com", "realm": TENANT}

    def account(name):
        person = name.split("@")[0]
        return f"{person}.{TENANT}-{place['environment']}-{TENANT}", place | {
            "home_account_id": f"{person}.{TENANT}", "local_account_id": person, "username": name, "authority_type": "MSSTS"}

    def access_token(name):
        person = name.split("@")[0]
        return f"{person}.{TENANT}-{place['environment']}-accesstoken-{CLIENT}-{TENANT}-{SCOPE}", place | {
            "home_account_id": f"{person}.{TENANT}", "credential_type": "AccessToken", "client_id": CLIENT, "target": SCOPE,
            "secret": token_of(name), "token_type": "Bearer", "cached_at": str(now),
            "expires_on": str(now + 864_000), "extended_expires_on": str(now + 864_000)}

    for opening, make in (('{"Account":{', account), ('},"AccessToken":{', access_token)):
        yield opening
        for number, name in enumerate(names):
            key, value = make(name)
            yield f"{',' if number else ''}{json.dumps(key)}:{json.dumps(value)}"
    yield "}}"


class Keyfob(Store):
    def __init__(self, name, folder, size, program):
        super().__init__(name, folder, size)
        self.program = program
        self.environment["KEYFOB_KEY_FILE"] = f"{folder}/key"

    def fill(self, limit):
        self.write("key", os.urandom(64))
        self.call(self.program, "init", "--quiet", "--recovery-file", f"{self.folder}/recovery")
        self.call(self.program, "import", "--quiet", self.write("cache.json", msal_cache(self.names())), limit=limit)
        self.remove("cache.json")
        self.call("age-keygen", "-o", f"{self.folder}/identity")
        self.recipient = self.call("age-keygen", "-y", f"{self.folder}/identity").strip()

    def look_up(self, name):
        return Command([self.program, "token", "--account", name])

    def store(self, name, token):
        return Command([self.program, "add", "--quiet", "--account", name, "--host", "bench.example"], token)

    def list(self, vault=None):
        return Command([self.program, "account", "list", "--json", *vault_option(vault)], wanted='"homeAccountID"', times=self.size)

    def export(self):
        words = ["export", "--quiet", "--include-access-tokens", "--to", self.recipient, f"{self.folder}/all.age"]
        return Command([self.program, *words], before=lambda: self.remove("all.age"))

    def import_all(self):
        vault = f"{self.folder}/other"

        def before():
            if not os.path.exists(f"{self.folder}/all.age"):
                self.call(*self.export().words)
            self.remove("other", "recovery2")
            self.call(self.program, "init", "--quiet", "--vault", vault, "--recovery-file", f"{self.folder}/recovery2")

        words = ["import", "--quiet", "--vault", vault, f"{self.folder}/all.age", "--bundle-identity", f"{self.folder}/identity"]
        return Command([self.program, *words], before=before, verify=lambda: self.list(vault))


LOOKUP_ALONE = dict.fromkeys(("list", "store", "export", "import", "same", "new"), "as keyfob")


class BoundDirectory(Keyfob):
    """The same in the directory where all is started, which is bound to an account."""

    missing = LOOKUP_ALONE

    def fill(self, limit):
        super().fill(limit)
        self.call(self.program, "bind", "--quiet", "--directory", os.getcwd(), self.names()[0])

    def look_up(self, name):
        return Command([self.program, "token"], wanted=token_of(self.names()[0]))


class GitCredential(Keyfob):
    """The same, started and asked as git does it."""

    missing = LOOKUP_ALONE

    def look_up(self, name):
        program = os.path.join(os.path.dirname(self.program), "git-credential-keyfob")
        # A host to which tokens of the accounts go.
        return Command([program, "get"], question(name, "graph.microsoft.com"))


def question(name, host="contoso.example", password=None):
    """What git asks or tells a credential helper about a user: up to the end, without an empty line."""
    return f"protocol=https\nhost={host}\nusername={name}\n" + (f"password={password}\n" if password else "")


def vault_option(vault):
    return ["--vault", vault] if vault else []


class Age(Store):
    """One encrypted file of all tokens, as one would keep them with a shell."""

    package = "age"

    def fill(self, limit):
        self.call("age-keygen", "-o", f"{self.folder}/identity")
        self.recipient = self.call("age-keygen", "-y", f"{self.folder}/identity").strip()
        plain = self.write("plain", (f"{name}\t{token_of(name)}\n" for name in self.names()))
        self.call("age", "-r", self.recipient, "-o", f"{self.folder}/all.age", plain)

    def script(self, text, *words, content="", **expected):
        variables = f"D={self.folder}; R={self.recipient}; "
        return Command(["sh", "-c", variables + text, "sh", *words], content, **expected)

    def look_up(self, name):
        return self.script('age -d -i "$D/identity" "$D/all.age" | grep -m 1 "^$1\t" | cut -f 2', name)

    def store(self, name, token):
        text = '''{ age -d -i "$D/identity" "$D/all.age" | grep -v "^$1\t"; printf '%s\t' "$1"; cat; echo; } |
            age -r "$R" -o "$D/new.$$" && mv "$D/new.$$" "$D/all.age"'''
        return self.script(text, name, content=token)

    def list(self):
        return self.script('age -d -i "$D/identity" "$D/all.age" | cut -f 1', wanted="@", times=self.size)

    def export(self):
        return Command(["age", "-d", "-i", f"{self.folder}/identity", f"{self.folder}/all.age"], wanted="\t", times=self.size)

    def import_all(self):
        return Command(["age", "-r", self.recipient, "-o", f"{self.folder}/other.age", f"{self.folder}/plain"])


class Pass(Store):
    """A file for each account, encrypted by GnuPG with a key of its own that has no passphrase."""

    package = "pass"
    missing = {"export": NO_COMMAND, "import": NO_COMMAND}
    agent = None

    def fill(self, limit):
        os.mkdir(f"{self.folder}/g", mode=0o700)
        self.environment |= {"GNUPGHOME": f"{self.folder}/g", "PASSWORD_STORE_DIR": f"{self.folder}/store"}
        self.call("gpg", "--batch", "--quiet", "--passphrase", "", "--quick-gen-key", "bench@bench.example", "default", "default", "never")
        answer = self.call("gpg-connect-agent", "getinfo pid", "/bye")
        self.agent = int(answer.split()[1])
        self.call("pass", "init", "bench@bench.example")
        os.mkdir(f"{self.folder}/plain")
        files = [self.write(f"plain/{name}", [token_of(name) + "\n"]) for name in self.names()]
        gpg = ["gpg", "--batch", "--quiet", "--trust-model", "always", "-r", "bench@bench.example", "--multifile", "--encrypt"]
        self.call(*gpg, content="".join(file + "\n" for file in files), limit=limit)
        for file in files:
            os.rename(f"{file}.gpg", f"{self.folder}/store/{os.path.basename(file)}.gpg")
        self.remove("plain")

    def daemons(self):
        return [self.agent]

    def stop(self):
        if self.agent:
            self.call("gpgconf", "--homedir", f"{self.folder}/g", "--kill", "gpg-agent")

    def look_up(self, name):
        return Command(["pass", "show", name])

    def store(self, name, token):
        return Command(["pass", "insert", "-m", "-f", name], token + "\n")

    def list(self):
        return Command(["pass", "ls"], wanted="@", times=self.size)


class GitHub(Store):
    """`gh`, which knows one account for each host, in a file in the open."""

    package = "gh"
    missing = {"list": "asks each host on the network", "export": NO_COMMAND, "import": NO_COMMAND}

    def fill(self, limit):
        os.makedirs(f"{self.folder}/.config/gh")
        self.environment |= {"GH_NO_UPDATE_NOTIFIER": "1", "GH_PROMPT_DISABLED": "1"}
        self.write(".config/gh/hosts.yml", (
            f"{host(name)}:\n    oauth_token: {token_of(name)}\n    user: ada\n" for name in self.names()))

    def look_up(self, name):
        return Command(["gh", "auth", "token", "--hostname", host(name)])

    def store(self, name, token):
        # `gh auth login --with-token` asks the host on the network.
        return Command(["gh", "config", "set", "--host", host(name), "oauth_token", token])


def host(name):
    return name.replace("@", ".")


class KeePass(Store):
    """A database with a key file and no password, and the shortest derivation that the program makes."""

    package = "keepassxc"

    def fill(self, limit):
        self.write("key", os.urandom(64))
        self.database = f"{self.folder}/all.kdbx"
        self.options = ["-q", "--no-password", "-k", f"{self.folder}/key"]
        self.derivation = ["-q", "--set-key-file", f"{self.folder}/key", "-t", "100"]
        xml = self.write("all.xml", self.document())
        self.call("keepassxc-cli", "import", *self.derivation, xml, self.database, limit=limit)

    def document(self):
        def unique(number):
            return base64.b64encode(number.to_bytes(16, "big")).decode()

        yield '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<KeePassFile><Meta><Generator>bench</Generator></Meta>'
        yield f"<Root><Group><UUID>{unique(1)}</UUID><Name>Root</Name>\n"
        for number, name in enumerate(self.names()):
            yield f"<Entry><UUID>{unique(number + 2)}</UUID><String><Key>Title</Key><Value>{name}</Value></String><String>"
            yield f'<Key>Password</Key><Value ProtectInMemory="True">{token_of(name)}</Value></String></Entry>\n'
        yield "</Group></Root></KeePassFile>\n"

    def command(self, action, *words, content="", **expected):
        return Command(["keepassxc-cli", action, *self.options, *words], content, **expected)

    def look_up(self, name):
        return self.command("show", "-s", "-a", "Password", self.database, name)

    def store(self, name, token):
        return self.command("add", "-p", self.database, name, content=token + "\n")

    def replace(self, name, token):
        return self.command("edit", "-p", self.database, name, content=token + "\n")

    def list(self):
        return self.command("ls", self.database, wanted="@", times=self.size)

    def export(self):
        return self.command("export", self.database, wanted="<Key>Password</Key>", times=self.size)

    def import_all(self):
        words = ["keepassxc-cli", "import", *self.derivation, f"{self.folder}/all.xml", f"{self.folder}/other.kdbx"]
        return Command(words, before=lambda: self.remove("other.kdbx"))


class MSALExtensions(Store):
    """A program with MSAL for Python and the file of msal-extensions, which is not encrypted on Linux unless there is a desktop."""

    package = "msal-extensions"
    missing = {"export": NO_COMMAND, "import": NO_COMMAND}

    def fill(self, limit):
        self.file = self.write("cache.json", msal_cache(self.names()))

    def program(self, action, *words, content="", **expected):
        return Command([sys.executable, f"{HERE}/msal_client.py", action, self.file, *words], content, **expected)

    def look_up(self, name):
        return self.program("get", name)

    def store(self, name, token):
        return self.program("set", name, content=token)

    def list(self):
        return self.program("list", wanted="@", times=self.size)
