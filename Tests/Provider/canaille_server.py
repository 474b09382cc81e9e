"""Canaille of PyPI, an OpenID provider, over https on a free port of 127.0.0.1.

usage: canaille_server.py FOLDER

It registers whoever asks (RFC 7591). Users are ada and ben, with the password NAME-password. Makes its own certificate: FOLDER/ca.pem.
Prints the port; ends when standard input closes. `canaille` is looked for beside this Python."""

import atexit
import os
import pathlib
import secrets
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request

import guest
from standins import trust

folder = pathlib.Path(sys.argv[1])
trust.certify(folder, trust.LOOPBACK)
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
program = str(pathlib.Path(sys.executable).with_name("canaille"))


def run(*words, **environment):
    return subprocess.run([program, *words], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env=os.environ | environment).stdout


config = folder / "config.toml"
config.write_text(f"""
SECRET_KEY = "{secrets.token_hex(16)}"
SERVER_NAME = "127.0.0.1:{port}"
PREFERRED_URL_SCHEME = "https"
[CANAILLE]
DATABASE = "sql"
[CANAILLE.LOGGING]
version = 1
[CANAILLE_SQL]
DATABASE_URI = "sqlite:///{folder}/canaille.db"
[CANAILLE_OIDC]
ACTIVE_JWKS = [{run("jwk", "create", "rsa", "--format", "toml", CANAILLE_CONFIG="none").strip()}]
DYNAMIC_CLIENT_REGISTRATION_OPEN = true
""")
os.environ["CANAILLE_CONFIG"] = str(config)
run("install")
for user in ["ada", "ben"]:
    name = user.capitalize()
    run("create", "user", "--user-name", user, "--family-name", "L", "--given-name", name, "--formatted-name", f"{name} L", "--emails",
        f"{user}@canaille.example", "--password", f"{user}-password")
server = subprocess.Popen(
    [program, "run", "--bind", f"127.0.0.1:{port}", "--certfile", folder / "server.pem", "--keyfile", folder / "server.key"],
    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=sys.stderr)
atexit.register(server.terminate)
trusting = ssl.create_default_context(cafile=folder / "ca.pem")
for _ in range(200):
    try:
        urllib.request.urlopen(f"https://127.0.0.1:{port}/.well-known/openid-configuration", context=trusting, timeout=5).close()
        break
    except (urllib.error.URLError, OSError):
        time.sleep(0.1)
guest.leave_with_the_host(folder, server)
print(port, flush=True)
signal.pause()
