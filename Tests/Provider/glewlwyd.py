"""Debian's Glewlwyd, an OpenID provider, over https on a free port of 127.0.0.1.

usage: glewlwyd.py FOLDER [NAME=VALUE…]

A parameter of its OpenID plugin can be given as JSON: `oauth-par-required=true`. It registers whoever asks (RFC 7591), revokes (RFC 7009),
takes pushed requests (RFC 9126) and proofs of keys (RFC 9449), lets devices sign in, and uses up refresh tokens. Users are ada and ben,
with the password NAME-password. Makes its own certificate: FOLDER/ca.pem. Prints the port; ends when standard input closes."""

import atexit
import contextlib
import gzip
import http.cookiejar
import json
import pathlib
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request

import guest
from standins import trust

SCHEMA = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"
folder = pathlib.Path(sys.argv[1])
trust.certify(folder, trust.LOOPBACK)
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
base = f"https://127.0.0.1:{port}"
with contextlib.closing(sqlite3.connect(folder / "glewlwyd.db")) as database:
    path = pathlib.Path(SCHEMA)
    database.executescript(path.read_text() if path.exists() else gzip.decompress(pathlib.Path(SCHEMA + ".gz").read_bytes()).decode())
(folder / "glewlwyd.conf").write_text(f"""
port={port}
bind_address="127.0.0.1"
external_url="{base}"
login_url="login.html"
api_prefix="api"
log_mode="file"
log_level="WARNING"
log_file="{folder}/log"
cookie_secure=1
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="/usr/lib/glewlwyd/user"
client_module_path="/usr/lib/glewlwyd/client"
user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"
plugin_module_path="/usr/lib/glewlwyd/plugin"
static_files_path="/usr/share/glewlwyd/webapp"
use_secure_connection=true
secure_connection_key_file="{folder}/server.key"
secure_connection_pem_file="{folder}/server.pem"
hash_algorithm="SHA512"
database={{ type="sqlite3"; path="{folder}/glewlwyd.db"; }};
static_files_mime_types=({{ extension=".html"; mime_type="text/html"; }}, {{ extension="*"; mime_type="application/octet-stream"; }})
""")
server = subprocess.Popen(
    ["glewlwyd", f"--config-file={folder}/glewlwyd.conf"], stdin=subprocess.DEVNULL, stdout=sys.stderr, stderr=sys.stderr)
atexit.register(server.terminate)
browser = urllib.request.build_opener(
    urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=folder / "ca.pem")),
    urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), urllib.request.ProxyHandler({}))


def ask(place, **document):
    request = urllib.request.Request(
        f"{base}/api/{place}", json.dumps(document).encode() if document else None, {"Content-Type": "application/json"})
    try:
        with browser.open(request, timeout=20) as answer:
            return answer.read()
    except urllib.error.HTTPError as answer:
        raise RuntimeError(f"{place}: {answer.code} {answer.read()[:300]}") from None


end = time.time() + 20
while True:
    try:
        ask("auth/", username="admin", password="password")
        break
    except (urllib.error.URLError, OSError):
        if time.time() > end or server.poll() is not None:
            raise
        time.sleep(0.05)
for scope in ["profile", "offline_access"]:
    ask("scope/", name=scope, display_name=scope, password_required=False, password_max_age=0)
for user in ["ada", "ben"]:
    ask("user/", username=user, name=user.capitalize(), email=f"{user}@glewlwyd.example", password=f"{user}-password", enabled=True,
        scope=["openid", "profile", "offline_access"])
parameters = {
    "iss": f"{base}/api/oidc", "jwt-type": "rsa", "jwt-key-size": "256",
    "key": trust.openssl("genpkey", "-algorithm", "rsa", "-pkeyopt", "rsa_keygen_bits:2048").decode(),
    "access-token-duration": 3600, "refresh-token-duration": 1209600, "code-duration": 600, "refresh-token-rolling": True,
    "refresh-token-one-use": "always", "allow-non-oidc": True, "auth-type-code-enabled": True, "auth-type-refresh-enabled": True,
    "auth-type-device-enabled": True, "device-authorization-expiration": 600, "device-authorization-interval": 1,
    "auth-type-code-revoke-replayed": True, "allowed-scope": ["openid", "profile", "offline_access"], "name-claim": "mandatory",
    "email-claim": "mandatory", "scope-claim": "no", "pkce-allowed": True, "pkce-required": False, "introspection-revocation-allowed": True,
    "introspection-revocation-allow-target-client": True, "register-client-allowed": True, "register-client-auth-scope": [],
    "register-client-credentials-scope": [], "session-management-allowed": True, "session-cookie-name": "OIDC_SID",
    "session-cookie-expiration": 86400, "oauth-par-request_uri-prefix": "urn:ietf:params:oauth:request_uri:", "jwks-show": True, "oauth-par-allowed": True,
    "oauth-par-required": False, "oauth-par-duration": 90, "oauth-dpop-allowed": True, "oauth-dpop-iat-duration": 30,
    "oauth-dpop-nonce-mandatory": False,
    "oauth-dpop-nonce-counter": 1, "subject-type": "public",
}
parameters |= {name: json.loads(value) for name, _, value in (word.partition("=") for word in sys.argv[2:])}
parameters["cert"] = trust.openssl("pkey", "-pubout", data=parameters["key"].encode()).decode()
ask("mod/plugin/", module="oidc", name="oidc", display_name="OpenID Connect", parameters=parameters)
guest.leave_with_the_host(folder, server)
print(port, flush=True)
signal.pause()
