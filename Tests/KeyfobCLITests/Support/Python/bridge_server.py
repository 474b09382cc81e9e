"""A server of the Model Context Protocol over http on this machine, whose tools are what can go wrong on the way."""

import http.server
import json
import socket
import threading
import time


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen, self.sessions, self.token, self.older, self.listening = [], 0, "token-ada", False, True
        self.live, self.streams, self.lock = None, {}, threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def host(self):
        return f"127.0.0.1:{self.server_port}"

    def asked(self, name):
        return [one for one in self.seen if one["name"] == name]

    def handle_error(self, request, address):
        pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *words):
        pass

    def note(self, name, body=None):
        self.server.seen.append({
            "method": self.command, "path": self.path, "name": name, "body": body, "token": self.headers.get("Authorization"),
            "session": self.headers.get("Mcp-Session-Id"), "version": self.headers.get("MCP-Protocol-Version"),
            "last": self.headers.get("Last-Event-ID"), "mcp-name": self.headers.get("Mcp-Name")})

    def answer(self, status, body=b"", kind="application/json", **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, message, name=None, kind=None):
        text = (f"event: {kind}\n" if kind else "") + (f"id: {name}\n" if name else "")
        self.wfile.write((text + f"data: {message if isinstance(message, str) else json.dumps(message)}\n\n").encode())
        self.wfile.flush()

    def cut(self):
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    @property
    def is_allowed(self):
        return self.headers.get("Authorization") == "Bearer " + self.server.token

    def do_DELETE(self):
        self.note("DELETE")
        self.answer(200)

    def do_GET(self):
        self.note("GET")
        if not self.is_allowed:
            return self.answer(401, WWW_Authenticate='Bearer error="invalid_token"')
        if self.server.older:
            self.stream()
            self.event("/messages?one", kind="endpoint")
            self.server.live = self
            while self.server.live is self:
                time.sleep(0.05)
            return self.cut()
        last = self.headers.get("Last-Event-ID")
        if last and last.startswith("drop"):
            self.stream()
            # The one that has come already once more.
            self.event(progress("one"), "drop-1")
            self.event(result(self.server.streams["drop"], "whole"), "drop-2")
            return self.cut()
        if last or not self.server.listening:
            return self.answer(405)
        self.stream()
        self.event({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}, "push-1")
        time.sleep(60)

    def do_POST(self):
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size))
        name = body.get("method", "answer")
        if name == "tools/call":
            name = body["params"]["name"]
        self.note(name, body)
        if not self.is_allowed:
            return self.answer(401, WWW_Authenticate='Bearer error="invalid_token"')
        if self.server.older:
            return self.post_older(body, name)
        if name == "initialize":
            self.server.sessions += 1
            agreed = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "odd", "version": "1"}}
            return self.answer(200, json.dumps(result(body["id"], agreed), indent=2).encode(), Mcp_Session_Id=f"session-{self.server.sessions}")
        if self.headers.get("Mcp-Session-Id") != f"session-{self.server.sessions}":
            return self.answer(404)
        if "id" not in body or "method" not in body:
            return self.answer(202)
        getattr(self, "tool_" + name.replace("/", "_"))(body)

    def post_older(self, body, name):
        if self.path != "/messages?one":
            return self.answer(405)
        self.answer(202)
        if "id" in body and "method" in body:
            content = {"protocolVersion": "2024-11-05", "capabilities": {}, "serverInfo": {"name": "older", "version": "1"}}
            self.server.live.event(result(body["id"], content if name == "initialize" else name))

    def tool_echo(self, body):
        self.answer(200, json.dumps(result(body["id"], body["params"]["arguments"])).encode())

    def tool_stream(self, body):
        self.stream()
        self.event(progress("half"))
        self.wfile.write(b": a remark\r\n\r\n")
        self.event(json.dumps(result(body["id"], "whole"), indent=1).replace("\n", "\ndata: "))

    def tool_late(self, body):
        time.sleep(2)
        self.tool_echo(body)

    def tool_asks(self, body):
        self.stream()
        self.event({"jsonrpc": "2.0", "id": 1, "method": "roots/list"})
        for _ in range(200):
            if self.server.asked("answer"):
                break
            time.sleep(0.05)
        self.event(result(body["id"], self.server.asked("answer")[0]["body"]["result"]))

    def tool_drop(self, body):
        self.server.streams["drop"] = body["id"]
        self.stream()
        self.wfile.write(b"retry: 100\n")
        self.event(progress("one"), "drop-1")
        self.wfile.write(b"id: drop-9\ndata: {\"jsonrpc\"")
        self.cut()

    def tool_gone(self, body):
        self.stream()
        self.event(progress("one"))
        self.cut()

    def tool_cut(self, body):
        self.cut()

    def tool_huge(self, body):
        self.answer(200, json.dumps(result(body["id"], "x" * (100 << 20))).encode())

    def tool_flood(self, body):
        self.stream()
        self.wfile.write(b"data: ")
        for _ in range(100):
            self.wfile.write(b"x" * (1 << 20))

    def tool_endless(self, body):
        self.stream()
        self.event(result(body["id"], "whole"))
        for _ in range(600):
            self.wfile.write(b": still here\n\n")
            time.sleep(0.1)

    def tool_page(self, body):
        self.answer(200, b"<html>Welcome</html>", "text/html")

    def tool_nonsense(self, body):
        self.answer(200, b'{"jsonrpc":')

    def tool_elsewhere(self, body):
        self.answer(307, Location="http://127.0.0.1:1/mcp")

    def tool_busy(self, body):
        self.answer(429, Retry_After="7")

    def tool_wrong(self, body):
        self.answer(400, json.dumps({"jsonrpc": "2.0", "id": body["id"], "error": {"code": -32602, "message": "wrong"}}).encode())

    def tool_end(self, body):
        self.server.sessions += 1
        self.answer(404)

    def tool_scope(self, body):
        self.answer(403, WWW_Authenticate='Bearer error="insufficient_scope", scope="admin"')

    def tool_context(self, body):
        self.answer(401, WWW_Authenticate='Bearer error="insufficient_user_authentication", acr_values="gold", max_age="60"')


def result(name, content):
    return {"jsonrpc": "2.0", "id": name, "result": content}


def progress(words):
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"message": words}}
