"""Asks an agent by varlink, with the client of PyPI, as a program of somebody else's does.

usage: agent.py WHAT [ARGUMENT…]"""

import json
import os
import shutil
import socket
import subprocess
import sys

import varlink

NAME = "io.keyfob.Agent"
SOCKET = os.environ["XDG_RUNTIME_DIR"] + "/keyfob/agent"


def connect():
    return varlink.Client("unix:" + SOCKET).open(NAME)


def refused(error, call):
    """The parameters of the error that a call must end with."""
    try:
        answer = call()
    except varlink.VarlinkError as caught:
        assert caught.error() == error, caught.as_dict()
        return caught.parameters()
    raise AssertionError(answer)


def own(name):
    return NAME + "." + name


def described():
    with varlink.Client("unix:" + SOCKET) as client:
        info = client.get_interfaces()
        assert set(info) == {"org.varlink.service", NAME}, info
    with varlink.Client("unix:" + SOCKET).open("org.varlink.service") as service:
        assert service.GetInfo()["product"] == "keyfob agent"
        text = service.GetInterfaceDescription(NAME)["description"]
        assert varlink.Interface(text).name == NAME
        refused("org.varlink.service.InterfaceNotFound", lambda: service.GetInterfaceDescription("org.example.None"))


def accounts(*expected):
    with connect() as agent:
        found = agent.Accounts()["accounts"]
        assert [each["username"] for each in found] == list(expected), found


def token(account, expected):
    with connect() as agent:
        answer = agent.Token(account=account)
        assert answer["token"] == expected, "another token"
        assert answer["source"] == "stored" and answer["group"] == "default", {**answer, "token": ""}
        chosen = agent.Select(account=account)["account"]
        assert chosen["id"] == answer["account"], chosen
        # Several calls on one connection, and what does not fit.
        assert refused(own("NotFound"), lambda: agent.Token(account="nobody"))["hint"]
        assert agent.Status()["isOpen"]


def until_locked(account, path):
    """Asks all the time, makes a file when it is given a token, and ends once it is not any more."""
    given = False
    with connect() as agent:
        while True:
            try:
                agent.Token(account=account)
            except varlink.VarlinkError:
                if given:
                    return
                continue
            if not given:
                open(path, "w").close()
            given = True


def ambiguous():
    with connect() as agent:
        assert len(refused(own("Ambiguous"), lambda: agent.Token())["candidates"]) == 2


def unknown(account):
    """Of a program that nobody has let in, who learns nothing of what there is."""
    with connect() as agent:
        assert agent.Accounts()["accounts"] == []
        for name in account, "nobody":
            told = refused(own("NotPermitted"), lambda: agent.Token(account=name))
            assert told["code"] == "notPermitted" and "agent.py" in told["message"], told


def locked():
    with connect() as agent:
        assert not agent.Status()["isOpen"]
        told = refused(own("Locked"), lambda: agent.Token(account="ada"))
        assert told["code"] == "locked" and "unlock" in told["hint"], told
        assert not agent.Lock()["wasOpen"]


def replaced():
    """Of keys that were handed over before the owner made new ones."""
    with connect() as agent:
        told = refused(own("Locked"), lambda: agent.Token(account="ada"))
        assert "were replaced at 2" in told["message"] and "unlock" in told["hint"], told


def altered():
    with connect() as agent:
        told = refused(own("Failed"), lambda: agent.Token(account="ada"))
        assert told["code"] == "damaged" and "altered" in told["message"], told


def lock():
    with connect() as agent:
        agent.Accounts()
        assert agent.Lock()["wasOpen"]
        assert not agent.Status()["isOpen"]


