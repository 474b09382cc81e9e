#!/usr/bin/env python3
"""Microsoft's authorities as tests meet them: clouds, Azure AD B2C, External ID, AD FS, each under its own name.

usage: authorities.py LOG COMMAND…      runs COMMAND where those names lead here, and ends with its status
       authorities.py --visit URL      what BROWSER is for COMMAND: signs Ada in

The names lead here by a proxy (HTTPS_PROXY), with certificates that KEYFOB_CA_FILE trusts. LOG gets a line of JSON for
each request: host, path, and of a form grant_type, scope, resource, error. Needs nothing but Python and openssl.

What differs from other providers is done as they do it. A code and a refresh token are good at the host, and for B2C at the
policy, that gave them; anywhere else they are refused and gone. B2C gives no access token for the scopes of a sign-in alone;
AD FS takes a resource by its name and refuses '/.default'; with instance_aware a code of login.microsoftonline.com is good at
login.microsoftonline.us for whoever has a login_hint of contoso.us, and the answer says so."""

import base64
import hashlib
import http.server
import json
import os
import pathlib
import secrets
import socketserver
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import page

TENANT = "7b1c0a94-3d0e-4a57-9c1f-2f1d5f6a0e11"
ADA = "11111111-2222-4333-8444-555555555555"
PUBLIC, GOVERNMENT = "login.microsoftonline.com", "login.microsoftonline.us"
B2C, CIAM, ADFS = "contoso.b2clogin.com", "contoso.ciamlogin.com", "fs.contoso.example"
HOSTS = [PUBLIC, GOVERNMENT, B2C, CIAM, ADFS]
RESERVED = {"openid", "profile", "offline_access", "email"}


def encoded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Authorities:
    """What has been given out, and the keys that sign it."""

    def __init__(self, folder, log):
        self.folder, self.log = folder, open(log, "w")
        self.codes, self.refresh_tokens = {}, {}
        self.lock = threading.Lock()
        self.openssl("genrsa", "-out", "signing.key", "2048")
        modulus = self.openssl("rsa", "-in", "signing.key", "-noout", "-modulus").decode().split("=")[1]
        self.keys = {"keys": [{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "k", "e": "AQAB",
                               "n": encoded(bytes.fromhex(modulus.strip()))}]}
        self.certify("ca", [], "basicConstraints = critical, CA:TRUE", "keyUsage = critical, keyCertSign")
        names = ",".join("DNS:" + host for host in HOSTS)
        self.certify("server", ["-CA", "ca.pem", "-CAkey", "ca.key"], "basicConstraints = critical, CA:FALSE",
                     "subjectAltName = " + names, "extendedKeyUsage = serverAuth")
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(folder / "server.pem", folder / "server.key")

    def openssl(self, *words, data=None):
        return subprocess.run(["openssl", *words], cwd=self.folder, input=data, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    def certify(self, name, signer, *extensions):
        lines = [*extensions, "subjectKeyIdentifier = hash", "authorityKeyIdentifier = keyid"]
        text = f"[req]\nprompt = no\ndistinguished_name = n\nx509_extensions = x\n[n]\nCN = Keyfob test {name}\n[x]\n"
        (self.folder / f"{name}.conf").write_text(text + "\n".join(lines) + "\n")
        self.openssl("req", "-x509", "-config", f"{name}.conf", "-newkey", "ec", "-pkeyopt",
                     "ec_paramgen_curve:P-256", "-noenc", "-days", "2", "-keyout", f"{name}.key", "-out",
                     f"{name}.pem", *signer)

    def note(self, **line):
        with self.lock:
            self.log.write(json.dumps({name: value for name, value in line.items() if value is not None}) + "\n")
            self.log.flush()

    def id_token(self, place, client, nonce):
        now = int(time.time())
        claims = {"iss": place.issuer, "aud": client, "iat": now, "exp": now + 3600, "nonce": nonce, "name": "Ada"}
        if place.host == ADFS:
            claims |= {"sub": "ada-at-fs", "upn": "ada@contoso.example"}
        elif place.host == B2C:
            claims |= {"sub": ADA, "oid": ADA, "emails": ["ada@mail.example"], "tfp": place.policy}
        else:
            claims |= {"sub": "pairwise", "oid": ADA, "tid": TENANT, "preferred_username": "ada@contoso.example"}
        signed = encoded(b'{"alg":"RS256","kid":"k"}') + "." + encoded(json.dumps(claims).encode())
        return signed + "." + encoded(self.openssl("dgst", "-sha256", "-sign", "signing.key", data=signed.encode()))


class Place:
    """An authority, by the host and the path of a request; what is left of the path is `rest`."""

    def __init__(self, host, path):
        words = path.strip("/").split("/")
        count = 1 if host == ADFS else (3 if words[0] == "tfp" else 2) if host == B2C else 1
        self.host, self.rest = host, "/".join(words[count:])
        self.base = f"https://{host}/" + "/".join(words[:count])
        self.policy = words[count - 1].lower() if host == B2C else None
        self.issuer = {
            ADFS: f"http://{ADFS}/adfs/services/trust", B2C: f"https://{B2C}/{TENANT}/v2.0/",
            CIAM: f"https://{TENANT}.ciamlogin.com/{TENANT}/v2.0",
        }.get(host, f"https://{host}/{TENANT}/v2.0")
        #: Where codes and refresh tokens of this place are good.
        self.name = (host, self.policy)

    def document(self):
        slash = "/" if self.host == ADFS else ""
        path = "/oauth2" if self.host == ADFS else "/oauth2/v2.0"
        word = self.base.rsplit("/", 1)[1] in ("common", "organizations")
        document = {
            "issuer": f"https://{self.host}/{{tenantid}}/v2.0" if word else self.issuer,
            "authorization_endpoint": self.base + path + "/authorize" + slash,
            "token_endpoint": self.base + path + "/token" + slash,
            "jwks_uri": self.base + "/discovery/keys", "id_token_signing_alg_values_supported": ["RS256"],
        }
        if self.host == ADFS:
            document |= {"access_token_issuer": self.issuer, "microsoft_multi_refresh_token": True}
        return document


class Exchange(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, document=None, **headers):
        body = b"" if document is None else json.dumps(document).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), "Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def place(self):
        url = urllib.parse.urlsplit(self.path)
        return Place(self.headers["Host"].split(":")[0], url.path), dict(urllib.parse.parse_qsl(url.query))

    def do_GET(self):
        place, query = self.place()
        at = self.server.authorities
        at.note(host=place.host, path=self.path.split("?")[0])
        if place.rest.endswith(".well-known/openid-configuration"):
            return self.answer(200, place.document())
        if place.rest == "discovery/keys":
            return self.answer(200, at.keys)
        if not place.rest.rstrip("/").endswith("authorize"):
            return self.answer(404)
        code = secrets.token_urlsafe(16)
        answer = {"code": code, "state": query["state"]}
        good_at = place.name
        if query.get("instance_aware") == "true" and query.get("login_hint", "").endswith("@contoso.us"):
            answer["cloud_instance_host_name"] = GOVERNMENT
            good_at = (GOVERNMENT, None)
        at.codes[code] = (good_at, query)
        self.answer(302, Location=query["redirect_uri"] + "?" + urllib.parse.urlencode(answer))

    def do_POST(self):
        place, _ = self.place()
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = dict(urllib.parse.parse_qsl(text))
        answer = self.tokens(place, form) if place.rest.rstrip("/").endswith("token") else {"error": "not_found"}
        self.server.authorities.note(
            host=place.host, path=self.path, grant_type=form.get("grant_type"), scope=form.get("scope"),
            resource=form.get("resource"), error=answer.get("error"))
        self.answer(400 if "error" in answer else 200, answer)

    def tokens(self, place, form):
        at = self.server.authorities
        nonce = resource = None
        if form["grant_type"] == "authorization_code":
            good_at, asked = at.codes.pop(form["code"], (None, {}))
            challenge = encoded(hashlib.sha256(form["code_verifier"].encode()).digest())
            if challenge != asked.get("code_challenge") or form["redirect_uri"] != asked["redirect_uri"]:
                return {"error": "invalid_grant"}
            nonce, resource = asked["nonce"], asked.get("resource")
        else:
            good_at = at.refresh_tokens.pop(form["refresh_token"], None)
        if good_at != place.name:
            return {"error": "invalid_grant"}
        scopes = form.get("scope", "").split()
        if place.host == ADFS and any(scope.endswith("/.default") for scope in scopes):
            return {"error": "invalid_scope"}
        refresh = secrets.token_urlsafe(16)
        at.refresh_tokens[refresh] = place.name
        answer = {"token_type": "Bearer", "expires_in": 3600, "refresh_token": refresh,
                  "id_token": at.id_token(place, form["client_id"], nonce)}
        if place.host == ADFS:
            answer |= {"scope": "openid", "resource": form.get("resource") or resource or "urn:microsoft:userinfo"}
            answer["access_token"] = "for " + answer["resource"]
        else:
            own = f"{ADA}-{place.policy}" if place.policy else ADA
            info = {"uid": own, "utid": TENANT}
            answer |= {"scope": " ".join(scopes), "client_info": encoded(json.dumps(info).encode())}
            if place.host != B2C or set(scopes) - RESERVED:
                answer["access_token"] = f"of {place.host} {place.policy or ''}".strip()
        return answer


