#!/usr/bin/env python3
"""An hour of many MCP sessions with one sign-in: who keeps it, `keyfob mcp` or the OAuth client of PyPI's `mcp`?

usage: .venv/bin/python3 Benchmarks/mcp_hour.py KEYFOB [--sessions N] [--minutes M] [--speed S] [--lifetime SECONDS]

The server is that of `fastmcp`: access tokens live for 60 seconds, and each refresh token serves once. Every clock of all processes,
the server's too, runs 20 times as fast (libfaketime): an hour takes three minutes, in which the machine has a twentieth of the
usual time for each request. The sessions of Keyfob are processes of their own; one is killed (kill -9) every ten
seconds, also in the middle of a call or a refresh, and begun anew. Those of the SDK are as many in four processes, with one file for their tokens, as programs have that keep
a sign-in beside each other; nobody kills them, and where one asks for a person, one signs in.
Ends with 1 where Keyfob asked for a person, lost a session, or had a refresh refused."""

import argparse
import asyncio
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

# What is beside this is not the package.
sys.path.pop(0)
ROOT = pathlib.Path(__file__).resolve().parent.parent
PROVIDER = ROOT / "Tests/Provider"

parser = argparse.ArgumentParser()
parser.add_argument("keyfob")
parser.add_argument("--sessions", type=int, default=20)
parser.add_argument("--minutes", type=float, default=60)
parser.add_argument("--speed", type=float, default=20)
parser.add_argument("--lifetime", type=int, default=60)
parser.add_argument("--sdk", nargs=3, help=argparse.SUPPRESS)
options = parser.parse_args()
SECONDS = options.minutes * 60


class Server:
    """An MCP server of others', in a folder of its own."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        (self.folder / "seconds").write_text(str(options.lifetime))
        self.process = subprocess.Popen(
            [sys.executable, PROVIDER / "mcp_server.py", self.folder, "fastmcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.address = f"https://127.0.0.1:{int(self.process.stdout.readline())}/mcp"

    def lines(self, name):
        path = self.folder / name
        return path.read_text().split() if path.exists() else []

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def row(who, sessions, calls, refreshes, lost, people, broken):
    return [who, sessions, calls, len(refreshes), refreshes.count("refused"), lost, people, broken]


# Keyfob.


class Bridges:
    def __init__(self, server):
        self.server, self.calls, self.lost, self.asked, self.killed, self.broken = server, 0, set(), 0, 0, []
        self.processes = {}

    async def session(self, number, end):
        """Calls until the end; begins anew after it was killed."""
        import mcp
        from mcp.client.stdio import StdioServerParameters, stdio_client

        while time.time() < end:
            mark = f"session-{number}-{random.random()}"
            try:
                parameters = StdioServerParameters(
                    command=options.keyfob, args=["mcp", self.server.address], env=os.environ | {"MARK": mark})
                with open(os.devnull, "w") as errors:
                    async with stdio_client(parameters, errlog=errors) as (reading, writing), mcp.ClientSession(reading, writing) as client:
                        await client.initialize()
                        self.processes[number] = mark
                        while time.time() < end:
                            answer = await client.call_tool("add", {"a": number, "b": 1})
                            assert answer.content[0].text == str(number + 1), answer
                            self.calls += 1
                            await asyncio.sleep(random.random() * 10)
            except BaseException as error:
                if isinstance(error, (KeyboardInterrupt, asyncio.CancelledError)):
                    raise
                words = str(error) + "".join(str(one) for one in getattr(error, "exceptions", []))
                self.asked += "keyfob login" in words
                if self.processes.pop(number, None) != "killed":
                    self.lost.add(number)
                    self.broken.append(words[:300])
                await asyncio.sleep(1)

    async def killer(self, end):
        while time.time() < end - 20:
            await asyncio.sleep(random.random() * 20)
            number = random.choice(sorted(self.processes) or [None])
            mark = self.processes.get(number, "killed")
            if mark == "killed":
                continue
            self.processes[number] = "killed"
            for process in commands(mark):
                with contextlib.suppress(OSError):
                    os.kill(process, signal.SIGKILL)
            self.killed += 1

    async def run(self):
        end = time.time() + SECONDS
        await asyncio.gather(*(self.session(number, end) for number in range(options.sessions)), self.killer(end))


def commands(mark):
    """The process of the command that has a variable, as a client or a person kills it; those that it has made find out."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and f"MARK={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)


def keyfob(folder):
    server = Server(folder / "server")
    (folder / "run").mkdir(mode=0o700)
    (folder / "key").write_bytes(os.urandom(32))
    (folder / "key").chmod(0o600)
    visitor = f"{sys.executable} {PROVIDER / 'visit.py'} %s x --quiet"
    os.environ |= {
        "HOME": str(folder), "XDG_DATA_HOME": f"{folder}/data", "XDG_STATE_HOME": f"{folder}/state",
        "XDG_RUNTIME_DIR": f"{folder}/run", "KEYFOB_KEY_FILE": f"{folder}/key", "KEYFOB_CA_FILE": f"{server.folder}/ca.pem",
        "BROWSER": visitor}

    def run(*words):
        return subprocess.run([options.keyfob, *words], check=True, stdout=subprocess.PIPE)

    run("init", "-q", "--recovery-file", f"{folder}/recovery")
    run("login", "-q", server.address, "--name", "ada")
    bridges = Bridges(server)
    asyncio.run(bridges.run())
    refreshes = server.lines("refreshes")
    # It is still there.
    kept = subprocess.run([options.keyfob, "account", "refresh", "ada"], stdout=subprocess.DEVNULL).returncode == 0
    server.end()
    for words in sorted(set(bridges.broken)):
        print("lost:", words, file=sys.stderr)
    return row("keyfob mcp", options.sessions, bridges.calls, refreshes, 0 if kept else options.sessions, bridges.asked,
               len(bridges.lost)), bridges.killed


