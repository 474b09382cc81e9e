"""An API over https on a free port of 127.0.0.1, for programs that ask it through a proxy.

usage: api_server.py FOLDER ISSUER CERTIFICATES

Every request is a line of JSON in FOLDER/requests: method, path, headers, count and SHA-256 of the body. The answer is that line too, but
for paths that end in:
  /go?URL       302 to URL                     /events    three server-sent events, each when FOLDER/go-1, -2, -3 is there
  /big?COUNT    so many bytes, measured        /parts     three parts, chunked, with a cookie and Alt-Svc
  /links?URL    a Link header with URL         /refuse    401 as long as the token stands in FOLDER/refused
  /cut          a body shorter than announced
  /early        413 before the body is read    /endless   bytes until nobody takes them; FOLDER/written counts
Prints the port; ends when standard input closes."""

import hashlib
import http.server
import json
import pathlib
import sys
import time

import guest
from standins.trust import server_context

folder, certificates = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[3])
lines = folder / "requests"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def body(self):
        """How long the body is, and its digest; piece by piece."""
        digest, count = hashlib.sha256(), 0
        for part in self.parts():
            digest.update(part)
            count += len(part)
        return count, digest.hexdigest()

    def parts(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            while size := int(self.rfile.readline(), 16):
                yield self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            left = int(self.headers.get("Content-Length") or 0)
            while left:
                part = self.rfile.read(min(left, 1 << 16))
                if not part:
                    raise OSError
                left -= len(part)
                yield part

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def chunk(self, part):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        self.wfile.flush()

    def serve(self):
        path, _, query = self.path.partition("?")
        name = path.rpartition("/")[2]
        if name == "early":
            self.close_connection = True
            self.answer(413, b"too much\n", Connection="close")
            # What is closed with something unread is reset, and the answer may be lost.
            self.body()
            return None
        count, digest = self.body()
        line = json.dumps({"method": self.command, "path": self.path, "headers": [list(pair) for pair in self.headers.items()],
                           "count": count, "digest": digest})
        with lines.open("a") as log:
            print(line, file=log)
        act = getattr(self, "do_the_" + name, None)
        if act:
            return act(query)
        return self.answer(200, line.encode() + b"\n", Content_Type="application/json")

    def do_the_go(self, query):
        self.answer(302, Location=query)

    def do_the_links(self, query):
        self.answer(200, Link=f'<{query}>; rel="next", </last>; rel="last"')

    def do_the_big(self, query):
        left = int(query)
        self.send_response(200)
        self.send_header("Content-Length", query)
        self.end_headers()
        while left:
            part = b"x" * min(left, 1 << 16)
            self.wfile.write(part)
            left -= len(part)

    def do_the_parts(self, query):
        self.send_response(200)
        for name, value in (("Transfer-Encoding", "chunked"), ("Set-Cookie", "session=secret"), ("Alt-Svc", 'h3=":443"'),
                            ("Keep-Alive", "timeout=5"), ("X-Kept", "yes"), ("X-Hop", "no"), ("Connection", "X-Hop")):
            self.send_header(name, value)
        self.end_headers()
        for part in (b"one ", b"two ", b"three\n", b""):
            self.chunk(part)

    def do_the_events(self, query):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number in (1, 2, 3):
            while not (folder / f"go-{number}").exists():
                time.sleep(0.01)
            self.chunk(f"data: {number}\n\n".encode())
        self.chunk(b"")

    def do_the_refuse(self, query):
        refused = folder / "refused"
        token = self.headers.get("Authorization", "").partition(" ")[2]
        if refused.exists() and token in refused.read_text().split():
            return self.answer(401, b"not any more\n")
        self.answer(200, b"still good\n")

    def do_the_cut(self, query):
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b"half")
        self.close_connection = True

    def do_the_endless(self, query):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        written = 0
        while True:
            self.chunk(b"x" * 65536)
            written += 65536
            (folder / "written").write_text(str(written))

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_PROPFIND = serve


lines.touch()
guest.leave_with_the_host(folder)


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, *arguments):
        pass


server = Server(("127.0.0.1", 0), Handler)
server.socket = server_context(certificates).wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(server.server_address[1], flush=True)
server.serve_forever()
