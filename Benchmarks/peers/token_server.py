#!/usr/bin/env python3
"""What git and kubectl ask over https on 127.0.0.1: a repository behind git http-backend, and /version as a cluster has it.

    token_server.py FOLDER

FOLDER has repos/NAME.git, the certificate server.pem with its key server.key, and in `accepted` a token on each line. All else is
answered 401, with Basic and Bearer as ways. Prints its port; ends with its standard input."""

import http.server
import os
import pathlib
import ssl
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Tests/Provider"))
import backend  # noqa: E402  pylint: disable=wrong-import-position

folder = pathlib.Path(sys.argv[1])


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, *_):
        pass

    def answer(self, status, headers=(), body=b""):
        self.send_response(status)
        for name, value in (*headers, ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def serve(self):
        content, (_, token) = backend.body(self), backend.token(self.headers)
        if token not in (folder / "accepted").read_text().split():
            return self.answer(401, [("WWW-Authenticate", 'Basic realm="bench"'), ("WWW-Authenticate", 'Bearer realm="bench"')])
        if self.path.startswith("/version"):
            return self.answer(200, [("Content-Type", "application/json")], b'{"major": "1", "minor": "20"}')
        return backend.serve(self, folder / "repos", "ada", content)

    do_GET = do_POST = serve


class Server(http.server.ThreadingHTTPServer):
    request_queue_size, daemon_threads = 128, True

    def handle_error(self, *_):
        """Whoever leaves early is no error."""


server = Server(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(folder / "server.pem", folder / "server.key")
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
