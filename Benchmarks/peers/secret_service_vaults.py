"""Where credentials are kept, and how they are stored, looked up and listed there, each time by a new process."""

import itertools
import json
import os
import random
import string
import sys

from secret_service_figures import Failure, checked_output

HERE = os.path.dirname(os.path.abspath(__file__))
CLIENT = f"{HERE}/secret_service_client.py"
SERVICE = "benchmark"
HOST = "bench.example"
# The length of an ordinary access token.
REST = "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=2_000))


def local_name(number):
    return f"user{number:05d}"


def user_name(number):
    return f"{local_name(number)}@{HOST}"


def fresh_names():
    """Names of users that come later."""
    return (f"late{number:05d}@{HOST}" for number in itertools.count())


def name_of(user):
    return user if isinstance(user, str) else user_name(user)


def token(user):
    return f"{name_of(user)}.{REST}"


def expect(user, output):
    if output.decode().rstrip("\n") != token(user):
        raise Failure("not the right secret")


class Keyfob:
    """The `keyfob` command with a vault."""

    def __init__(self, program, vault, environment, *options):
        self.environment = environment
        self.program, self.options = program, ["--vault", vault, "--no-input", *options]

    def run(self, *words, content=None, limit=600):
        return checked_output([self.program, *words, *self.options], self.environment, content, limit)

    def store(self, name):
        self.run("add", name, "--scope", "api.read", content=token(name).encode())

    def look_up(self, user):
        expect(user, self.run("token", "--account", name_of(user), "--offline"))

    def list_all(self, limit):
        found = json.loads(self.run("account", "list", "--json", limit=limit))["accounts"]
        names = {self.listed(account) for account in found}
        if not names.issuperset(self.expected) or len(found) != len(names):
            raise Failure(f"lists {len(names)} accounts")


    def listed(self, account):
        """The name by which an account in the list is expected."""
        return account["username"]


class Delegated(Keyfob):
    """A vault whose records lie with the Secret Service."""

    def listed(self, account):
        return f"{account['username']}@{HOST}"

    def __init__(self, program, service):
        self.service, self.expected = service, set()
        super().__init__(program, service.environment["HOME"] + "/vault", service.environment)

    def make(self):
        """Makes the vault, with the first user."""
        self.run("init", "--storage", "secret-service", "--recovery-file", self.environment["HOME"] + "/recovery")
        self.store(user_name(0))


class Embedded(Keyfob):
    """A vault in a file, with as many accounts, which have four credentials each."""

    def __init__(self, program, folder, size):
        os.mkdir(folder, mode=0o700)
        key, cache = f"{folder}/key", f"{folder}/cache.json"
        with open(key, "wb") as file:
            file.write(os.urandom(32))
        os.chmod(key, 0o600)
        environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": folder}
        super().__init__(program, f"{folder}/vault", environment, "--key-file", key)
        self.run("init", "--recovery-file", f"{folder}/recovery")
        checked_output([sys.executable, f"{HERE}/make_cache.py", cache, str(size)])
        self.run("import", cache)
        with open(cache, encoding="utf-8") as file:
            content = json.load(file)
        names = {account["home_account_id"]: account["username"] for account in content["Account"].values()}
        self.tokens = {(names[entry["home_account_id"]], entry["target"]): entry["secret"]
                       for entry in content["AccessToken"].values()}
        self.expected = set(names.values())
        os.remove(cache)

    def look_up(self, user):
        if isinstance(user, str):
            super().look_up(user)
            return
        name, scope = f"person{user:05d}@contoso.example", "https://graph.microsoft.com/.default"
        found = self.run("token", "--account", name, "--scope", scope, "--offline")
        if found.decode().strip() != self.tokens[name, scope]:
            raise Failure("not the right token")


class Peers:
    """The items that secret-tool and keyring share."""

    def __init__(self, service):
        self.service = service
        self.secret_tool, self.command, self.program = SecretTool(service), Command(service), Program(service)

    def expect(self, size):
        """How many there are at least."""
        for peer in (self.secret_tool, self.program):
            peer.size = size

    def make(self):
        """Makes the first user's item."""
        self.command.store(user_name(0))

    def in_process(self, users):
        """How long each takes a process that has done it before, in milliseconds."""
        words = [CLIENT, "gets", SERVICE, *(user_name(user) for user in users)]
        return json.loads(self.program.run(sys.executable, *words))["milliseconds"][1:]


class Peer:
    def __init__(self, service):
        self.environment = service.environment
        self.size = 1

    def run(self, *words, content=None, limit=600):
        return checked_output(list(words), self.environment, content, limit)


class SecretTool(Peer):
    def attributes(self, user):
        return ["service", SERVICE, "username", name_of(user)]

    def look_up(self, user):
        expect(user, self.run("secret-tool", "lookup", *self.attributes(user)))

    def store(self, name):
        self.run("secret-tool", "store", "--label=" + name, *self.attributes(name), content=token(name).encode())

    def list_all(self, limit):
        found = self.run("secret-tool", "search", "--all", "service", SERVICE, limit=limit).count(b"\nsecret = ")
        if found < self.size:
            raise Failure(f"lists {found} items")


class Command(Peer):
    """The command that comes with keyring."""

    def look_up(self, user):
        expect(user, self.run(sys.executable, "-m", "keyring", "get", SERVICE, name_of(user)))

    def store(self, name):
        self.run(sys.executable, "-m", "keyring", "set", SERVICE, name, content=token(name).encode())


class Program(Peer):
    """A program that uses the library."""

    def look_up(self, user):
        expect(user, self.run(sys.executable, CLIENT, "get", SERVICE, name_of(user)))

    def list_all(self, limit):
        found = json.loads(self.run(sys.executable, CLIENT, "labels", SERVICE, str(limit), limit=10 * limit))
        if found["count"] < found["of"] or found["of"] < self.size:
            raise Failure(f"has {found['count']} of {found['of']} in {limit:.0f} s")
