"""Git's own server of repositories over HTTP, behind a handler that knows who asks."""

import base64
import gzip
import os
import subprocess


def token(headers):
    """How a token came, and the token: as it is ("Bearer") or in the place of a password ("Basic"); "-" and None without one."""
    scheme, _, value = headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return "Bearer", value
    if scheme.lower() == "basic":
        return "Basic", base64.b64decode(value).decode().partition(":")[2]
    return "-", None


def body(handler):
    """All that came with a request."""
    if handler.headers.get("Transfer-Encoding", "").lower() == "chunked":
        content = b""
        while size := int(handler.rfile.readline(), 16):
            content += handler.rfile.read(size)
            handler.rfile.readline()
        handler.rfile.readline()
    else:
        content = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
    return gzip.decompress(content) if handler.headers.get("Content-Encoding") == "gzip" else content


def answer(method, target, headers, content, repositories, person):
    """What git answers a request of a person for what is below a folder: status, headers, body."""
    path, _, query = target.partition("?")
    variables = {**os.environ, "GIT_PROJECT_ROOT": str(repositories), "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path,
                 "QUERY_STRING": query, "REQUEST_METHOD": method, "REMOTE_USER": person, "REMOTE_ADDR": "127.0.0.1",
                 "CONTENT_TYPE": headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(content)),
                 "GIT_PROTOCOL": headers.get("Git-Protocol", "")}
    output = subprocess.run(["git", "http-backend"], input=content, env=variables, stdout=subprocess.PIPE, check=False).stdout
    head, _, body = output.partition(b"\r\n\r\n")
    given = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
    return int(given.pop("Status", "200").split()[0]), given, body


def serve(handler, repositories, person, content):
    """Lets git answer a request of a person for what is below a folder."""
    status, headers, body = answer(handler.command, handler.path, handler.headers, content, repositories, person)
    handler.send_response(status)
    for name, value in {**headers, "Content-Length": str(len(body))}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)
