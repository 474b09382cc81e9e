"""A program that asks for tokens again and again, and writes down what it asked and what it was told.

    program.py socket|bus|watch|command|module ADDRESS LOG PLAN SEED

PLAN is a JSON document: `pause`, the most seconds between two calls, and `requests`, texts of which one is taken at random. For
the agent's socket a text is a varlink call, for the bus a method, a blank and its JSON, for the command at ADDRESS and the module
for Python an account. LOG gets two lines of JSON for each call, one before it and one after it, with seconds since 1970; a watcher
writes one for each reply. It runs until it is killed.
"""

import json
import random
import socket
import subprocess
import sys
import time

# Longer than an agent takes to start on a busy machine, and to refresh a token; the keyfob command waits as long.
PATIENCE = 180
BROKER = "com.microsoft.identity.broker1"


class Log:
    def __init__(self, path):
        self.file = open(path, "ab", buffering=0)

    def note(self, **line):
        # At once, so that it is whole or not there when the program is killed.
        self.file.write(b"\n" + json.dumps(line).encode())


class Socket:
    """Calls over the agent's socket, some on each connection."""

    def __init__(self, address, chance):
        self.address, self.chance, self.connection, self.left = address, chance, None, 0

    def ask(self, text):
        try:
            if not self.left:
                self.leave()
                self.connection, self.left = socket.socket(socket.AF_UNIX), self.chance.randint(1, 8)
                self.connection.settimeout(PATIENCE)
                self.connection.connect(self.address)
            self.left -= 1
            self.connection.sendall(text.encode() + b"\0")
            return self.reply()
        except OSError as error:
            self.left = 0
            return {"failure": f"{type(error).__name__}: {error}"}

    def reply(self):
        answer = b""
        while not answer.endswith(b"\0"):
            part = self.connection.recv(1 << 16)
            if not part:
                raise ConnectionError("hung up")
            answer += part
        return json.loads(answer[:-1])

    def leave(self):
        if self.connection:
            self.connection.close()


class Bus:
    """Calls of the broker's methods."""

    def __init__(self, address, _):
        from jeepney import DBusAddress, MessageType, new_method_call
        from jeepney.io.blocking import open_dbus_connection
        self.error, self.call = MessageType.error, new_method_call
        self.broker = DBusAddress("/com/microsoft/identity/broker1", BROKER, "com.microsoft.identity.Broker1")
        self.connection = open_dbus_connection(address)

    def ask(self, text):
        method, _, body = text.partition(" ")
        try:
            reply = self.connection.send_and_get_reply(
                self.call(self.broker, method, "sss", ("0.0", "", body)), timeout=PATIENCE)
        except (OSError, TimeoutError) as error:
            return {"failure": f"{type(error).__name__}: {error}"}
        if reply.header.message_type == self.error:
            return {"failure": next(value for key, value in reply.header.fields.items() if key.name == "error_name")}
        return json.loads(reply.body[0])


class Command:
    """A command of its own for each call."""

    def __init__(self, address, _):
        self.address = address

    def ask(self, account):
        done = subprocess.run([self.address, "token", "--json", "--no-input", "--account", account], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        # An error is a document behind the warnings.
        warnings, brace, error = done.stderr.partition("{\n") if done.returncode else (done.stderr, "", "")
        try:
            told = json.loads(brace + error)["error"] if done.returncode else json.loads(done.stdout)
        except ValueError:
            return {"failure": f"it ended with {done.returncode}: {done.stderr}"}
        return told | ({"warnings": warnings} if warnings else {})


class Module:
    """Calls of the module for Python, which has the keyring open; now and then it is opened anew."""

    def __init__(self, _, chance):
        import keyfob
        self.module, self.chance, self.keyring = keyfob, chance, None

    def ask(self, account):
        try:
            if self.keyring is None or self.chance.random() < 0.05:
                self.keyring = self.module.Keyring()
            token = self.keyring.token(account=account)
            warnings = [each["message"] for each in self.keyring.warnings()]
            return {"token": token.token, "expiresAt": token.expires_on} | ({"warnings": warnings} if warnings else {})
        except self.module.Error as error:
            return {"code": error.code, "message": error.message, "hint": error.hint}


def watch(address, log):
    """Writes down what it is told of its accounts, and watches anew when the agent has gone."""
    while True:
        door = Socket(address, random)
        begin = time.time()
        try:
            door.connection = socket.socket(socket.AF_UNIX)
            door.connection.connect(address)
            door.connection.sendall(b'{"method":"io.keyfob.Agent.Monitor","more":true}\0')
            rest = b""
            while part := door.connection.recv(1 << 16):
                *replies, rest = (rest + part).split(b"\0")
                for reply in replies:
                    log.note(begin=begin, end=time.time(), watched=json.loads(reply))
        except OSError:
            pass
        door.leave()
        time.sleep(0.1)


def main():
    kind, address, path, plan, seed = sys.argv[1:]
    log, chance = Log(path), random.Random(seed)
    if kind == "watch":
        return watch(address, log)
    with open(plan) as file:
        plan = json.load(file)
    door = {"socket": Socket, "bus": Bus, "command": Command, "module": Module}[kind](address, chance)
    while True:
        number = chance.randrange(len(plan["requests"]))
        log.note(begin=time.time(), request=number)
        answer = door.ask(plan["requests"][number])
        log.note(end=time.time(), answer=answer)
        time.sleep(chance.random() * plan["pause"])


if __name__ == "__main__":
    main()
