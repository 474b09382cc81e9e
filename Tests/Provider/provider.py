"""The OpenID provider that tests sign in at: django-oauth-toolkit on loopback, one process, one folder.

usage: provider.py FOLDER [--port N] [--https] [--access-lifetime S] [--refresh-lifetime S] [--grace S]
                   [--rotation always|never] [--no-reuse-protection] [--device-interval S] [--registers] [--guest]

Prints the issuer in one line when it is ready. Port 0, the default, means a free one. With --guest it ends, and takes
FOLDER along, as soon as standard input is closed: so it never outlives the test that started it.

FOLDER is made anew, with the database, the keys (--https: and ca.pem, to be trusted), and requests.jsonl and control.json, which are
those of standins/script.py. With --registers it registers whoever asks (RFC 7591). Rules have these keys besides:
    scopes: TEXT         the token endpoint grants no more than these
    access_lifetime: S   the access tokens it issues live so long
    issuer: URL          discovery, where that is among `paths`, tells of this issuer, not of its own

Users alice, bob, carol, with the password NAME-password. Clients: keyfob-public and keyfob-confidential (its secret:
confidential-secret) with the code flow, keyfob-device with the device flow. Redirects go to any port of 127.0.0.1, ::1
and localhost, at / or /callback. GET /api/me tells who a bearer token is for.
What the protocol says is done by the library; only what is said here is done here."""

import argparse
import base64
import io
import json
import logging
import os
import pathlib
import shutil
import socketserver
import sys
import threading
import time
import urllib.parse
import wsgiref.simple_server

import guest
from standins import script, trust

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--https", action="store_true")
parser.add_argument("--access-lifetime", type=int, default=3600)
parser.add_argument("--refresh-lifetime", type=int, default=14 * 24 * 3600)
parser.add_argument("--grace", type=int, default=0)
parser.add_argument("--rotation", choices=["always", "never"], default="always")
parser.add_argument("--no-reuse-protection", action="store_true")
parser.add_argument("--device-interval", type=int, default=1)
parser.add_argument("--registers", action="store_true")
parser.add_argument("--guest", action="store_true")
options = parser.parse_args()

PREFIX = "/o"
TOKEN_PATH = PREFIX + "/token/"
SCOPES = ["openid", "profile", "email", "offline_access", "mail", "files"]
LOOPBACK = [f"http://{host}{path}" for host in ["127.0.0.1", "[::1]", "localhost"] for path in ["/", "/callback"]]
SCHEME = "com.example.app"
folder = options.folder.resolve()


# The server: one thread for each connection. Its port is known before anything is set.


class Exchange(wsgiref.simple_server.WSGIRequestHandler):
    def get_environ(self):
        connection = {"connection": self.connection}
        if options.https:
            connection["HTTPS"] = "on"  # what wsgiref takes the scheme from
        return super().get_environ() | connection

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True
    request_queue_size = 128
    tls = None

    def server_bind(self):
        # Without asking what this host is called.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address
        self.setup_environ()

    def finish_request(self, request, client_address):
        if self.tls is None:
            return super().finish_request(request, client_address)
        # Here, and not where connections are accepted: whoever is slow delays nobody else.
        request.settimeout(60)
        with self.tls.wrap_socket(request, server_side=True) as secured:
            super().finish_request(secured, client_address)
            try:
                secured.settimeout(1)
                secured.unwrap()
            except (OSError, ValueError):
                pass

    def handle_error(self, request, client_address):
        # Whoever leaves early, or does not trust the certificate, is no error.
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True, mode=0o700)
os.umask(0o077)
server = Server(("127.0.0.1", options.port), Exchange)
BASE = f"{'https' if options.https else 'http'}://127.0.0.1:{server.server_port}"
if options.https:
    server.tls = trust.certify(folder, trust.LOOPBACK)


# The site.


def signing_key():
    from jwcrypto import jwk

    pem = jwk.JWK.generate(kty="RSA", size=2048).export_to_pem(private_key=True, password=None)
    (folder / "signing.key").write_bytes(pem)
    return pem.decode()


