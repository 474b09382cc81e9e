#!/usr/bin/env python3
"""Keyfob beside oidc-agent, in one run: 30 processes at once that want a new token, and a provider that hangs.

usage: oidc_agent.py KEYFOB

KEYFOB is the command. oidc-agent comes from Debian's oidc-agent-cli. Both sign in, each by itself, at the provider of the
tests that replaces the refresh token at each use and ends a sign-in whose old one comes again (Tests/Provider/standins/wordless.py),
60 ms away. Times are of whole processes."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

PROVIDER = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Provider"
DELAY = 60
# Longer than Keyfob waits, and shorter than oidc-agent does.
HANG = 40_000


class Home:
    """A home folder with a vault and an agent, each signed in."""

    def __init__(self, folder, keyfob, server, issuer):
        self.folder = folder
        self.keyfob = keyfob
        self.counts_url = urllib.parse.urljoin(issuer, "/counts")
        self.control = pathlib.Path(folder, "provider", "control.json")
        self.env = {
            "PATH": os.environ["PATH"], "HOME": folder, "KEYFOB_KEY_FILE": f"{folder}/key", "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": f"{folder}/run", "BROWSER": f"{sys.executable} {PROVIDER}/visit.py %s alice"}
        os.mkdir(f"{folder}/run", 0o700)
        descriptor = os.open(f"{folder}/key", os.O_CREAT | os.O_WRONLY, 0o600)
        os.write(descriptor, os.urandom(32))
        os.close(descriptor)
        redirect = pathlib.Path(folder, "provider", "redirects").read_text().split()[0]
        self.run(keyfob, "init", "--quiet", "--recovery-file", "recovery")
        self.run(keyfob, "provider", "add", "--quiet", "--issuer", issuer, "--name", "local")
        self.run(keyfob, "client", "add", "--quiet", "keyfob-public", "--provider", "local", "--redirect-uri", redirect)
        self.sign_in()
        cache = json.loads(self.run(keyfob, "export", "--quiet", "--format", "msal", "-"))
        # The agent goes on with this sign-in, and Keyfob with another.
        refresh_token = next(iter(cache["RefreshToken"].values()))["secret"]
        self.sign_in()
        for name, value in re.findall(r"(OIDC\w+)=([^;]+);", self.run("oidc-agent")):
            self.env[name] = value
        self.run(
            "oidc-gen", "--prompt=none", "--manual", "--flow=refresh", "--rt-env=REFRESH_TOKEN", f"--issuer={issuer}",
            "--client-id=keyfob-public", "--client-secret=", "--redirect-uri=http://localhost:8080",
            "--scope=openid offline_access", "--pw-cmd=echo password", "--no-url-call", "local",
            more={"REFRESH_TOKEN": refresh_token})

    def sign_in(self):
        self.run(self.keyfob, "login", "local", "--quiet")

    def run(self, *words, more=None):
        done = subprocess.run(words, env=self.env | (more or {}), cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{words[0]} {words[1] if len(words) > 1 else ''}: {done.returncode} {done.stderr.strip()}")
        return done.stdout

    def rotations(self):
        with urllib.request.urlopen(self.counts_url) as answer:
            return json.load(answer)["rotated"]

    def at_once(self, words, count):
        """How long it takes, how many have a token then, and how many requests the provider did."""
        before, begin = self.rotations(), time.perf_counter()
        processes = [
            subprocess.Popen(words, env=self.env, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for _ in range(count)]
        tokens = sum(process.wait() == 0 for process in processes)
        duration = time.perf_counter() - begin
        return f"{duration:.1f} s, {tokens} tokens, {self.rotations() - before} requests"


def main(keyfob):
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [sys.executable, PROVIDER / "serve.py", f"{folder}/provider", json.dumps({"wordless": {"delay_ms": DELAY}}), "--loopback", "--guest"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        home = Home(folder, keyfob, server, json.loads(server.stdout.readline())["issuer"])
        try:
            forced_agent, forced_own = ["oidc-token", "-f", "local"], [keyfob, "token", "--force-refresh"]
            print("| | oidc-agent | keyfob |\n| --- | --- | --- |")
            print(f"| 30 want a new one | {home.at_once(forced_agent, 30)} | {home.at_once(forced_own, 30)} |", flush=True)
            home.control.write_text(json.dumps({"delay_ms": HANG}))
            print(f"| 6, and the provider hangs | {home.at_once(forced_agent, 6)} | {home.at_once(forced_own, 6)} |")
        finally:
            subprocess.run(["oidc-agent", "-k"], env=home.env, capture_output=True)
            server.kill()
            server.wait()


parser = argparse.ArgumentParser()
parser.add_argument("keyfob", type=os.path.abspath)
main(parser.parse_args().keyfob)
