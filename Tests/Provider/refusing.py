#!/usr/bin/env python3
"""Stands in for Microsoft's sign-in host behind HTTPS_PROXY: gives tokens for whatever refresh token, and refuses as it is told.

usage: refusing.py FOLDER     prints its port; ends when standard input closes, and takes FOLDER along

FOLDER is made anew, with the authority to be trusted (ca.pem) and
  requests.jsonl  a line for each request to a token endpoint: tenant, scope, client, claims; it is there before the answer is
  refusal.json    read at each such request; write it elsewhere and rename it to here. Keys: scope (a request for it is refused; without
                  it all are), tenant (only there), status, body (a text, or a document), delay (in seconds); or a list of such
                  objects, of which the first that is meant counts"""

import json
import os
import pathlib
import shutil
import socketserver
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

import guest

HOST = "login.microsoftonline.com"
folder = pathlib.Path(sys.argv[1])
lock, count = threading.Lock(), 0


def certify():
    """An authority, and a certificate of it for the host."""

    def openssl(name, signer, *extensions):
        lines = [*extensions, "subjectKeyIdentifier = hash", "authorityKeyIdentifier = keyid"]
        text = f"[req]\nprompt = no\ndistinguished_name = n\nx509_extensions = x\n[n]\nCN = Keyfob test {name}\n[x]\n"
        (folder / f"{name}.conf").write_text(text + "\n".join(lines) + "\n")
        command = ["openssl", "req", "-x509", "-config", f"{name}.conf", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                   "-noenc", "-days", "2", "-keyout", f"{name}.key", "-out", f"{name}.pem"]
        subprocess.run(command + signer, cwd=folder, check=True, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)

    openssl("ca", [], "basicConstraints = critical, CA:TRUE", "keyUsage = critical, keyCertSign, cRLSign")
    openssl("server", ["-CA", "ca.pem", "-CAkey", "ca.key"], "basicConstraints = critical, CA:FALSE", f"subjectAltName = DNS:{HOST}",
            "keyUsage = critical, digitalSignature", "extendedKeyUsage = serverAuth")


def answer(path, form):
    """The status and the body for a path."""
    global count
    tenant = path.split("/")[1]
    root = f"https://{HOST}/{tenant}"
    if path.endswith("/.well-known/openid-configuration"):
        return 200, {"issuer": f"{root}/v2.0", "authorization_endpoint": f"{root}/oauth2/v2.0/authorize", "jwks_uri": f"{root}/keys",
                     "token_endpoint": f"{root}/oauth2/v2.0/token"}
    if not path.endswith("/token"):
        return 404, {}
    line = {"tenant": tenant, "scope": form.get("scope", ""), "client": form.get("client_id"), "claims": form.get("claims")}
    with lock:
        count += 1
        number = count
        with open(folder / "requests.jsonl", "a") as log:
            log.write(json.dumps(line) + "\n")
    try:
        refusals = json.loads((folder / "refusal.json").read_text())
    except FileNotFoundError:
        refusals = []
    for refusal in refusals if isinstance(refusals, list) else [refusals]:
        is_meant = refusal.get("scope") is None or refusal["scope"] in line["scope"].split()
        if is_meant and refusal.get("tenant", tenant) == tenant:
            time.sleep(refusal.get("delay", 0))
            return refusal.get("status", 400), refusal["body"]
    return 200, {"token_type": "Bearer", "scope": line["scope"], "expires_in": 3600, "access_token": f"at-{number}-{tenant}"}


class Connection(socketserver.BaseRequestHandler):
    def handle(self):
        try:
            self.read()
            self.request.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            self.request = tls.wrap_socket(self.request, server_side=True)
            while True:
                head, body = self.read()
                status, document = answer(head.split()[1].decode().partition("?")[0],
                                          dict(urllib.parse.parse_qsl(body.decode())))
                content = document.encode() if isinstance(document, str) else json.dumps(document).encode()
                self.request.sendall(f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n"
                                     f"Content-Length: {len(content)}\r\n\r\n".encode() + content)
        except (OSError, EOFError):
            pass

    def read(self):
        """A request's head and body."""
        data = b""
        while b"\r\n\r\n" not in data:
            data += self.more()
        head, _, body = data.partition(b"\r\n\r\n")
        length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
        while len(body) < length:
            body += self.more()
        return head, body

    def more(self):
        part = self.request.recv(65536)
        if not part:
            raise EOFError
        return part


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    request_queue_size = 128


shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True, mode=0o700)
os.umask(0o077)
certify()
(folder / "requests.jsonl").touch()
tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
tls.load_cert_chain(folder / "server.pem", folder / "server.key")
server = Server(("127.0.0.1", 0), Connection)
guest.leave_with_the_host(folder)
print(server.server_address[1], flush=True)
server.serve_forever()
