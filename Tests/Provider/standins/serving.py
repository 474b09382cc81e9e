"""Requests and answers, and the two ways to stand-ins: by their own names behind a proxy, and at a port of this machine."""

import functools
import http.server
import json
import os
import pathlib
import socketserver
import sys
import threading
import time
import urllib.parse

import backend

from . import script, trust

#: Does what a person does in a browser.
VISITOR = pathlib.Path(__file__).resolve().parents[1] / "visit.py"


class Request:
    """What somebody asks; `notes` is what the log tells of it besides."""

    def __init__(self, handler):
        url = urllib.parse.urlsplit(handler.path)
        self.method, self.path, self.headers = handler.command, urllib.parse.unquote(url.path), handler.headers
        self.host = handler.headers.get("Host", "").rsplit(":", 1)[0].lower()
        self.text, self.body, self.notes = url.query, backend.body(handler), {}
        self.target = handler.path
        #: The certificate of the client in DER, where one was asked for.
        self.certificate = getattr(handler.connection, "getpeercert", lambda _: None)(True)

    @functools.cached_property
    def query(self):
        return dict(urllib.parse.parse_qsl(self.text, keep_blank_values=True))

    @functools.cached_property
    def pairs(self):
        """The fields of the body, each time that they come."""
        is_form = self.headers.get("Content-Type", "").startswith("application/x-www-form-urlencoded")
        return urllib.parse.parse_qsl(self.body.decode(errors="replace"), keep_blank_values=True) if is_form else []

    @functools.cached_property
    def form(self):
        return dict(self.pairs)

    def credentials(self):
        """How a token came ("Bearer", "Basic", "-"), and the token."""
        return backend.token(self.headers)


class Answer:
    """A status, a content (an object for JSON, a text for a page), headers; `delay` is how many seconds it waits when all is done."""

    def __init__(self, status, content=b"", headers=None, delay=0):
        self.status, self.content, self.delay = status, content, delay
        self.headers = dict(headers or {})
        kind = "application/json" if isinstance(content, (dict, list)) else "text/html; charset=utf-8" if isinstance(content, str) else None
        if kind:
            self.headers.setdefault("Content-Type", kind)

    def body(self):
        if isinstance(self.content, (dict, list)):
            return json.dumps(self.content).encode()
        return self.content.encode() if isinstance(self.content, str) else self.content


class Refusal(Exception):
    """Ends a request with an answer."""

    def __init__(self, status, content=b"", headers=None):
        super().__init__(status, content)
        self.answer = Answer(status, content, headers)


class StandIn:
    """A provider. `origin` is where it is, for one that is at a single address."""

    #: The names that lead to it.
    HOSTS = ()
    #: What can be set, and what it is otherwise.
    OPTIONS = {}
    #: The path of the token endpoint ends so: there rules of a script hold that name no path.
    TOKEN_PATHS = ("/token",)

    def __init__(self, **options):
        unknown = options.keys() - self.OPTIONS.keys()
        if unknown:
            raise ValueError(f"{type(self).__name__} has no option {', '.join(sorted(unknown))}: {', '.join(self.OPTIONS)}")
        self.options, self.lock = self.OPTIONS | options, threading.RLock()
        self.name = type(self).__module__.rpartition(".")[2]
        self.folder, self.script = None, None
        self.origin = "https://" + self.hosts()[0] if self.hosts() else None

    def hosts(self):
        return self.HOSTS

    def issuer(self):
        """What it calls itself."""
        return self.origin

    def option(self, name):
        """What is set now."""
        own = self.options[name]
        return self.script.option(self.name, name, own) if self.script else own

    def prepare(self):
        """Makes what it needs in its folder."""

    def tls(self, host, usual):
        """The TLS of a connection to one of its names."""
        return usual

    def answer(self, request):
        raise NotImplementedError

    def answer_of(self, request):
        """The answer, a refusal or not."""
        try:
            return self.answer(request)
        except Refusal as refusal:
            return refusal.answer


