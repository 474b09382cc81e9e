"""A private session bus with a Secret Service, for one test.

    session.py FOLDER [CONFIGURATION]
    session.py --serve

The second form says "ready", reads names of folders, a line each, and is the first form for each of them, in a process of its own, with
FOLDER/commands and FOLDER/answers, which are pipes, in place of its standard input and output. Starting the interpreter takes
longer than all else.

Says "ready" once the bus runs at FOLDER/run/bus. Then reads commands, a line each, and answers each with "ok" or what
went wrong. Ends both with its standard input.

    start            gnome-keyring-daemon, with an unlocked default collection
    start-locked     the same, but locked
    keepassxc        KeePassXC with an open database, which asks nothing but prompts all the same
    keepassxc-asks   the same, but it wants a click for each item that is read or deleted
    keepassxc-screen, keepassxc-screen-asks
                     the same on a screen (Xvfb), before which somebody allows what it asks
    misbehave FLAG…  misbehaving.py in its place
    stop             ends the service
    freeze, thaw     stops the service's process, and lets it go on
    lock, unlock     GNOME's default collection
    label TEXT       renames GNOME's default collection
    stop-bus, restart-bus
                     ends the bus by force, and the service with it, and starts another bus at the same address
    connections N    waits until the bus has N connections at most, this program's among them
    refuse FILE      a second way to the bus, FOLDER/run/refusing, on which FILE says which calls are refused (refusals.py)
    raw-secret PATH  answers with an item's secret as the service has it, instead of "ok"
    put-raw PATH TEXT
                     changes an item's secret; "\\n" is the end of a line
"""

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import time

import keepassxc
import misbehaving
from jeepney import DBusAddress, Properties, new_method_call
from jeepney.io.blocking import open_dbus_connection
from refusing_bus import RefusingBus

NAME = "org.freedesktop.secrets"
LOGIN = "/org/freedesktop/secrets/collection/login"
SERVICE = DBusAddress("/org/freedesktop/secrets", NAME, "org.freedesktop.Secret.Service")
KEYRING = DBusAddress("/org/freedesktop/secrets", NAME, "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface")
BUS = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
HERE = os.path.dirname(os.path.abspath(__file__))


class Forked:
    """A process that does something of this program's, as far as Popen goes."""

    def __init__(self, action):
        self.pid = os.fork()
        if self.pid == 0:
            try:
                action()
            finally:
                os._exit(1)

    def poll(self):
        return os.waitpid(self.pid, os.WNOHANG)[0] or None

    def wait(self):
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)

    def send_signal(self, number):
        os.kill(self.pid, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)