# The SDK.


def sdk_process(address, store, numbers):
    """Sessions of the SDK with one file of tokens; prints what became of them."""
    import httpx2
    import mcp
    from mcp.client.auth import OAuthClientProvider, TokenStorage
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

    path = pathlib.Path(store)
    told = {"calls": 0, "people": 0, "lost": set(), "broken": set()}

    class File(TokenStorage):
        def read(self):
            return json.loads(path.read_text()) if path.exists() else {}

        def write(self, **fields):
            other = path.with_name(f"{path.name}.{os.getpid()}")
            other.write_text(json.dumps(self.read() | fields))
            other.replace(path)

        async def get_tokens(self):
            found = self.read().get("tokens")
            return OAuthToken.model_validate(found) if found else None

        async def set_tokens(self, tokens):
            self.write(tokens=tokens.model_dump(mode="json"))

        async def get_client_info(self):
            found = self.read().get("client")
            return OAuthClientInformationFull.model_validate(found) if found else None

        async def set_client_info(self, client_info):
            self.write(client=client_info.model_dump(mode="json"))

    async def session(number, end):
        from mcp.client.auth.oauth2 import AuthorizationCodeResult

        answer = {}

        async def redirect(url):
            told["people"] += 1
            told["lost"].add(number)
            async with httpx2.AsyncClient(verify=False) as browser:
                place = (await browser.get(url, follow_redirects=False)).headers["location"]
            answer.update(urllib.parse.parse_qsl(urllib.parse.urlsplit(place).query))

        async def callback():
            return AuthorizationCodeResult(code=answer["code"], state=answer.get("state"), iss=answer.get("iss"))

        while time.time() < end:
            # What lives on after a fault is the storage.
            auth = OAuthClientProvider(address, OAuthClientMetadata(
                client_name="SDK", redirect_uris=["http://127.0.0.1:3030/callback"], grant_types=["authorization_code", "refresh_token"],
                response_types=["code"], scope="tools", token_endpoint_auth_method="none"), File(), redirect, callback)
            try:
                async with httpx2.AsyncClient(auth=auth, verify=False, timeout=60, follow_redirects=True) as http, \
                        streamable_http_client(address, http_client=http) as streams, mcp.ClientSession(*streams[:2]) as client:
                    await client.initialize()
                    while time.time() < end:
                        got = await client.call_tool("add", {"a": number, "b": 1})
                        assert got.content[0].text == str(number + 1), got
                        told["calls"] += 1
                        await asyncio.sleep(random.random() * 10)
            except Exception as error:
                told["broken"].add(number)
                print("sdk:", type(error).__name__, str(error)[:200], [str(one)[:200] for one in getattr(error, "exceptions", [])], file=sys.stderr)
                await asyncio.sleep(1)

    async def run():
        end = time.time() + SECONDS
        await asyncio.gather(*(session(number, end) for number in numbers))

    asyncio.run(run())
    print(json.dumps({name: len(value) if isinstance(value, set) else value for name, value in told.items()}))


def sdk(folder):
    server = Server(folder / "other")
    store = folder / "tokens.json"
    # Somebody signs in, once, before the others come.
    first = subprocess.run([sys.executable, __file__, options.keyfob, "--sdk", server.address, str(store), "0", "--minutes", "0.2"],
                           stdout=subprocess.PIPE, check=True)
    assert json.loads(first.stdout)["people"] == 1, first.stdout
    before = len(server.lines("refreshes"))
    shares = [range(start, options.sessions, 4) for start in range(4)]
    processes = [subprocess.Popen(
        [sys.executable, __file__, options.keyfob, "--sdk", server.address, str(store), ",".join(map(str, share)),
         "--minutes", str(options.minutes)], stdout=subprocess.PIPE) for share in shares if share]
    told = [json.loads(process.communicate()[0]) for process in processes]
    total = {name: sum(one[name] for one in told) for name in told[0]}
    refreshes = server.lines("refreshes")[before:]
    server.end()
    return row("mcp SDK", options.sessions, total["calls"], refreshes, total["lost"], total["people"], total["broken"])


def main():
    if options.sdk:
        return sdk_process(options.sdk[0], options.sdk[1], [int(number) for number in options.sdk[2].split(",")])
    if options.speed != 1 and "MCP_HOUR" not in os.environ:
        if not shutil.which("faketime"):
            sys.exit("there is no faketime: Scripts/install-dependencies --test installs it")
        line = ["faketime", "-f", f"+0 x{options.speed:g}", sys.executable, *sys.argv]
        os.execvpe("faketime", line, os.environ | {"MCP_HOUR": "1"})
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ours, killed = keyfob(folder)
        theirs = sdk(folder)
    print(f"{options.minutes:g} minutes, tokens of {options.lifetime} s, clocks {options.speed:g} times as fast; {killed} sessions of Keyfob killed")
    heads = ["", "sessions", "calls", "refreshes", "refused", "lost", "people", "broken"]
    for line in [heads, ours, theirs]:
        print(f"{line[0]:12}" + "".join(f"{word!s:>10}" for word in line[1:]))
    print("lost: sessions that lost the sign-in; people: times that somebody had to sign in; broken: sessions that ended by themselves")
    sys.exit(1 if any(ours[4:]) else 0)


main()
