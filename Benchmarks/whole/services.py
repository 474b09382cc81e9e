"""Programs that ask a service: git credential-cache, oidc-token, secret-tool and Python's keyring."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time

from .files import NO_COMMAND, Store, question
from .measure import Command, NotPossible, token_of

import endpoint  # Of PEERS, where files.py looks too; pylint: disable=wrong-import-order


class CredentialCache(Store):
    """git's daemon that holds passwords in memory."""

    package = "git"
    missing = {"list": NO_COMMAND, "export": NO_COMMAND, "import": NO_COMMAND}
    LIFE = "1000000"
    daemon = None

    def fill(self, limit):
        os.mkdir(f"{self.folder}/c", mode=0o700)
        self.socket = f"{self.folder}/c/socket"
        self.program = f"{self.call('git', '--exec-path').strip()}/git-credential-cache"
        self.daemon = subprocess.Popen([f"{self.program}--daemon", self.socket], env=self.environment, stdout=subprocess.PIPE)
        self.daemon.stdout.readline()
        # As its client does, but without a process for each.
        end = time.monotonic() + limit
        for number, name in enumerate(self.names()):
            self.ask(f"action=store\ntimeout={self.LIFE}\n{question(name, password=token_of(name))}")
            if time.monotonic() > end:
                raise NotPossible(f"{number:,} of {self.size:,} accounts in {limit:.0f} s: it looks through all for each")

    def ask(self, text):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.socket)
            connection.sendall(text.encode())
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass

    def daemons(self):
        return [self.daemon.pid]

    def stop(self):
        if self.daemon:
            self.daemon.kill()
            self.daemon.wait()
            self.daemon.stdout.close()

    def command(self, action, content):
        return Command([self.program, "--socket", self.socket, "--timeout", self.LIFE, action], content)

    def look_up(self, name):
        return self.command("get", question(name))

    def store(self, name, token):
        return self.command("store", question(name, password=token))


class OIDCAgent(Store):
    """oidc-agent with an account configuration for each account, all loaded."""

    package = "oidc-agent-cli"
    missing = dict.fromkeys(("store", "same", "new"), "takes no token, but gets them from the provider itself") | {
        "export": NO_COMMAND, "import": NO_COMMAND}
    agent = provider = None

    def fill(self, limit):
        self.provider = endpoint.Endpoint()
        self.provider.begin(864_000)
        self.start_agent()
        begin = time.monotonic()
        for number in range(self.size):
            self.add(number, self.provider.issuer)
            each = (time.monotonic() - begin) / (number + 1)
            if number >= 9 and each * self.size > limit:
                raise NotPossible(
                    f"setting up one account takes {each:.1f} s, so {each * self.size / 60:,.0f} minutes for {self.size:,}")

    def start_agent(self):
        for name, value in re.findall(r"(OIDC\w+)=([^;]+);", self.call("oidc-agent")):
            self.environment[name] = value
        self.agent = int(self.environment["OIDCD_PID"])

    def add(self, number, issuer):
        variable = "REFRESH_TOKEN"
        self.call(
            "env", f"{variable}={endpoint.refresh_token(number, 0)}", "oidc-gen", "--prompt=none", "--manual", "--flow=refresh",
            f"--rt-env={variable}", f"--issuer={issuer}", "--client-id=benchmark", "--client-secret=",
            "--redirect-uri=http://localhost:8080", "--scope=openid offline_access", "--pw-cmd=echo password",
            "--no-url-call", f"person{number:06d}")

    def daemons(self):
        return [self.agent, *children(self.agent)]

    def stop(self):
        if self.agent:
            for pid in self.daemons():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)
        if self.provider:
            self.provider.stop()

    def look_up(self, name):
        short = name.split("@")[0]
        return Command(["oidc-token", short], wanted=f".{int(short.removeprefix('person'))}-")

    def list(self):
        return Command(["oidc-add", "-a"], wanted="person", times=self.size)


def children(pid):
    """oidc-agent does its work in a process of its own."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


class Desktop:
    """A private session bus with gnome-keyring, which secret-tool and keyring share."""

    SERVICE = "benchmark"

    def __init__(self, folder, size):
        from secret_service_bus import Service  # pylint: disable=import-outside-toplevel
        from secret_service_file import copies  # pylint: disable=import-outside-toplevel

        os.makedirs(folder, mode=0o700)
        self.users, self.service = 0, Service(folder)
        try:
            self.service.fill([])
            first = "person000000@contoso.example"
            # Made by keyring itself; gnome-keyring writes its whole file for each new item, so the others come in the file.
            subprocess.run([sys.executable, "-m", "keyring", "set", self.SERVICE, first], env=self.service.environment,
                           input=token_of(first), text=True, check=True, capture_output=True)
            (item,) = self.service.items()
            self.service.fill(copies(item, "person000000", [f"person{number:06d}" for number in range(size)]))
        except Exception as error:  # Whatever says that it cannot hold so many; pylint: disable=broad-except
            self.service.end()
            raise NotPossible(f"gnome-keyring with {size:,} items: {error!r}"[:200].replace(folder, "…")) from None


class DesktopStore(Store):
    """A client of the desktop's keyring. `shared` hands out the one service of this number of accounts."""

    def __init__(self, name, folder, size, shared):
        super().__init__(name, folder, size)
        self.shared, self.desktop = shared, None

    def fill(self, limit):
        self.desktop = self.shared(self.size)
        self.desktop.users += 1
        self.environment = self.desktop.service.environment

    def daemons(self):
        return [self.desktop.service.daemon.pid, self.desktop.service.bus.pid]

    def settle(self):
        self.desktop.service.settle()

    def stop(self):
        if self.desktop:
            self.desktop.users -= 1
            if not self.desktop.users:
                self.desktop.service.end()


class SecretTool(DesktopStore):
    package = "libsecret-tools"
    missing = {"export": NO_COMMAND, "import": NO_COMMAND}

    def attributes(self, name):
        return ["service", Desktop.SERVICE, "username", name]

    def look_up(self, name):
        return Command(["secret-tool", "lookup", *self.attributes(name)])

    def store(self, name, token):
        return Command(["secret-tool", "store", f"--label={name}", *self.attributes(name)], token)

    def list(self):
        return Command(["secret-tool", "search", "--all", "service", Desktop.SERVICE], wanted="\nsecret = ", times=self.size)


class Keyring(DesktopStore):
    """The command of Python's keyring."""

    package = "keyring"
    missing = {"list": NO_COMMAND, "export": NO_COMMAND, "import": NO_COMMAND}

    def look_up(self, name):
        return Command([sys.executable, "-m", "keyring", "get", Desktop.SERVICE, name])

    def store(self, name, token):
        return Command([sys.executable, "-m", "keyring", "set", Desktop.SERVICE, name], token)
