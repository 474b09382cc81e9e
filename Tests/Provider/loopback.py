"""A provider of OpenID Connect at a free port on loopback, of which a test says what a refresh gives."""

import http.server
import json
import threading
import urllib.parse


class Loopback:
    """Answers in a thread until the process ends; `refresh` makes of a request's fields what the token endpoint answers."""

    def __init__(self, refresh):
        provider = self

        class Exchange(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, document):
                body = json.dumps(document).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                self.answer({
                    "issuer": provider.issuer, "authorization_endpoint": provider.issuer + "/authorize",
                    "token_endpoint": provider.issuer + "/token", "jwks_uri": provider.issuer + "/keys",
                    "response_types_supported": ["code"], "subject_types_supported": ["public"],
                    "id_token_signing_alg_values_supported": ["RS256"]})

            def do_POST(self):
                text = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self.answer(refresh(dict(urllib.parse.parse_qsl(text))))

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads, request_queue_size = True, 128

            def handle_error(self, *_):
                """Whoever is killed leaves early."""

        server = Server(("127.0.0.1", 0), Exchange)
        self.host = f"127.0.0.1:{server.server_port}"
        self.issuer = f"http://{self.host}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
