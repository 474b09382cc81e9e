"""A vault with accounts of two providers, a session bus, programs with what each may have, and an agent that is started when
somebody asks and killed at random."""

import json
import os
import pathlib
import random
import select
import signal
import socket
import subprocess
import sys
import threading
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(REPOSITORY / "Tests/Front"), str(REPOSITORY / "Tests/Provider")]
import place as front  # noqa: E402

from program import BROKER  # noqa: E402
from providers import Ledger, Loopback, Microsoft  # noqa: E402

PYTHON = pathlib.Path(os.environ.get("KEYFOB_PYTHON", REPOSITORY / ".venv/bin/python3"))
PROGRAM = pathlib.Path(__file__).resolve().parent / "program.py"
GROUPS = ["default", "work", "tools"]
SCOPE = "mail.read"
# Those of the provider on loopback come first; Microsoft's are in the first two groups.
AT_LOOPBACK, AT_MICROSOFT = 18, 12
# How long an access token lives, and how long it is to live when a program gets it. MSAL's programs want five minutes.
LIFE, WANTED = 10, 2
MICROSOFT_LIFE, MICROSOFT_WANTED = 312, 300
# What a refresh takes.
TAKES = 0.05
CLIENT, MICROSOFT_CLIENT = "client", "04b07795-8ddb-461a-bbee-02f9e1bf7b46"


def name(person):
    return f"person{person}@t.example"


def group(person):
    return GROUPS[person % 3] if person < AT_LOOPBACK else GROUPS[person % 2]


def is_at_microsoft(person):
    return person >= AT_LOOPBACK


def cache(persons, environment, client):
    """A token cache of MSAL, with access tokens that have expired."""
    sections = {section: {} for section in ["AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata"]}
    for person in persons:
        owner = {"home_account_id": f"u{person}.t", "environment": environment, "client_id": client}
        sections["AccessToken"][f"a{person}"] = owner | {
            "credential_type": "AccessToken", "secret": f"token-{person}-0", "realm": "t", "target": SCOPE,
            "token_type": "Bearer", "cached_at": str(int(time.time()) - 3_600), "expires_on": str(int(time.time()) - 1)}
        sections["RefreshToken"][f"r{person}"] = owner | {
            "credential_type": "RefreshToken", "secret": f"refresh-{person}-0", "target": SCOPE}
        sections["Account"][f"c{person}"] = {
            "home_account_id": f"u{person}.t", "environment": environment, "realm": "t", "local_account_id": f"u{person}",
            "username": name(person), "authority_type": "MSSTS"}
    return json.dumps(sections)


