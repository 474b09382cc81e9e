"""A provider on loopback that gives a new pair of tokens for each refresh token, and remembers to whom and when."""

import http.server
import json
import threading
import time
import urllib.parse


class Provider:
    """Answers at a free port, in a thread, until the process ends."""

    def __init__(self):
        self.issued, self.count, self.lock = {}, 0, threading.Lock()
        provider = self

        class Exchange(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, document, status=200):
                body = json.dumps(document).encode()
                self.send_response(status)
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
                form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            
                person = form["refresh_token"][0].split("-")[1]
                with provider.lock:
                    provider.count += 1
                    token = f"refreshed-{person}-{provider.count}"
                    provider.issued.setdefault(person, []).append((time.monotonic(), token))
                    count = provider.count
                self.answer({"access_token": token, "refresh_token": f"refresh-{person}-{count}", "token_type": "Bearer",
                             "expires_in": 864_000, "scope": form.get("scope", ["mail.read"])[0]})

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                """Whoever is killed leaves early."""

        server = Server(("127.0.0.1", 0), Exchange)
        self.host = f"127.0.0.1:{server.server_port}"
        self.issuer = f"http://{self.host}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
