#!/usr/bin/env python3
"""How long a token takes that is stored: from the agent, from the command without it, and from oidc-agent.

usage: agent.py KEYFOB [ROUNDS] [ACCOUNTS]

One vault with so many accounts, of which one is asked for again and again, by turns in each way. Milliseconds, median and 99th
percentile: for the agent of a call on a connection that is open, and of a connection for each call; for the commands of the whole
process. oidc-token comes from Debian's oidc-agent-cli, with one account."""

import contextlib
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from whole import measure, services  # noqa: E402


class Home:
    """A vault with accounts, and an agent that this program may ask for one of them."""

    def __init__(self, keyfob, folder, accounts):
        self.keyfob, self.folder = keyfob, folder
        (folder / "run").mkdir(parents=True, mode=0o700)
        key = folder / "key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(32))
        self.environment = os.environ | {
            "HOME": str(folder), "XDG_DATA_HOME": str(folder / "data"), "XDG_STATE_HOME": str(folder / "state"),
            "XDG_RUNTIME_DIR": str(folder / "run"), "KEYFOB_KEY_FILE": str(key)}
        self.run("init", "--quiet", "--recovery-file", str(folder / "recovery"))
        cache = folder / "cache.json"
        names = [measure.name_of(number) for number in range(accounts)]
        cache.write_text(json.dumps({
            "Account": {str(number): {
                "home_account_id": f"uid-{number}.t", "environment": "login.microsoftonline.com", "realm": "t",
                "local_account_id": f"uid-{number}", "username": name, "authority_type": "MSSTS"}
                for number, name in enumerate(names)},
            "AccessToken": {str(number): {
                "home_account_id": f"uid-{number}.t", "environment": "login.microsoftonline.com", "realm": "t", "client_id": "c",
                "target": "mail.read", "credential_type": "AccessToken", "token_type": "Bearer",
                "secret": measure.token_of(name), "cached_at": str(int(time.time())),
                "expires_on": str(int(time.time()) + 86_400)} for number, name in enumerate(names)}}))
        self.run("import", "--quiet", str(cache))
        self.name = names[accounts // 2]
        self.run("program", "allow", "--quiet", "--any-version", str(pathlib.Path(__file__).resolve()), "--account", self.name)
        self.agent = subprocess.Popen([keyfob, "agent", "--quiet"], env=self.environment)
        self.address = str(folder / "run/keyfob/agent")
        while not os.path.exists(self.address):
            if self.agent.poll() is not None:
                sys.exit("the agent has ended")
            time.sleep(0.01)

    def run(self, *words):
        subprocess.run([self.keyfob, *words], env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def connect(self):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self.address)
        return connection

    def ask(self, connection):
        connection.sendall(json.dumps({
            "method": "io.keyfob.Agent.Token", "parameters": {"account": self.name, "scopes": ["mail.read"]}}).encode() + b"\0")
        answer = b""
        while not answer.endswith(b"\0"):
            part = connection.recv(65_536)
            if not part:
                sys.exit("the agent has hung up")
            answer += part
        if json.loads(answer[:-1])["parameters"].get("token") != measure.token_of(self.name):
            sys.exit(f"the agent gave no token: {answer[:300]!r}")

    def ask_apart(self):
        with contextlib.closing(self.connect()) as connection:
            self.ask(connection)

    def ask_command(self):
        words = [self.keyfob, "token", "--account", self.name, "--scope", "mail.read"]
        if subprocess.run(words, env=self.environment, check=True, capture_output=True).stdout.decode().strip() \
                != measure.token_of(self.name):
            sys.exit("the command gave no token")

    def stop(self):
        self.agent.terminate()
        self.agent.wait()


def main():
    keyfob = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    accounts = int(sys.argv[3]) if len(sys.argv) > 3 else 1_000
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        home = Home(keyfob, pathlib.Path(name) / "keyfob", accounts)
        stack.callback(home.stop)
        connection = home.connect()
        ways = {
            "agent, connection open": lambda: home.ask(connection), "agent, connection each": home.ask_apart,
            "keyfob token": home.ask_command}
        try:
            other = services.OIDCAgent("oidc-token", f"{name}/oidc", 1)
            stack.callback(other.stop)
            other.fill(60)
            command = other.look_up(measure.name_of(0))
            ways["oidc-token"] = lambda: subprocess.run(
                command.words, env=other.environment, check=True, capture_output=True)
        except (FileNotFoundError, measure.NotPossible, measure.Failure) as error:
            print(f"oidc-token: left out: {error}", file=sys.stderr)
        taken = {way: [] for way in ways}
        for round_ in range(rounds + 20):
            for way, ask in ways.items():
                begin = time.perf_counter()
                ask()
                if round_ >= 20:
                    taken[way].append((time.perf_counter() - begin) * 1_000)
        print(f"{accounts:,} accounts, {rounds} rounds\n\n{'':24} {'median ms':>10} {'99 % ms':>10}")
        for way, times in taken.items():
            print(f"{way:24} {statistics.median(times):10.2f} {statistics.quantiles(times, n=100)[98]:10.2f}")


if __name__ == "__main__":
    main()