class Site:
    """Stand-ins, and their log and script where they have a folder."""

    def __init__(self, stand_ins, folder=None):
        self.stand_ins, self.folder = stand_ins, folder
        self.by_host = {host: stand_in for stand_in in stand_ins for host in stand_in.hosts()}
        self.log = script.Log(folder) if folder else None
        self.script = script.Script(folder) if folder else None
        for stand_in in stand_ins:
            stand_in.folder, stand_in.script = folder, self.script
            stand_in.prepare()

    def respond(self, request):
        """The answer; None where the connection ends without one."""
        stand_in = self.by_host.get(request.host, self.stand_ins[0])
        if self.script is None:
            return stand_in.answer_of(request)
        is_token_endpoint = request.method == "POST" and request.path.rstrip("/").endswith(stand_in.TOKEN_PATHS)
        rule, _ = self.script.rule(request.host, request.path, request.form.get("grant_type"), is_token_endpoint)
        made = script.made_up(rule)
        if made:
            (status, headers, body), hook = made
            answer, request.notes["hook"] = Answer(status, body, headers), hook
        else:
            answer = stand_in.answer_of(request)
            request.notes |= {"hook": name for name in ("delay_ms", "drop") if rule.get(name)}
        self.log.write({
            "method": request.method, "host": request.host, "path": request.path, "status": answer.status, **self.log.form(request.form),
            **(self.log.outcome(answer.content) if isinstance(answer.content, dict) else {}), **request.notes})
        time.sleep(answer.delay + rule.get("delay_ms", 0) / 1000)
        return None if rule.get("drop") else answer


class Exchange(http.server.BaseHTTPRequestHandler):
    """A connection to a site, which its server has as `site`."""

    protocol_version = "HTTP/1.1"
    timeout = 60
    # Head and body of an answer go out at once, not each when the other side has seen the one before.
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def serve(self):
        answer = self.server.site.respond(Request(self))
        if answer is None:
            self.close_connection = True
            return
        body = answer.body()
        self.send_response_only(answer.status)
        for name, value in {"Cache-Control": "no-store", **answer.headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = serve


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        # Whoever leaves early, or does not trust the certificate, is no error.
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def start(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
        return self


class Tunnel(socketserver.BaseRequestHandler):
    """A connection to the proxy."""

    def handle(self):
        lines = b""
        while not lines.endswith(b"\r\n\r\n"):
            more = self.request.recv(1)
            if not more:
                return
            lines += more
        method, target = lines.split(b" ", 2)[:2]
        host = target.decode().rsplit(":", 1)[0]
        if method != b"CONNECT" or host not in self.server.site.by_host:
            self.request.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            return
        self.request.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        tls = self.server.site.by_host[host].tls(host, self.server.tls)
        with tls.wrap_socket(self.request, server_side=True) as secured:
            Exchange(secured, self.client_address, self.server)


class Network:
    """Names that lead to stand-ins, for programs with `environment`, for as long as `with` lasts. Nothing else can be reached."""

    def __init__(self, folder, stand_ins):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder, self.site = folder, Site(stand_ins, folder)
        self.tls = trust.certify(folder, ["DNS:" + host for host in self.site.by_host])
        self.server = Server(("127.0.0.1", 0), Tunnel)
        self.server.site, self.server.tls = self.site, self.tls
        proxy, authority = f"http://127.0.0.1:{self.server.server_address[1]}", str(folder / "ca.pem")
        self.environment = {
            "HTTPS_PROXY": proxy, "NO_PROXY": "localhost,127.0.0.1", "KEYFOB_CA_FILE": authority, "GIT_SSL_CAINFO": authority,
            "REQUESTS_CA_BUNDLE": authority, "BROWSER": f"{sys.executable} {VISITOR} %s --quiet --by-name"}

    def __enter__(self):
        self.server.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def requests(self):
        """The log so far."""
        return [json.loads(line) for line in (self.folder / "requests.jsonl").read_text().splitlines()]

    def control(self, content):
        """Puts a control file in place."""
        (self.folder / "control.new").write_text(json.dumps(content))
        os.rename(self.folder / "control.new", self.folder / "control.json")


class Loopback:
    """One stand-in at a port of 127.0.0.1, with https where there is a certificate."""

    def __init__(self, stand_in, folder=None, port=0, tls=None):
        class Connection(Exchange):
            def setup(self):
                # Here, and not where connections are accepted: whoever is slow delays nobody else.
                if tls is not None:
                    self.request = tls.wrap_socket(self.request, server_side=True)
                super().setup()

        self.server = Server(("127.0.0.1", port), Connection)
        self.host = f"127.0.0.1:{self.server.server_address[1]}"
        stand_in.origin = f"{'https' if tls else 'http'}://{self.host}"
        self.server.site = Site([stand_in], folder)
        self.stand_in = stand_in

    def start(self):
        self.server.start()
        return self