def wrong():
    """Calls that make no sense."""
    with connect() as agent:
        told = refused(own("Failed"), lambda: agent.Unlock("0" * 32, "AAAA", 5))
        assert told["code"] == "unknownVault", told
        refused("org.varlink.service.InvalidParameter", lambda: agent.Unlock("0" * 32, "?", 5))
        refused("org.varlink.service.InvalidParameter", lambda: agent.Unlock("0" * 32, "AAAA", 0))
        refused("org.varlink.service.InvalidParameter", lambda: agent.Token(url="::"))
        refused("org.varlink.service.InvalidParameter", lambda: agent.Token(minimumValidity=-1))
        refused("org.varlink.service.InvalidParameter", lambda: agent.Accounts(groups=[""]))
        refused("org.varlink.service.ExpectedMore", lambda: agent.Monitor())
        refused("org.varlink.service.ExpectedMore", lambda: agent.SignIn("github"))
    for method, error in [
        (NAME + ".Nothing", "org.varlink.service.MethodNotFound"),
        ("org.example.Nothing.Do", "org.varlink.service.InterfaceNotFound"),
        ("", "org.varlink.service.InterfaceNotFound"),
    ]:
        assert raw({"method": method})["error"] == error, method


def raw(call):
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(SOCKET)
        line.sendall(json.dumps(call).encode() + b"\0")
        answer = b""
        while not answer.endswith(b"\0"):
            answer += line.recv(4096)
    return json.loads(answer[:-1])


def monitor(account):
    """Sees what the command does beside it."""
    with connect() as agent:
        events = agent.Monitor(_more=True)
        first = next(events)
        assert not first or not first.get("event"), first
        for line, kind, who in [
            (f"printf NEXT | keyfob add -q --account {account} --host git.example --scope repo --expires-in 9000", "renewed", account),
            (f"keyfob logout -q {account} --offline", "signedOut", account),
            ("printf CEM | keyfob add -q --account cem --host git.example --scope repo", "signedIn", "cem"),
        ]:
            subprocess.run(["sh", "-c", line], check=True)
            event = next(events)["event"]
            assert event["kind"] == kind and event["account"].startswith(who), (line, event)


def hostile():
    """Programs that behave badly, and one that is answered all the same."""
    lines = []
    for _ in range(1000):
        line = socket.socket(socket.AF_UNIX)
        line.setblocking(True)
        line.connect(SOCKET)
        lines.append(line)
        if len(lines) > 300:
            lines.pop(0).close()
    for line in lines:
        line.close()
    for bytes in [b"\0", b"{" * 100_000 + b"\0", b"[" * 100_000 + b"\0", b"\xff\0", b" " * (16 << 20)]:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(SOCKET)
            try:
                line.sendall(bytes)
                assert line.recv(1) == b""
            except (BrokenPipeError, ConnectionResetError):
                pass
    # One that asks much and reads nothing, and half a message: both stay open.
    deaf, half = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    for line in deaf, half:
        line.connect(SOCKET)
    deaf.setblocking(False)
    call = json.dumps({"method": "org.varlink.service.GetInterfaceDescription", "parameters": {"interface": NAME}})
    try:
        for _ in range(100_000):
            deaf.send(call.encode() + b"\0")
    except (BlockingIOError, BrokenPipeError, ConnectionResetError):
        pass
    half.send(b'{"method":')
    with connect() as agent:
        assert agent.Status()["process"]
    # Its descriptors are nobody's to see, its ends of connections are.
    with open("/proc/net/unix") as table:
        connections = sum(line.split()[-1] == SOCKET for line in table)
    assert 0 < connections < 40, connections


def crowd():
    """Locks the vault while four programs hold all connections that there are for programs, and say nothing."""
    programs = []
    for number in range(4):
        copy = shutil.copy(__file__, f"crowd{number}.py")
        programs.append(subprocess.Popen([sys.executable, copy, "hold"], stdin=subprocess.PIPE, stdout=subprocess.PIPE))
    try:
        for program in programs:
            assert program.stdout.readline() == b"here\n"
        subprocess.run(["keyfob", "lock"], check=True, timeout=10)
    finally:
        for program in programs:
            program.communicate()


def hold():
    lines = []
    for _ in range(64):
        line = socket.socket(socket.AF_UNIX)
        line.connect(SOCKET)
        lines.append(line)
    print("here", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
