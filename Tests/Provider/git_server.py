"""A git server on a free port of 127.0.0.1: git http-backend behind a check of tokens.

usage: git_server.py FOLDER ISSUER [CERTIFICATES]

Below FOLDER, repos/OWNER/NAME.git are served to the person who is called OWNER at the provider, by an access token in
place of a password (Basic) or as it is (Bearer); private/NAME.git to anybody whom the provider knows, and so is /version, as a
Kubernetes cluster has it. Tokens that stand in FOLDER/refused, or all where that is *, are answered 401, and so is what the
provider does not know; /moved/ leads to another host (in FOLDER/moved).
With the folder of a provider that has https, it has https by the same certificate. Each request is a line of FOLDER/requests: status, scheme, user, path. Prints the port; ends when standard input closes."""

import base64
import gzip
import http.server
import json
import os
import pathlib
import ssl
import subprocess
import sys
import urllib.error
import urllib.request

import guest

folder, issuer = pathlib.Path(sys.argv[1]), sys.argv[2]
lines = folder / "requests"
certificates = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
trust = ssl.create_default_context(cafile=certificates / "ca.pem") if certificates else None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def token(self):
        scheme, _, value = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return "Bearer", value
        if scheme.lower() == "basic":
            return "Basic", base64.b64decode(value).decode().partition(":")[2]
        return "-", None

    def person(self, token):
        if token is None or {token, "*"} & set((folder / "refused").read_text().split()):
            return None
        request = urllib.request.Request(issuer.removesuffix("/o") + "/api/me",
                                         headers={"Authorization": f"Bearer {token}"})
        try:
            with urllib.request.urlopen(request, context=trust) as answer:
                return json.load(answer)["user"]
        except urllib.error.HTTPError:
            return None

    def answer(self, status, headers=(), body=b""):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body

    def serve(self):
        body = self.body()
        path, _, query = self.path.partition("?")
        if path.startswith("/moved/"):
            return self.answer(302, [("Location", (folder / "moved").read_text().strip() + self.path[6:])])
        scheme, token = self.token()
        person = self.person(token)
        owner = path.split("/")[1]
        status = 401 if person is None else 403 if owner not in (person, "private", "version", "api") else 200
        with lines.open("a") as log:
            print(status, scheme, person or "-", path, file=log)
        if status == 401:
            return self.answer(401, [("WWW-Authenticate", 'Bearer realm="https://evil.example", scope="all"'),
                                     ("WWW-Authenticate", 'Basic realm="git"')])
        if status == 403:
            return self.answer(403)
        if owner in ("version", "api"):
            return self.answer(200, [("Content-Type", "application/json")], b'{"major": "1", "minor": "32"}')
        variables = dict(os.environ, GIT_PROJECT_ROOT=str(folder / "repos"), GIT_HTTP_EXPORT_ALL="1", PATH_INFO=path,
                         QUERY_STRING=query, REQUEST_METHOD=self.command, REMOTE_USER=person, REMOTE_ADDR="127.0.0.1",
                         CONTENT_TYPE=self.headers.get("Content-Type", ""), CONTENT_LENGTH=str(len(body)),
                         GIT_PROTOCOL=self.headers.get("Git-Protocol", ""))
        output = subprocess.run(["git", "http-backend"], input=body, env=variables, stdout=subprocess.PIPE).stdout
        head, _, content = output.partition(b"\r\n\r\n")
        headers = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n")]
        status = int(dict(headers).get("Status", "200").split()[0])
        self.answer(status, [pair for pair in headers if pair[0] != "Status"], content)

    do_GET = do_POST = serve


lines.touch()
(folder / "refused").touch()
guest.leave_with_the_host(folder)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
if certificates:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "server.pem", certificates / "server.key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