class Session:
    def __init__(self, folder, configuration=f"{HERE}/session-bus.conf"):
        self.folder = folder
        self.password = secrets.token_hex(16)
        self.service = None
        self.screen = None
        for name in ("data/keyrings", "config", "cache", "run"):
            os.makedirs(f"{folder}/{name}", mode=0o700, exist_ok=True)
        self.address = f"unix:path={folder}/run/bus"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": folder,
            "XDG_DATA_HOME": f"{folder}/data",
            "XDG_CONFIG_HOME": f"{folder}/config",
            "XDG_CACHE_HOME": f"{folder}/cache",
            "XDG_RUNTIME_DIR": f"{folder}/run",
            "DBUS_SESSION_BUS_ADDRESS": self.address,
        }
        self.configuration = configuration
        self.start_bus()

    def start_bus(self):
        self.bus = subprocess.Popen(
            ["dbus-daemon", f"--config-file={self.configuration}", f"--address={self.address}", "--nofork",
             "--print-address=1"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.environment)
        if not self.bus.stdout.readline():
            raise RuntimeError("dbus-daemon does not start")

    def call(self, address, method, signature=None, body=()):
        """The values that a method answers with."""
        with open_dbus_connection(self.address) as connection:
            reply = connection.send_and_get_reply(new_method_call(address, method, signature, body), timeout=10)
            if reply.header.message_type.name == "error":
                raise RuntimeError(f"{method}: {reply.body}")
            return reply.body

    def wait_for_service(self, is_there=True):
        for _ in range(12_000):
            if self.call(BUS, "NameHasOwner", "s", (NAME,))[0] == is_there:
                return
            if is_there and self.service.poll() is not None:
                raise RuntimeError("the service ended at once")
            time.sleep(0.005)
        raise RuntimeError("the service does not come, or does not go")

    def wait_for_collection(self):
        """KeePassXC has its name before its database is open, and asks whoever comes too early."""
        for _ in range(3_000):
            path = self.call(SERVICE, "ReadAlias", "s", ("default",))[0]
            if path != "/":
                collection = DBusAddress(path, NAME, "org.freedesktop.DBus.Properties")
                # The name may be there before what it names.
                with contextlib.suppress(RuntimeError):
                    if not self.call(collection, "Get", "ss", ("org.freedesktop.Secret.Collection", "Locked"))[0][1]:
                        return
            time.sleep(0.02)
        raise RuntimeError("no collection is open")

    def wait_for_connections(self, most):
        for _ in range(12_000):
            names = [name for name in self.call(BUS, "ListNames")[0] if name.startswith(":")]
            if len(names) <= most:
                return
            time.sleep(0.005)
        raise RuntimeError(f"{len(names)} connections")

    def start(self, is_locked=False):
        self.stop()
        command = ["gnome-keyring-daemon", "--foreground", "--components=secrets"]
        if not is_locked:
            command.append("--unlock")
        log = open(f"{self.folder}/keyring.log", "ab")
        self.service = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log, env=self.environment)
        if not is_locked:
            self.service.stdin.write(self.password.encode())
        self.service.stdin.close()
        self.wait_for_service()

    def misbehave(self, *flags):
        self.stop()

        def action():
            # What it holds open would keep whoever reads there waiting.
            with open(os.devnull, "r+") as nothing:
                os.dup2(nothing.fileno(), 0)
                os.dup2(nothing.fileno(), 1)
            os.environ.clear()
            os.environ.update(self.environment)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            misbehaving.main(*flags)

        self.service = Forked(action)
        self.wait_for_service()

    def stop(self):
        if self.service is not None:
            self.service.kill()
            self.service.wait()
            self.service = None
            self.wait_for_service(False)

    def lock(self):
        self.call(SERVICE, "Lock", "ao", ([LOGIN],))

    def with_session(self, action):
        """What `action` gives, which is called with a function for calls and with a session's path.

        One connection for all calls: a session ends with the connection that opened it.
        """
        with open_dbus_connection(self.address) as connection:

            def call(address, method, signature, body):
                reply = connection.send_and_get_reply(new_method_call(address, method, signature, body), timeout=10)
                if reply.header.message_type.name == "error":
                    raise RuntimeError(f"{method}: {reply.body}")
                return reply.body

            return action(call, call(SERVICE, "OpenSession", "sv", ("plain", ("s", "")))[1])

    def unlock(self):
        def action(call, session):
            master = (session, b"", self.password.encode(), "text/plain")
            call(KEYRING, "UnlockWithMasterPassword", "o(oayays)", (LOGIN, master))

        self.with_session(action)

    def raw_secret(self, path):
        item = DBusAddress(path, NAME, "org.freedesktop.Secret.Item")
        return self.with_session(lambda call, session: call(item, "GetSecret", "o", (session,))[0][2].decode())

    def put_raw(self, path, text):
        item = DBusAddress(path, NAME, "org.freedesktop.Secret.Item")
        secret = text.encode()
        self.with_session(
            lambda call, session: call(item, "SetSecret", "(oayays)", ((session, b"", secret, "text/plain"),)))

    def label(self, text):
        collection = DBusAddress(LOGIN, NAME, "org.freedesktop.Secret.Collection")
        message = Properties(collection).set("Label", "s", text)
        with open_dbus_connection(self.address) as connection:
            reply = connection.send_and_get_reply(message)
            if reply.header.message_type.name == "error":
                raise RuntimeError(f"label: {reply.body}")

    def run(self, command, *words):
        match command:
            case "start":
                self.start()
            case "start-locked":
                self.start(is_locked=True)
            case "misbehave":
                self.misbehave(*words)
            case "keepassxc" | "keepassxc-asks" | "keepassxc-screen" | "keepassxc-screen-asks":
                self.stop()
                if "-screen" in command and self.screen is None:
                    self.screen = keepassxc.Screen()
                self.service = keepassxc.start(
                    self.folder, self.environment, self.password, command.endswith("-asks"), self.screen)
                self.wait_for_service()
                self.wait_for_collection()
            case "stop":
                self.stop()
            case "freeze":
                self.service.send_signal(signal.SIGSTOP)
            case "thaw":
                self.service.send_signal(signal.SIGCONT)
            case "lock":
                self.lock()
            case "unlock":
                self.unlock()
            case "label":
                self.label(" ".join(words))
            case "stop-bus":
                self.end_bus()
            case "restart-bus":
                self.end_bus()
                self.start_bus()
            case "connections":
                self.wait_for_connections(int(words[0]))
            case "refuse":
                RefusingBus(f"{self.folder}/run/bus", f"{self.folder}/run/refusing", words[0])
            case "raw-secret":
                return self.raw_secret(words[0])
            case "put-raw":
                self.put_raw(words[0], " ".join(words[1:]).replace("\\n", "\n"))
            case _:
                raise RuntimeError(f"no such command: {command}")

    def end_bus(self):
        for process in (self.service, self.bus):
            if process is not None:
                # What fails after that would not say why.
                if isinstance(process, subprocess.Popen) and (status := process.poll()) is not None:
                    print(f"{process.args[0]} ended by itself ({status})", file=sys.stderr, flush=True)
                process.kill()
                process.wait()
        self.service = None

    def end(self):
        self.end_bus()
        if self.screen is not None:
            self.screen.end()


def main(*words):
    session = Session(*words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    print("ready", flush=True)
    try:
        for line in sys.stdin:
            try:
                print(session.run(*line.split()) or "ok", flush=True)
            except Exception as error:
                print(f"{line.strip()}: {error}".replace("\n", " "), flush=True)
    finally:
        session.end()


def serve():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    # At once, for nobody reads more.
    os.write(1, b"ready\n")
    while folder := sys.stdin.readline().rstrip("\n"):
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            # In this order whoever asks opens them too.
            sys.stdin = open(f"{folder}/commands")
            sys.stdout = open(f"{folder}/answers", "w")
            with open(os.devnull, "r+") as nothing:
                os.dup2(nothing.fileno(), 0)
                os.dup2(nothing.fileno(), 1)
            try:
                main(folder)
            finally:
                sys.stdout.flush()
                os._exit(0)


if sys.argv[1:] == ["--serve"]:
    serve()
else:
    main(*sys.argv[1:])
