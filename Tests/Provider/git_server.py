"""A git server on a free port of 127.0.0.1: git http-backend behind a check of tokens.

usage: git_server.py FOLDER ISSUER [CERTIFICATES]

Below FOLDER, repos/OWNER/NAME.git are served to the person who is called OWNER at the provider, by an access token in
place of a password (Basic) or as it is (Bearer); private/NAME.git to anybody whom the provider knows. Tokens that stand in FOLDER/refused, or all where that is *, are answered 401, and so is what the
provider does not know; /moved/ leads to another host (in FOLDER/moved).
With the folder of a provider that has https, it has https by the same certificate. Each request is a line of FOLDER/requests: status, scheme, user, path. Prints the port; ends when standard input closes."""

import http.server
import pathlib
import ssl
import sys

import backend
import guest
from standins.trust import server_context

folder, issuer = pathlib.Path(sys.argv[1]), sys.argv[2]
lines = folder / "requests"
certificates = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
trust = ssl.create_default_context(cafile=certificates / "ca.pem") if certificates else None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def person(self, token):
        if token is None or {token, "*"} & set((folder / "refused").read_text().split()):
            return None
        return guest.person(issuer, token, trust)

    def answer(self, status, headers=(), body=b""):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def serve(self):
        content = backend.body(self)
        path = self.path.partition("?")[0]
        if path.startswith("/moved/"):
            return self.answer(302, [("Location", (folder / "moved").read_text().strip() + self.path[6:])])
        scheme, token = backend.token(self.headers)
        person = self.person(token)
        owner = path.split("/")[1]
        status = 401 if person is None else 403 if owner not in (person, "private") else 200
        with lines.open("a") as log:
            print(status, scheme, person or "-", path, file=log)
        if status == 401:
            return self.answer(401, [("WWW-Authenticate", 'Bearer realm="https://evil.example", scope="all"'),
                                     ("WWW-Authenticate", 'Basic realm="git"')])
        if status == 403:
            return self.answer(403)
        backend.serve(self, folder / "repos", person, content)

    do_GET = do_POST = serve


lines.touch()
(folder / "refused").touch()
guest.leave_with_the_host(folder)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
if certificates:
    server.socket = server_context(certificates).wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
