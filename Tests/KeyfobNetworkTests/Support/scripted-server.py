"""Servers on this machine that behave as a test wants, well or badly, each the same way on every connection.

Reads commands from standard input, one JSON object a line, and answers each with one. Ends with its input.
"""

import json
import socket
import ssl
import sys
import threading

servers = {}


class Server:
    def __init__(self, behaviour, answer, tls):
        self.behaviour, self.answer, self.tls = behaviour, answer.encode(), tls
        self.received, self.written, self.lock = [], 0, threading.Lock()
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            with self.lock:
                self.received.append("")
                index = len(self.received) - 1
            threading.Thread(target=self.serve, args=(connection, index), daemon=True).start()

    def secure(self, connection):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.tls)
        return context.wrap_socket(connection, server_side=True)

    def serve(self, connection, index):
        try:
            if self.tls and self.behaviour not in ("tunnel", "socks"):
                connection = self.secure(connection)
            if self.behaviour == "close":
                return
            prefix = ""
            if self.behaviour == "tunnel":
                self.read_request(connection, index)
                connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                connection = self.secure(connection)
            elif self.behaviour == "socks":
                prefix = self.take_socks(connection)
                connection = self.secure(connection)
            self.read_request(connection, index, prefix)
            if self.behaviour == "silent":
                connection.recv(1)
            elif self.behaviour != "readAndClose":
                connection.sendall(self.answer)
            if self.behaviour == "answerAndStay":
                connection.recv(1)
            while self.behaviour == "flood":
                connection.sendall(b" " * 65536)
                with self.lock:
                    self.written += 65536
        except OSError:
            pass
        finally:
            connection.close()

    def take_socks(self, connection):
        """RFC 1928, without credentials and with a name."""
        def read(count):
            return connection.recv(count, socket.MSG_WAITALL)

        if read(3) != b"\5\1\0":
            raise OSError
        connection.sendall(b"\5\0")
        head = read(5)
        if head[:4] != b"\5\1\0\3":
            raise OSError
        host, port = read(head[4]), int.from_bytes(read(2), "big")
        connection.sendall(b"\5\0\0\1\0\0\0\0\0\0")
        return f"{host.decode()}:{port} "

    def read_request(self, connection, index, prefix=""):
        """Reads until head and body are there."""
        text = b""
        while True:
            part = connection.recv(65536)
            if not part:
                raise OSError
            text += part
            with self.lock:
                self.received[index] = prefix + text.decode(errors="replace")
            head, end, body = text.partition(b"\r\n\r\n")
            lengths = [line.split()[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            if end and len(body) >= int(lengths[0] if lengths else 0):
                return


for line in sys.stdin:
    command = json.loads(line)
    if command["do"] == "open":
        server = Server(command["behaviour"], command["answer"], command.get("tls"))
        port = server.listening.getsockname()[1]
        servers[port] = server
        answer = {"port": port}
    elif command["do"] == "close":
        listening = servers[command["port"]].listening
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        answer = {}
    else:
        server = servers[command["port"]]
        with server.lock:
            answer = {"received": server.received, "written": server.written}
    print(json.dumps(answer), flush=True)