class Proxy(socketserver.BaseRequestHandler):
    """Each name leads here, whatever the network says."""

    def handle(self):
        lines = b""
        while not lines.endswith(b"\r\n\r\n"):
            more = self.request.recv(1)
            if not more:
                return
            lines += more
        method, target = lines.split(b" ", 2)[:2]
        if method != b"CONNECT" or target.decode().split(":")[0] not in HOSTS:
            return self.request.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        self.request.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        try:
            with self.server.authorities.tls.wrap_socket(self.request, server_side=True) as secured:
                Exchange(secured, self.client_address, self.server)
        except OSError:
            pass


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 64


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def visit(url):
    """Goes where a page or an address leads, and brings the answer back."""
    url = page.address(url)
    trust = ssl.create_default_context(cafile=os.environ["KEYFOB_CA_FILE"])
    proxy = urllib.request.ProxyHandler({"https": os.environ["HTTPS_PROXY"]})
    browser = urllib.request.build_opener(NoRedirect, proxy, urllib.request.HTTPSHandler(context=trust))
    try:
        browser.open(url, timeout=30)
    except urllib.error.HTTPError as answer:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(answer.headers["Location"], timeout=30)


def main():
    if sys.argv[1] == "--visit":
        return visit(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="keyfob-authorities-") as name:
        folder = pathlib.Path(name)
        authorities = Authorities(folder, sys.argv[1])
        with Server(("127.0.0.1", 0), Proxy) as server:
            server.authorities = authorities
            threading.Thread(target=server.serve_forever, daemon=True).start()
            environment = os.environ | {
                "HTTPS_PROXY": f"http://127.0.0.1:{server.server_address[1]}", "NO_PROXY": "",
                "KEYFOB_CA_FILE": str(folder / "ca.pem"),
                "BROWSER": f"{sys.executable} {pathlib.Path(__file__).resolve()} --visit %s"}
            status = subprocess.run(sys.argv[2:], env=environment).returncode
            server.shutdown()
    sys.exit(status)


if __name__ == "__main__":
    main()
