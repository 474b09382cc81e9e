"""A program behind `keyfob exec --proxy` that does not behave; prints a line for each thing that it tried.

usage: proxy_attacks.py HOST COUNT, with KEYFOB_PROXY set."""

import os
import socket
import sys
import urllib.parse

HOST, COUNT = sys.argv[1], int(sys.argv[2])
BASE = urllib.parse.urlsplit(os.environ["KEYFOB_PROXY"])
ADDRESS, PREFIX = (BASE.hostname, BASE.port), BASE.path
GOOD = f"GET {PREFIX}/{HOST}/good HTTP/1.1\r\nHost: {BASE.netloc}\r\n"


def connect():
    connection = socket.create_connection(ADDRESS, timeout=60)
    return connection


def read(connection):
    """All that comes until the other side closes."""
    answer = b""
    try:
        while part := connection.recv(65536):
            answer += part
    except ConnectionResetError:
        pass
    return answer


def status(text, close=True):
    """The statuses of the answers to what is sent at once."""
    with connect() as connection:
        connection.sendall(text.encode("latin-1"))
        if close:
            return [line.split()[1] for line in read(connection).decode("latin-1").splitlines() if line.startswith("HTTP/1.1 ")]
    return []


def told(name, found):
    print(name, *found, flush=True)


last = GOOD + "Content-Length: 0\r\n\r\n" + GOOD.replace("/good", "/../last") + "\r\n"
told("pipelined", status(last))
told("smuggled", status(GOOD.replace("GET", "POST") + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + GOOD + "\r\n"))
told("bare line feed", status(GOOD.replace("\r\n", "\n") + "\n"))
told("folded", status(GOOD + "X-A: b\r\n c\r\n\r\n"))
told("space before colon", status(GOOD + "Content-Length : 5\r\n\r\n"))
told("null", status(GOOD + "X-A: \0\r\n\r\n"))
told("huge head", status(GOOD + "X-A: " + "x" * 20000 + "\r\n\r\n"))
told("many headers", status(GOOD + "X-A: b\r\n" * 4000 + "\r\n"))
told("bad chunk", status(GOOD.replace("GET", "POST") + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"))
told("dots", status(GOOD.replace("/good", "/a/%2e%2e/good") + "\r\n"))
told("absolute", status(f"GET https://{HOST}/good HTTP/1.1\r\nHost: {BASE.netloc}\r\n\r\n"))
told("absolute to itself", status(f"GET http://{BASE.netloc}{PREFIX}/{HOST}/good HTTP/1.1\r\nHost: {BASE.netloc}\r\n\r\n"))
told("connect", status(f"CONNECT {HOST} HTTP/1.1\r\nHost: {BASE.netloc}\r\n\r\n"))
told("trace", status(GOOD.replace("GET", "TRACE") + "\r\n"))
told("upgrade", status(GOOD + "Connection: upgrade\r\nUpgrade: websocket\r\n\r\n"))
told("other Host", status(GOOD.replace(BASE.netloc, f"evil.example:{BASE.port}") + "\r\n"))
told("page", status(GOOD + "Origin: https://evil.example\r\n\r\n"))
told("no secret", status(GOOD.replace(PREFIX, "/" + "A" * (len(PREFIX) - 1)) + "\r\n"))
told("tls", status("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"))

# Somebody who leaves in the middle of a body, one who says nothing, and one who never reads.
with connect() as connection:
    connection.sendall((GOOD.replace("GET", "POST") + "Content-Length: 100\r\n\r\nhalf").encode())
idle = [connect() for _ in range(20)]
greedy = connect()
greedy.sendall(GOOD.replace("/good", "/endless").encode() + b"\r\n")

# COUNT that have said the half of a request each, in turns of those that are let in at once.
half = []
for number in range(COUNT):
    connection = connect()
    connection.setblocking(False)
    try:
        connection.send(GOOD.encode()[:40] if number % 2 else b"")
    except OSError:
        pass
    half.append(connection)
    if len(half) > 40:
        half.pop(0).close()
for connection in half + idle:
    connection.close()
told("afterwards", status(GOOD + "Connection: close\r\n\r\n"))
greedy.close()
