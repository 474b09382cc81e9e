"""Stands in Google's place behind a proxy: `cert.pem` and `key.pem` are Google's, every request is a line of `requests`.

usage: google_proxy.py PORT-FILE"""

import json
import os
import socket
import ssl
import sys
import threading
import time

CONTEXT = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
CONTEXT.load_cert_chain("cert.pem", "key.pem")
LOCK = threading.Lock()
COUNT = 0
METADATA = {
    "issuer": "https://accounts.google.com",
    "authorization_endpoint": "https://accounts.google.com/o/oauth2/v2/auth",
    "token_endpoint": "https://oauth2.googleapis.com/token",
    "jwks_uri": "https://www.googleapis.com/oauth2/v3/certs",
    "userinfo_endpoint": "https://openidconnect.googleapis.com/v1/userinfo",
    "revocation_endpoint": "https://oauth2.googleapis.com/revoke",
}


def head(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(4096)
        if not piece:
            raise EOFError
        data += piece
    return data.split(b"\r\n\r\n", 1)


def answer(path):
    global COUNT
    if path != "/token":
        return METADATA
    with LOCK:
        COUNT += 1
        number = COUNT
        with open("requests", "a") as file:
            file.write("token\n")
    # Who asks meanwhile is not alone.
    time.sleep(0.5)
    return {"access_token": f"at-{number}", "expires_in": 3600, "token_type": "Bearer", "scope": "mail"}


def serve(connection):
    try:
        head(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        with CONTEXT.wrap_socket(connection, server_side=True) as secure:
            start, body = head(secure)
            lengths = [line.split(b":")[1] for line in start.split(b"\r\n") if line.lower().startswith(b"content-length")]
            while lengths and len(body) < int(lengths[0]):
                body += secure.recv(4096)
            text = json.dumps(answer(start.split()[1].decode())).encode()
            fields = b"Content-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(text)
            secure.sendall(b"HTTP/1.1 200 OK\r\n" + fields + text)
    except (OSError, EOFError):
        pass


with socket.socket() as listener:
    listener.bind(("127.0.0.1", 0))
    listener.listen(50)
    with open(sys.argv[1] + ".new", "w") as file:
        file.write(str(listener.getsockname()[1]))
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