LOGIN_PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Sign in</title></head><body>
<h1>Sign in</h1><form method="post" id="login">{% csrf_token %}{{ form.as_p }}
<button type="submit">Sign in</button></form></body></html>"""

from django.conf import settings  # noqa: E402

settings.configure(
    SECRET_KEY=base64.b64encode(os.urandom(32)).decode(),
    ALLOWED_HOSTS=["127.0.0.1", "localhost", "[::1]"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": str(folder / "provider.db"),
            "OPTIONS": {
                "timeout": 30,
                "transaction_mode": "IMMEDIATE",  # two refreshes at once wait for each other
                "init_command": "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF",
            },
        }
    },
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "oauth2_provider"],
    # Tables are made from the models: a database that lives for one test has no history.
    MIGRATION_MODULES={name: None for name in ["auth", "contenttypes", "sessions", "oauth2_provider"]},
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {
                "context_processors": ["django.template.context_processors.request"],
                "loaders": [
                    ("django.template.loaders.locmem.Loader", {"login.html": LOGIN_PAGE}),
                    "django.template.loaders.app_directories.Loader",
                ],
            },
        }
    ],
    STATIC_URL="/static/",
    LOGIN_URL="/login/",
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],  # fast; everybody knows these passwords
    LOGGING_CONFIG=None,  # requests.jsonl tells of refusals; what remains are failures
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True,
        "OIDC_ISS_ENDPOINT": BASE + PREFIX,
        "OIDC_RSA_PRIVATE_KEY": signing_key(),
        "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
        "OAUTH2_VALIDATOR_CLASS": "claims.Validator",
        "SCOPES": {name: f"The scope {name}" for name in SCOPES},
        "DEFAULT_SCOPES": ["openid"],
        "PKCE_REQUIRED": True,
        "ACCESS_TOKEN_EXPIRE_SECONDS": options.access_lifetime,
        "REFRESH_TOKEN_EXPIRE_SECONDS": options.refresh_lifetime,
        "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": options.grace,
        "ROTATE_REFRESH_TOKEN": options.rotation == "always",
        "REFRESH_TOKEN_REUSE_PROTECTION": not options.no_reuse_protection,
        "ALLOWED_SCHEMES": ["http", "https"],
        "ALLOWED_REDIRECT_URI_SCHEMES": ["http", "https", SCHEME],
        "ALLOW_LOCALHOST_LOOPBACK": True,
        "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
        "OAUTH_DEVICE_VERIFICATION_URI": f"{BASE}{PREFIX}/device/",
        "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE": lambda code: f"{BASE}{PREFIX}/device/?user_code={code}",
        "DEVICE_FLOW_INTERVAL": options.device_interval,
        "DCR_ENABLED": options.registers,
        "DCR_REGISTRATION_PERMISSION_CLASSES": ["oauth2_provider.dcr.AllowAllDCRPermission"],
    },
)

import django  # noqa: E402

django.setup()

import django.contrib.auth.models  # noqa: E402
import django.contrib.auth.views  # noqa: E402
import django.core.management  # noqa: E402
import django.core.wsgi  # noqa: E402
import django.http  # noqa: E402
import django.urls  # noqa: E402
import django.views  # noqa: E402
import oauth2_provider.models  # noqa: E402
import oauth2_provider.oauth2_validators  # noqa: E402
import oauth2_provider.urls  # noqa: E402
import oauth2_provider.views.mixins  # noqa: E402

# The control file as it is for the request of this thread.
current = threading.local()


class Validator(oauth2_provider.oauth2_validators.OAuth2Validator):
    """Says who somebody is, and grants less where the control file says so."""

    def get_additional_claims(self):
        return {
            "preferred_username": lambda request: request.user.username,
            "name": lambda request: request.user.get_full_name(),
            "email": lambda request: request.user.email,
        }

    def _save_bearer_token(self, token, request, *arguments, **named):
        if "scopes" in current.control:
            allowed = current.control["scopes"].split()
            token["scope"] = " ".join(name for name in token["scope"].split() if name in allowed)
        if "access_lifetime" in current.control:
            token["expires_in"] = current.control["access_lifetime"]
        return super()._save_bearer_token(token, request, *arguments, **named)


# The settings name it by a module.
sys.modules["claims"] = sys.modules[__name__]


class Me(oauth2_provider.views.mixins.OAuthLibMixin, django.views.View):
    """What a program would want a token for."""

    def get(self, request):
        is_valid, checked = self.verify_request(request)
        if not is_valid:
            return django.http.HttpResponse(status=401, headers={"WWW-Authenticate": 'Bearer error="invalid_token"'})
        token = checked.access_token
        who = {"user": checked.user.username, "client": token.application.client_id, "scope": token.scope}
        return django.http.JsonResponse(who)


urlpatterns = [
    django.urls.path("login/", django.contrib.auth.views.LoginView.as_view(template_name="login.html")),
    django.urls.path("api/me", Me.as_view()),
    django.urls.path(PREFIX.strip("/") + "/", django.urls.include("oauth2_provider.urls", namespace="oauth2_provider")),
]
if options.registers:
    # What says that is at the root: a document of its own (RFC 8414), beside that of OpenID Connect.
    found = [pattern for pattern in oauth2_provider.urls.metadata_urlpatterns if "oauth-authorization-server" in str(pattern.pattern)]
    urlpatterns.append(django.urls.path("", django.urls.include((found, "oauth2_provider"), namespace="root")))
    # A client that registers itself has no algorithm, and without one there is no ID token.
    oauth2_provider.models.get_application_model()._meta.get_field("algorithm").default = "RS256"



def fill():
    """Makes the tables, the users and the clients."""
    django.core.management.call_command("migrate", run_syncdb=True, verbosity=0)
    for name in ["alice", "bob", "carol"]:
        person = {"first_name": name.capitalize(), "last_name": "Sample"}
        django.contrib.auth.models.User.objects.create_user(
            name, f"{name}@example.com", f"{name}-password", **person)
    client = oauth2_provider.models.get_application_model()
    common = {"algorithm": client.RS256_ALGORITHM}
    redirects = {"redirect_uris": " ".join([*LOOPBACK, f"{SCHEME}:/callback"]), "post_logout_redirect_uris": " ".join(LOOPBACK)}
    code = common | redirects | {"authorization_grant_type": client.GRANT_AUTHORIZATION_CODE}
    client.objects.create(client_id="keyfob-public", name="Keyfob", client_type=client.CLIENT_PUBLIC, **code)
    client.objects.create(client_id="keyfob-confidential", name="Keyfob with a secret", **code,
                          client_type=client.CLIENT_CONFIDENTIAL, client_secret="confidential-secret")
    client.objects.create(client_id="keyfob-device", name="Keyfob on a device", client_type=client.CLIENT_PUBLIC,
                          authorization_grant_type=client.GRANT_DEVICE_CODE, **common)


# What stands before the site: the control file and the log.


class Gate:
    """A WSGI application around another."""

    def __init__(self, site):
        self.site = site
        self.script, self.log = script.Script(folder), script.Log(folder)

    def __call__(self, environ, start_response):
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        fields = {}
        if environ.get("CONTENT_TYPE", "").startswith("application/x-www-form-urlencoded"):
            fields = dict(urllib.parse.parse_qsl(body.decode(errors="replace")))
        path = environ["PATH_INFO"]
        own, rules = self.script.rule(environ.get("HTTP_HOST"), path, fields.get("grant_type"), path == TOKEN_PATH)
        current.control = rules[0] if rules and path == TOKEN_PATH else {}
        entry = {"method": environ["REQUEST_METHOD"], "path": path} | self.described(environ, fields)

        made = script.made_up(own)
        if made:
            (code, headers, answer), entry["hook"] = made
            status, headers = f"{code} Made up", [*headers.items(), ("Content-Length", str(len(answer)))]
        else:
            status, headers, answer = self.asked(environ)
            if "issuer" in own:
                answer = json.dumps(json.loads(answer) | {"issuer": own["issuer"]}).encode()
                headers = [header for header in headers if header[0] != "Content-Length"]
            entry |= self.outcome(path, answer)
            entry |= {"hook": name for name in ["delay_ms", "drop"] if own.get(name)}
        self.log.write({"status": int(status.split()[0])} | entry)

        if "delay_ms" in own:
            time.sleep(own["delay_ms"] / 1000)
        if own.get("drop"):
            # What comes after is written to nobody.
            raise ConnectionAbortedError
        start_response(status, headers)
        return [answer]

    def asked(self, environ):
        """What the site answers, after it is done."""
        given = []
        parts = self.site(environ, lambda status, headers, failure=None: given.append((status, headers)))
        try:
            answer = b"".join(parts)
        finally:
            if hasattr(parts, "close"):
                parts.close()
        status, headers = given[-1]
        return status, headers, answer

    @staticmethod
    def described(environ, fields):
        """What the log says of a request."""
        scheme, _, credentials = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
        if scheme.lower() == "basic":
            try:
                fields = fields | {"client_id": urllib.parse.unquote(base64.b64decode(credentials).decode().split(":")[0])}
            except ValueError:
                pass
        return script.Log.form(fields)

    @staticmethod
    def outcome(path, answer):
        """What the log says of an answer."""
        try:
            document = json.loads(answer) if path.startswith(PREFIX) else {}
        except ValueError:
            return {}
        return script.Log.outcome(document) if isinstance(document, dict) else {}


if __name__ == "__main__":
    logging.getLogger("django.request").setLevel(logging.ERROR)
    if options.guest:
        guest.leave_with_the_host(folder)
    fill()
    server.set_app(Gate(django.core.wsgi.get_wsgi_application()))
    print(BASE + PREFIX, flush=True)
    try:
        server.serve_forever(poll_interval=60)
    except KeyboardInterrupt:
        pass
