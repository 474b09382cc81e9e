"""Asks the module for Python, or the agent by varlink, the questions that come as JSON, and prints the answers.

usage: doors.py python|agent < [{"kind": "token", "accounts" or "shell", "options": {NAME: [VALUE, …]}}, …]

Of kind shell, `line` is run in between."""

import json
import os
import socket
import subprocess
import sys
import urllib.parse

FLAGS = {"force-refresh": "forceRefresh", "extended-lifetime": "extendedLifetime"}
TEXTS = {"account": "account", "tenant": "tenant", "client": "client", "tool": "tool", "allow-host": "allowedHost",
         "claims": "claims", "authority": "provider"}


def by_python(question):
    sys.path.insert(0, os.environ["MODULES"])
    import keyfob

    options = {name.replace("-", "_"): values if name in ("scope", "group") else values[-1]
               for name, values in question["options"].items()}
    options = {name: value == "true" if value in ("true", "false") else value for name, value in options.items()}
    try:
        if question["kind"] == "accounts":
            return {"rows": keyfob.accounts(**options)}
        scopes = options.pop("scope", [])
        found = keyfob._keyring.usual.token(scopes, **options)
        expiry = found.expires_on
        return {"rows": [{"token": found.token, "tokenType": found.token_type, "expiresOn": expiry,
                          "scopes": list(found.scopes), "account": found.account, "username": found.username,
                          "group": found.group, "clientID": found.client_id, "tenant": found.tenant,
                          "source": found.source}]}
    except keyfob.Error as error:
        way = error.continuation
        return {"error": {"code": error.code, "message": error.message, "hint": error.hint, "status": error.status,
                          "advice": error.advice, "candidates": list(error.candidates),
                          "continuation": way and way._asdict() | {"scopes": list(way.scopes)}}}


def parameters(options):
    sent = {"groups": options["group"]} if "group" in options else {}
    scopes = options.get("scope", []) + [value + "/.default" for value in options.get("resource", [])]
    if scopes:
        sent["scopes"] = scopes
    for name, values in options.items():
        if name in FLAGS:
            sent[FLAGS[name]] = values[-1] == "true"
        elif name in TEXTS:
            sent[TEXTS[name]] = values[-1]
        elif name == "min-validity":
            sent["minimumValidity"] = int(values[-1])
        elif name == "url":
            parts = urllib.parse.urlsplit(values[-1])
            if parts.username:
                sent["login"] = parts.username
            sent["url"] = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return sent


def by_agent(question):
    method = "Accounts" if question["kind"] == "accounts" else "Token"
    call = {"method": "io.keyfob.Agent." + method, "parameters": parameters(question["options"])}
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(os.environ["XDG_RUNTIME_DIR"] + "/keyfob/agent")
        connection.sendall(json.dumps(call).encode() + b"\0")
        data = b""
        while not data.endswith(b"\0"):
            data += connection.recv(1 << 16)
    answer = json.loads(data[:-1])
    found = answer.get("parameters", {})
    if "error" in answer:
        return {"error": {"name": answer["error"], **found}}
    return {"rows": found["accounts"] if method == "Accounts" else [found]}


def answer(question):
    if question["kind"] == "shell":
        subprocess.run(question["options"]["line"][0], shell=True, check=True, stdout=sys.stderr)
        return {"rows": []}
    return {"python": by_python, "agent": by_agent}[sys.argv[1]](question)


print(json.dumps([answer(each) for each in json.load(sys.stdin)]))
