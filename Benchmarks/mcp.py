#!/usr/bin/env python3
"""What a call of an MCP server costs by way of `keyfob mcp`: beside the client's own connection, and PyPI's mcp-proxy.

usage: mcp.py KEYFOB [ROUNDS] [MCP_PROXY]

The client and the server are this program's own, so that neither hides what is between them: a line out and a line in, or a POST
over a connection that stays open. Where this Python has the package `mcp` (.venv), its own client is there too, with a token in its
memory: what that spends in its own program is most of it. Microseconds, median and 99th percentile; and the memory that one session has (PSS), of all its
processes. mcp-proxy has the token in its environment; its program is in the third word."""

import asyncio
import http.client
import http.server
import importlib.util
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

# What is beside this is not the package.
sys.path.pop(0)
TOKEN = "token-ada"
CALL = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "x", "arguments": {}}}
BEGIN = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}}
AGREED = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "bench", "version": "1"}}
TOOLS = {"tools": [{"name": "x", "inputSchema": {"type": "object"}}]}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, *words):
        pass

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(405)

    do_DELETE = do_GET

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers["Authorization"] != "Bearer " + TOKEN:
            return self.answer(401)
        if "id" not in body:
            return self.answer(202)
        results = {"initialize": AGREED, "tools/list": TOOLS}
        result = results.get(body["method"], {"content": [{"type": "text", "text": "x"}]})
        self.answer(200, json.dumps({"jsonrpc": "2.0", "id": body["id"], "result": result}).encode())


def direct(address, rounds):
    host = address.split("/")[2]
    connection = http.client.HTTPConnection(host)
    connection.connect()
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + TOKEN, "Accept": "application/json, text/event-stream"}

    def call(number):
        connection.request("POST", "/mcp", json.dumps(CALL | {"id": number}), headers)
        return json.loads(connection.getresponse().read())

    return times(call, rounds), 0


def sdk(address, rounds):
    import httpx2
    import mcp
    from mcp.client.streamable_http import streamable_http_client

    async def run():
        spent = []
        async with httpx2.AsyncClient(headers={"Authorization": "Bearer " + TOKEN}) as http, \
                streamable_http_client(address, http_client=http) as streams, mcp.ClientSession(*streams[:2]) as client:
            await client.initialize()
            for _ in range(rounds + 19):
                began = time.perf_counter()
                await client.call_tool("x", {})
                spent.append((time.perf_counter() - began) * 1e6)
        return spent[19:]

    return asyncio.run(run()), 0


def lines(command, environment, rounds):
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)

    def send(message):
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()

    def ask(message):
        send(message)
        while True:
            answer = json.loads(process.stdout.readline())
            if answer.get("id") == message["id"] and "method" not in answer:
                return answer

    ask(BEGIN)
    send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    spent = times(lambda number: ask(CALL | {"id": number}), rounds)
    memory = sum(pss(number) for number in family(process.pid))
    process.stdin.close()
    process.wait(timeout=60)
    return spent, memory


def times(call, rounds):
    spent = []
    for number in range(1, rounds + 20):
        began = time.perf_counter()
        answer = call(number)
        spent.append((time.perf_counter() - began) * 1e6)
        assert "result" in answer, answer
    return spent[19:]


def family(number):
    children = pathlib.Path(f"/proc/{number}/task/{number}/children").read_text().split()
    return [number] + [one for child in children for one in family(int(child))]


def pss(number):
    text = pathlib.Path(f"/proc/{number}/smaps_rollup").read_text()
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))


def main():
    keyfob, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2_000
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host = f"127.0.0.1:{server.server_port}"
    address = f"http://{host}/mcp"
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/run", 0o700)
        pathlib.Path(folder, "key").write_bytes(os.urandom(32))
        os.chmod(folder + "/key", 0o600)
        environment = os.environ | {
            "HOME": folder, "XDG_DATA_HOME": folder + "/data", "XDG_STATE_HOME": folder + "/state",
            "XDG_RUNTIME_DIR": folder + "/run", "KEYFOB_KEY_FILE": folder + "/key"}
        for words, text in [(["init", "-q", "--recovery-file", folder + "/recovery"], None),
                            (["add", "-q", "-a", "ada", "--host", host], TOKEN)]:
            subprocess.run([keyfob, *words], input=text, text=True, env=environment, check=True)
        rows = {"own connection": direct(address, rounds), "keyfob mcp": lines([keyfob, "mcp", address], environment, rounds)}
        if importlib.util.find_spec("mcp"):
            rows["SDK's own"] = sdk(address, rounds)
        if len(sys.argv) > 3:
            command = [sys.argv[3], "--transport", "streamablehttp", address]
            rows["mcp-proxy"] = lines(command, os.environ | {"API_ACCESS_TOKEN": TOKEN}, rounds)
        print(f"{'':16}{'median':>10}{'p99':>10}{'KiB':>10}")
        for name, (spent, memory) in rows.items():
            spent.sort()
            print(f"{name:16}{statistics.median(spent):10.0f}{spent[len(spent) * 99 // 100]:10.0f}{memory or '':>10}")
        own = statistics.median(rows["own connection"][0])
        for name in rows:
            if rows[name][1]:
                print(f"{name} adds {statistics.median(rows[name][0]) - own:.0f} µs to a call (median), and {rows[name][1] << 10} bytes to a session")
    server.shutdown()


main()
