#!/usr/bin/env python3
"""Starts stand-ins for a test: providers by their own names, behind a proxy, or one of them at a port of this machine.

usage: serve.py FOLDER '{"github": {}, "gitlab": {"access_lifetime": 30}}' [--guest]
       serve.py FOLDER '{"wordless": {}}' --loopback [--port N] [--https] [--guest]
       serve.py FOLDER '{"microsoft": {}}' -- COMMAND…      runs COMMAND where the names lead here, and ends with its status

The stand-ins, and their options, are those of standins/. FOLDER is made anew; what is in it, and how they are told to misbehave, is
in standins/script.py. Prints one line of JSON when it is ready: `environment` is what programs need to get there, and `issuer` that of the first. With
--https, which --loopback has, FOLDER/ca.pem is to be trusted. With --guest it ends, and takes FOLDER along, when standard input is closed."""

import argparse
import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import guest
from standins import serving, trust

#: The classes, by the names in which a test says what it needs.
CLASSES = {
    "github": "github.GitHub", "gitlab": "gitlab.GitLab", "google": "google.Google", "microsoft": "microsoft.Microsoft",
    "microsoft_others": "microsoft_others.MicrosoftOthers", "okta": "okta.Okta", "openid": "openid.OpenID", "plain": "plain.Plain", "strict": "strict.Strict",
    "wordless": "wordless.Wordless", "kubernetes": "kubernetes.Kubernetes"}


def stand_in(name, options):
    module, _, kind = CLASSES[name].partition(".")
    return getattr(importlib.import_module("standins." + module), kind)(**options)


def stand_ins(wanted):
    return [stand_in(name, options) for name, options in wanted.items()]


def main():
    words = sys.argv[1:]
    command = words[words.index("--") + 1:] if "--" in words else []
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("wanted", type=json.loads)
    for name in ("--guest", "--loopback", "--https"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args(words[:words.index("--")] if command else words)
    folder = options.folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    os.umask(0o077)
    if options.guest:
        guest.leave_with_the_host(folder)
    found = stand_ins(options.wanted)
    if options.loopback:
        tls = trust.certify(folder, trust.LOOPBACK) if options.https else None
        serving.Loopback(*found, folder, options.port, tls).start()
        environment = {"KEYFOB_CA_FILE": str(folder / "ca.pem")} if options.https else {}
    else:
        environment = serving.Network(folder, found).__enter__().environment
    told = {"environment": environment, "issuer": found[0].issuer()}
    if command:
        sys.exit(subprocess.run(command, env=os.environ | told["environment"]).returncode)
    print(json.dumps(told), flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