class Bus:
    """A private session bus; when the broker's name had an owner is written down."""

    def __init__(self, folder):
        configuration = REPOSITORY / "Tests/SecretService/session-bus.conf"
        self.process = subprocess.Popen(
            ["dbus-daemon", f"--config-file={configuration}", "--nofork", "--print-address",
             f"--address=unix:path={folder}/bus"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.process.stdout.readline().strip()
        self.owned = []
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        from jeepney import DBusAddress, MatchRule, message_bus
        from jeepney.io.blocking import open_dbus_connection
        rule = MatchRule(type="signal", member="NameOwnerChanged", interface="org.freedesktop.DBus")
        rule.add_arg_condition(0, BROKER)
        connection = open_dbus_connection(self.address)
        connection.send_and_get_reply(message_bus.AddMatch(rule))
        try:
            while True:
                message = connection.receive()
                if message.header.message_type.name == "signal" and message.body[0] == BROKER:
                    self.owned.append((time.time(), bool(message.body[2])))
        except (OSError, EOFError):
            pass

    def end(self):
        self.process.terminate()
        self.process.wait()


class Agent:
    """The agent: started when somebody connects, as systemd does it, and killed when it is told to be."""

    def __init__(self, home, program):
        self.home, self.words, self.log = home, [program, "agent", "--broker"], home.folder / "agent.log"
        (home.folder / "run/keyfob").mkdir(mode=0o700, exist_ok=True)
        self.address = f"{home.folder}/run/keyfob/agent"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.address)
        os.chmod(self.address, 0o600)
        self.listener.listen(512)
        # From when till when each has run, and how it was ended: a signal, or None for those that nobody ended.
        self.runs, self.process, self.is_over = [], None, threading.Event()
        self.turn = threading.Lock()
        self.thread = threading.Thread(target=self.keep)
        self.thread.start()

    def keep(self):
        while not self.is_over.is_set():
            if self.process and self.process.poll() is not None:
                with self.turn:
                    self.runs[-1]["end"] = time.time()
                    self.runs[-1]["status"] = self.process.returncode
                    self.process = None
            if not self.process and select.select([self.listener], [], [], 0.02)[0]:
                self.start()
            time.sleep(0.005)

    def start(self):
        listener = self.listener.fileno()
        # The shell becomes the agent, so that its number is the one that the socket is for.
        line = f'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@" 3<&{listener}'
        if listener != 3:
            line += f" {listener}<&-"
        with self.turn, open(self.log, "ab") as log:
            self.runs.append({"begin": time.time(), "signal": None})
            self.process = subprocess.Popen(
                ["bash", "-c", line, "agent", *self.words], env=self.home.environment, cwd=self.home.folder,
                pass_fds=[listener], stdout=log, stderr=log)

    def kill(self, number):
        with self.turn:
            if self.process and self.process.poll() is None and self.runs[-1]["signal"] is None:
                self.runs[-1] |= {"signal": number, "killed": time.time()}
                self.process.send_signal(number)

    def near(self, moment):
        """The agent that ran then, to tell of."""
        return next((run for run in reversed(self.runs) if run["begin"] <= moment + 1), None)

    def end(self):
        """Ends it well; its status."""
        self.is_over.set()
        self.thread.join()
        if not self.process:
            return None
        self.runs[-1] |= {"signal": signal.SIGTERM, "killed": time.time()}
        self.process.terminate()
        status = self.process.wait(90)
        self.runs[-1] |= {"end": time.time(), "status": status}
        return status


def noted(path):
    """The documents of a log, a line each; none of one that was killed before it had begun, nor of a line that was cut off."""
    for line in path.read_bytes().split(b"\n")[1:] if path.exists() else []:
        try:
            yield json.loads(line)
        except ValueError:
            pass


class Program:
    """One of the programs: what it is, what it may have, and its processes."""

    def __init__(self, number, home, seed):
        self.number, self.home = number, home
        self.chance = random.Random(f"{seed} program {number}")
        self.door = "watch" if number % 20 == 7 else "bus" if number % 4 == 3 else "socket"
        self.is_executable = number % 5 == 4
        self.path = home.folder / "programs" / (f"program-{number}" if self.is_executable else f"script-{number}.py")
        self.log = home.folder / "logs" / f"{number}"
        self.plan = home.folder / "plans" / f"{number}"
        self.words = []
        # Whom it may have tokens of, and whom it is told of.
        self.may, self.knows = set(), set()
        self.process, self.processes = None, []
        self.grant()

    @property
    def program(self):
        return ("executable:" if self.is_executable else "script:") + str(self.path)

    def persons(self):
        return range(AT_LOOPBACK if self.door == "bus" else 0, AT_LOOPBACK + AT_MICROSOFT)

    def grant(self):
        kind = self.chance.choices(["nothing", "accounts", "group", "all but", "other scope"], [25, 45, 12, 10, 8])[0]
        persons = list(self.persons())
        if kind == "accounts":
            for person in self.chance.sample(persons, self.chance.choice([1, 2])):
                self.words.append(["allow", str(self.path), "--account", name(person), "--group", group(person)])
                self.may.add(person)
        elif kind in ("group", "all but"):
            of = self.chance.choice(GROUPS[:2])
            self.words.append(["allow", str(self.path), "--all-accounts", "--group", of])
            self.may = {person for person in range(AT_LOOPBACK + AT_MICROSOFT) if group(person) == of}
            if kind == "all but":
                person = self.chance.choice(sorted(self.may))
                self.words.append(["deny", str(self.path), "--account", name(person), "--group", of])
                self.may.discard(person)
        elif kind == "other scope":
            person = self.chance.choice(persons)
            self.words.append(
                ["allow", str(self.path), "--account", name(person), "--group", group(person), "--scope", "calendar.read"])
            self.knows.add(person)
        self.knows |= self.may

    def prepare(self, pause):
        """Puts its file and its plan in place."""
        if self.is_executable:
            os.link(self.home.interpreter, self.path)
        else:
            # Each its own file: two with the same content are two programs all the same.
            self.path.write_text(PROGRAM.read_text())
        persons = list(self.persons())
        own = [person for person in sorted(self.may) if person in persons] or persons
        self.asked = [self.chance.choice(own if self.chance.random() < 0.75 else persons) for _ in range(40)]
        self.asked += ["anybody", "accounts", "accounts"]
        self.plan.write_text(json.dumps({"pause": pause, "requests": [self.text(asked) for asked in self.asked]}))

    def text(self, asked):
        if self.door == "bus":
            if asked == "accounts":
                return "getAccounts " + json.dumps({"clientId": MICROSOFT_CLIENT, "redirectUri": "http://localhost"})
            account = None if asked == "anybody" else {
                "homeAccountId": f"u{asked}.t", "environment": "login.microsoftonline.com"}
            return "acquireTokenSilently " + json.dumps({"authParameters": {
                "authority": "https://login.microsoftonline.com/common", "authorizationType": 1,
                "clientId": MICROSOFT_CLIENT, "account": account, "redirectUri": "http://localhost",
                "requestedScopes": [SCOPE, "openid"]}})
        if asked == "accounts":
            return json.dumps({"method": "io.keyfob.Agent.Accounts"})
        parameters = {"scopes": [SCOPE]}
        if asked == "anybody":
            parameters["minimumValidity"] = WANTED
        else:
            wanted = MICROSOFT_WANTED if is_at_microsoft(asked) else WANTED
            parameters |= {"account": name(asked), "minimumValidity": wanted}
        return json.dumps({"method": "io.keyfob.Agent.Token", "parameters": parameters})

    def start(self):
        number = len(self.processes)
        words = [self.door, self.home.bus.address if self.door == "bus" else self.home.agent.address,
                 f"{self.log}-{number}", self.plan, str(number)]
        before = [self.path, PROGRAM] if self.is_executable else [self.home.interpreter, "-B", self.path]
        self.process = subprocess.Popen(
            [*before, *words], env=self.home.of_programs, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=open(self.home.folder / "programs.log", "ab"))
        self.processes.append([self.process.pid, time.time(), None])

    def has_begun(self):
        path = self.home.folder / f"logs/{self.number}-{len(self.processes) - 1}"
        return path.exists() and path.stat().st_size > 0

    def kill(self):
        if self.process:
            if self.process.poll() is not None:
                raise front.Trouble(f"{self.path} has ended by itself: see programs.log")
            self.process.kill()
            self.process.wait()
            self.processes[-1][2] = time.time()
            self.process = None

    def lines(self):
        """What it has written down: process, request and answer, which lacks its end where one of both was killed."""
        for number, (process, _, end) in enumerate(self.processes):
            asked = None
            for line in noted(self.home.folder / f"logs/{self.number}-{number}"):
                if "request" in line:
                    asked = line
                elif "watched" in line:
                    yield {"process": process} | line
                elif asked:
                    yield {"process": process} | asked | line
                    asked = None
            if asked:
                yield {"process": process} | asked | {"end": end or time.time(), "answer": {"failure": "killed"}}


class Home(front.Home):
    """A vault in which all of these are."""

    def __init__(self, folder, program, life=LIFE):
        super().__init__(folder, str(program))
        self.make()
        for part in ["programs", "logs", "plans"]:
            (self.folder / part).mkdir()
        # Beside the programs: a link, unlike a copy, costs nothing, and each is a path of its own.
        base = pathlib.Path(sys._base_executable).resolve()
        self.interpreter = self.folder / "programs" / base.name
        self.interpreter.write_bytes(base.read_bytes())
        self.interpreter.chmod(0o755)
        self.ledger = Ledger()
        self.loopback = Loopback(self.ledger, life, TAKES)
        microsoft = Microsoft(self.folder / "microsoft", self.ledger, MICROSOFT_LIFE, TAKES)
        self.bus = Bus(self.folder)
        self.environment |= microsoft.environment | {"DBUS_SESSION_BUS_ADDRESS": self.bus.address}
        site = next(PYTHON.parents[1].glob("lib/python3*/site-packages"))
        self.of_programs = {"PATH": "/usr/bin:/bin", "PYTHONHOME": sys.base_prefix, "PYTHONPATH": str(site),
                            "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(self.folder)}
        self.agent = None
        self.fill()

    def fill(self):
        for of in GROUPS:
            if of != "default":
                self.run("group", "create", "-q", of)
            self.run("provider", "add", "-q", "--issuer", self.loopback.issuer, "--name", "local", "--group", of)
            self.run("client", "add", "-q", CLIENT, "--provider", "local", "--group", of)
            persons = range(AT_LOOPBACK + AT_MICROSOFT)
            for is_microsoft, environment, client in [
                (False, self.loopback.host, CLIENT), (True, "login.microsoftonline.com", MICROSOFT_CLIENT),
            ]:
                own = [each for each in persons if group(each) == of and is_at_microsoft(each) == is_microsoft]
                if own:
                    self.run("import", "-q", "--group", of, "-", given=cache(own, environment, client))

    def open(self):
        self.agent = Agent(self, self.full)

    def answers(self):
        """How many tokens the agent has given, as its log says."""
        given = [b'"answer":"stored"', b'"answer":"provider"']
        logs = [path.read_bytes() for path in self.state.glob("audit/*/*.jsonl")]
        return sum(log.count(words) for log in logs for words in given)

    def is_served(self):
        """Whether the agent that runs now has begun to answer."""
        runs, owned = self.agent.runs, self.bus.owned
        return bool(runs and owned) and owned[-1][1] and owned[-1][0] > runs[-1]["begin"]

    def close(self):
        if self.agent and self.agent.process:
            self.agent.is_over.set()
            self.agent.process.kill()
        self.bus.end()
