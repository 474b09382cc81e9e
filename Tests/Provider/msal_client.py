"""MSAL for Python as another program that signs in at the provider of these tests, and shares its token cache.

usage: msal_client.py sign-in CACHE ISSUER USER [--ca FILE] [--client ID] [--scope NAME]…
       msal_client.py silent CACHE ISSUER [USER] [--ca FILE] [--client ID] [--scope NAME]… [--force-refresh]

The first signs in as USER and adds that to CACHE, which may be missing; the second takes a token for USER, or for each
account, from CACHE or by a refresh, and writes CACHE back where that changed it. Each prints a line of JSON for each
account: {"ok", "user", "sha256": the first 16 digits of the access token's, "source": MSAL's word for where it came
from, "scope", "error"}. ISSUER must be https. MSAL itself asks for openid, profile and offline_access."""

import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import urllib.parse

import msal

parser = argparse.ArgumentParser()
parser.add_argument("action", choices=["sign-in", "silent"])
parser.add_argument("cache", type=pathlib.Path)
parser.add_argument("issuer")
parser.add_argument("user", nargs="?")
parser.add_argument("--ca")
parser.add_argument("--client", default="keyfob-public")
parser.add_argument("--scope", action="append")
parser.add_argument("--force-refresh", action="store_true")
options = parser.parse_args()

os.environ["NO_PROXY"] = "127.0.0.1,localhost"
if options.ca:
    # What this variable names would win over `verify`.
    os.environ["REQUESTS_CA_BUNDLE"] = options.ca
scopes = options.scope or ["email"]
cache = msal.SerializableTokenCache()
if options.cache.exists():
    cache.deserialize(options.cache.read_text())
client = msal.PublicClientApplication(
    options.client, oidc_authority=options.issuer, token_cache=cache, instance_discovery=False)


def report(user, answer):
    answer = answer or {}
    token = answer.get("access_token")
    line = {"ok": token is not None, "user": user, "source": answer.get("token_source"), "scope": answer.get("scope"),
            "sha256": token and hashlib.sha256(token.encode()).hexdigest()[:16], "error": answer.get("error")}
    print(json.dumps(line))
    return token is not None


def sign_in():
    # Nobody listens there: the answer is taken out of the address.
    flow = client.initiate_auth_code_flow(scopes, redirect_uri="http://localhost:1/")
    visitor = pathlib.Path(__file__).with_name("visit.py")
    command = [sys.executable, visitor, flow["auth_uri"], options.user, "--stay"]
    visit = subprocess.run(command + (["--ca", options.ca] if options.ca else []), stdout=subprocess.PIPE, text=True)
    if visit.returncode != 0:
        sys.exit(1)
    address = urllib.parse.urlsplit(visit.stdout.strip())
    answer = client.acquire_token_by_auth_code_flow(flow, dict(urllib.parse.parse_qsl(address.query)))
    name = answer.get("id_token_claims", {}).get("preferred_username")
    return report(name, answer)


def silent():
    outcomes = []
    for account in client.get_accounts(username=options.user):
        answer = client.acquire_token_silent_with_error(scopes, account=account, force_refresh=options.force_refresh)
        outcomes.append(report(account["username"], answer))
    return bool(outcomes) and all(outcomes)


is_done = sign_in() if options.action == "sign-in" else silent()
if cache.has_state_changed:
    with open(options.cache, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(cache.serialize())
sys.exit(0 if is_done else 1)
