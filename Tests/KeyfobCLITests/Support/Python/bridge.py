"""What `keyfob mcp` does with a server and a client that do what they should not.

usage: bridge.py CASE"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time

import bridge_server

BEGIN = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Bridge:
    """A bridge, and what it has said."""

    def __init__(self, server, *options, path="/mcp"):
        self.process = subprocess.Popen(
            ["keyfob", "mcp", f"http://{server.host}{path}", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines, self.errors, self.number, self.kept, self.is_deaf = queue.Queue(), [], 0, [], False
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        threading.Thread(target=lambda: self.errors.extend(self.process.stderr), daemon=True).start()

    def read(self):
        # A case may close it meanwhile.
        with contextlib.suppress(ValueError):
            for line in self.process.stdout:
                self.lines.put(json.loads(line))
                if self.is_deaf:
                    break
        self.lines.put(None)

    def stop_reading(self):
        """A file that is being read cannot be closed."""
        self.is_deaf = True
        self.tool("echo")
        self.reader.join(20)
        self.process.stdout.close()

    def write(self, text):
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def send(self, method, params=None):
        self.number += 1
        self.write(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}}))
        return self.number

    def tell(self, method, params=None):
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params or {}}))

    def tool(self, name, **arguments):
        return self.send("tools/call", {"name": name, "arguments": arguments})

    def next(self, wanted, seconds=20):
        """The first message that is wanted; the others are kept."""
        end = time.time() + seconds
        for message in self.kept:
            if wanted(message):
                self.kept.remove(message)
                return message
        while True:
            message = self.lines.get(timeout=max(0.01, end - time.time()))
            if message is None or wanted(message):
                return message
            self.kept.append(message)

    def answer(self, number, seconds=20):
        return self.next(lambda message: message.get("id") == number and "method" not in message, seconds)

    def call(self, name, seconds=20, **arguments):
        return self.answer(self.tool(name, **arguments), seconds)

    def begin(self):
        answer = self.answer(self.send("initialize", BEGIN))
        self.tell("notifications/initialized")
        return answer

    def end(self):
        self.process.stdin.close()
        return self.process.wait(timeout=20)


def has_ended(process):
    """Also where nobody has asked how."""
    try:
        with open(f"/proc/{process}/stat") as state:
            return state.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def begun(server, *options):
    bridge = Bridge(server, *options)
    assert bridge.begin()["result"]["serverInfo"]["name"] == "odd"
    return bridge


def refused(answer, *words):
    text = answer["error"]["message"]
    assert answer["error"]["code"] in (-32010, -32011, -32012) and all(word in text for word in words), answer


def ordinary(server):
    bridge = begun(server)
    late, quick = bridge.tool("late", a=1), bridge.tool("echo", a=2)
    assert bridge.answer(quick)["result"] == {"a": 2}
    # A slow call holds up no other.
    assert all("id" not in message or message["id"] != late for message in bridge.kept)
    assert bridge.answer(late)["result"] == {"a": 1}
    assert bridge.call("stream")["result"] == "whole"
    assert bridge.next(lambda message: message.get("params") == {"message": "half"})
    assert bridge.next(lambda message: message.get("method") == "notifications/tools/list_changed")
    asking = bridge.tool("asks")
    assert bridge.next(lambda message: message.get("method") == "roots/list")["id"] == 1
    bridge.write('{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}')
    assert bridge.answer(asking)["result"] == {"roots": []}
    assert bridge.call("wrong")["error"]["message"] == "wrong"
    # Many at once, and ids that are texts.
    for number in range(100):
        bridge.write(json.dumps({"jsonrpc": "2.0", "id": f"é{number}", "method": "tools/call", "params": {"name": "echo", "arguments": {"n": number}}}))
    for number in range(100):
        assert bridge.next(lambda message: message.get("id") == f"é{number}")["result"] == {"n": number}
    assert bridge.end() == 0 and server.seen[-1]["method"] == "DELETE", server.seen[-1]
    sent = [one for one in server.seen if one["name"] not in ("initialize", "DELETE")]
    assert all(one["session"] == "session-1" and one["version"] == "2025-06-18" for one in sent), sent
    assert all(one["token"] == "Bearer token-ada" for one in server.seen)


def nonsense(server):
    bridge = Bridge(server)
    for text, code in [("nonsense", -32700), ("[]", -32600), ("3", -32600), ("{}", -32600), ('{"method":1,"id":2}', -32600),
                       ('{"method":"x","id":{}}', -32600), ("\x00\x01", -32700), ("[" * 100_000, -32700), ('"\\ud800', -32700),
                       ("x" * (33 << 20), -32700)]:
        bridge.write(text)
        answer = bridge.next(lambda message: "error" in message)
        assert answer["id"] is None and answer["error"]["code"] == code, (text[:20], answer)
    bridge.write("")
    bridge.write(" \t\r")
    assert bridge.begin()["result"]
    bridge.write('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"late","arguments":{}}}')
    bridge.write('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{}}}')
    assert bridge.answer(7)["error"]["code"] == -32600
    assert bridge.answer(7)["result"] == {}
    # The last line lacks its end.
    bridge.process.stdin.write(b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}')
    assert bridge.end() == 0 and bridge.answer(8)["result"] == {"a": 1}


def broken(server):
    bridge = begun(server)
    one = bridge.call("drop")
    assert one["result"] == "whole", one
    # It went on behind the last event, and what came twice was told once.
    assert [entry["last"] for entry in server.seen if entry["last"]] == ["drop-1"], server.seen
    assert len([m for m in bridge.kept if m.get("params") == {"message": "one"}]) == 1, bridge.kept
    refused(bridge.call("gone"), "whether it was done is not known")
    refused(bridge.call("cut"), "whether it was done is not known")
    assert len(server.asked("cut")) == 1
    for name in ("huge", "flood"):
        refused(bridge.call(name, 60), "longer than 32 MiB")
    refused(bridge.call("page"), "no message of JSON-RPC")
    refused(bridge.call("nonsense"), "no message of JSON-RPC")
    refused(bridge.call("elsewhere"), "leads elsewhere to http://127.0.0.1:1/mcp")
    refused(bridge.call("busy"), "asks to wait for 7 seconds")
    assert bridge.call("endless")["result"] == "whole"
    assert bridge.call("echo", a=1)["result"] == {"a": 1}
    with open(f"/proc/{bridge.process.pid}/status") as status:
        size = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
    assert size < 200_000, size
    assert bridge.end() == 0


def sessions(server):
    bridge = begun(server)
    refused(bridge.call("end"), "has ended the session", "the next call begins another")
    server.seen.clear()
    assert bridge.call("echo", a=1)["result"] == {"a": 1}
    assert [one["name"] for one in server.seen if one["method"] == "POST"] == ["initialize", "notifications/initialized", "echo"], server.seen
    # Nobody else's answers are told.
    assert not [message for message in bridge.kept if "result" in message], bridge.kept
    assert bridge.end() == 0


def ends(server):
    bridge = begun(server)
    late = bridge.tool("late")
    assert bridge.end() == 0 and bridge.answer(late)["result"] == {}
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        bridge = begun(server)
        bridge.tool("late")
        time.sleep(0.2)
        began = time.time()
        bridge.process.send_signal(number)
        assert bridge.process.wait(timeout=20) == 0 and time.time() - began < 2
    # Who reads nothing more.
    bridge = begun(server)
    bridge.stop_reading()
    bridge.tool("echo")
    assert bridge.process.wait(timeout=20) == 0
    # The keys' process leaves with it.
    bridge = begun(server)
    children = subprocess.run(["pgrep", "-P", str(bridge.process.pid)], capture_output=True, text=True).stdout.split()
    assert len(children) == 1, children
    bridge.process.kill()
    for _ in range(200):
        if has_ended(children[0]):
            break
        time.sleep(0.05)
    assert has_ended(children[0])


def older(server):
    server.older = True
    bridge = Bridge(server, path="/sse")
    assert bridge.answer(bridge.send("initialize", BEGIN))["result"]["serverInfo"]["name"] == "older"
    bridge.tell("notifications/initialized")
    first, second = bridge.tool("a"), bridge.tool("b")
    assert bridge.answer(second)["result"] == "b" and bridge.answer(first)["result"] == "a"
    server.live = None
    for _ in range(100):
        if [one for one in server.seen if one["method"] == "GET"][1:]:
            break
        bridge.tool("c")
        time.sleep(0.05)
    assert bridge.call("d")["result"] == "d"
    assert bridge.end() == 0


def refusals(server):
    bridge = begun(server)
    # No sign-in has given the token.
    refused(bridge.call("scope"), "wants the scope admin of ada", f"'keyfob add ada@{server.host} --scope admin'")
    refused(bridge.call("context"), "another way of signing in", f"'keyfob add ada@{server.host}'")
    assert bridge.call("echo", a=1)["result"] == {"a": 1}
    # A single request says the same.
    body = json.dumps({"id": 1, "method": "tools/call", "params": {"name": "scope"}})
    asked = subprocess.run(
        ["keyfob", "request", f"http://{server.host}/mcp", "-H", "Mcp-Session-Id: session-1", "-d", body], capture_output=True, text=True)
    assert asked.returncode == 1 and "keyfob add ada" in asked.stderr and "keyfob login" not in asked.stderr, asked
    # Another token, that the server takes and the vault has not.
    server.token = "token-new"
    refused(bridge.call("echo"), "does not take the token of ada", "keyfob add ada")
    subprocess.run(["keyfob", "add", "-q", "-a", "ada", "--host", server.host], input=b"token-new", check=True)
    assert bridge.call("echo", a=2)["result"] == {"a": 2}
    assert bridge.end() == 0
    for line in bridge.errors:
        assert b"token-ada" not in line and b"token-new" not in line, line


def stamped(server):
    bridge = begun(server)
    meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}, "arguments": {}}
    assert bridge.answer(bridge.send("tools/call", {"name": "echo", **meta}))["result"] == {}
    one = server.asked("echo")[0]
    assert (one["version"], one["mcp-name"]) == ("2026-07-28", "echo"), one
    assert bridge.end() == 0


def crowd(server):
    bridge = begun(server)
    answers = [bridge.answer(number, 60) for number in [bridge.tool("late") for _ in range(150)]]
    refusals = [answer for answer in answers if "error" in answer]
    assert 0 < len(refusals) < 50 and all("128 messages are on their way" in each["error"]["message"] for each in refusals), refusals
    # The end of the input is seen meanwhile.
    for _ in range(150):
        bridge.tool("late")
    assert bridge.end() == 0


def main():
    server = bridge_server.Server()
    subprocess.run(["keyfob", "add", "-q", "-a", "ada", "--host", server.host], input=b"token-ada", check=True)
    globals()[sys.argv[1]](server)


main()
