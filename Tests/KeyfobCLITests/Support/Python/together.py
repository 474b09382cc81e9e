"""Two dozen programs that want tokens at once, by all the ways there are, while accounts change.

usage: together.py SECONDS GIT_HOST ISSUER CACHE PERSON

At GIT_HOST the accounts alice and bob have a repository each. Alice's token is refreshed again and again; after a half of the
time bob is signed out, and CACHE with the account PERSON imported. Prints {"answers": {WAY: number}, "odd": [TEXT, …]}: what
was somebody else's, came after the end of a sign-in or the import without it, or is no documented end."""

import collections
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

import keyfob

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "Tests/Provider"))
import guest  # noqa: E402

seconds, host, issuer, cache, person = float(sys.argv[1]), *sys.argv[2:]
begin = time.monotonic()
answers, odd, changing, changed = collections.Counter(), [], set(), {}
CLUSTER = json.dumps({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                      "spec": {"cluster": {"server": f"http://{host}"}, "interactive": False}})
# Busy, and what git makes of an error.
PASSING = {75, 128}
# A person has to sign in; there is no such account.
WITHOUT = {10, 13}


def run(words, content="", **variables):
    done = subprocess.run(words, input=content, env=os.environ | variables, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout, done.stderr


def owner(token):
    return guest.person(issuer, token)


def fetch(name):
    # The server lets nobody else in, so that a success is the owner's.
    status, _, errors = run(["git", "ls-remote", "-q", f"http://{host}/{name}/app.git"])
    return status, name if status == 0 else None, errors


def token(name):
    status, text, errors = run(["keyfob", "token", "--no-input", "--account", name])
    return status, text and (person if name == person else owner(text.strip())), errors


def cluster(_):
    status, text, errors = run(["keyfob", "helper", "kubectl"], KUBERNETES_EXEC_INFO=CLUSTER)
    return status, text and owner(json.loads(text)["status"]["token"]), errors


def registry(_):
    status, text, errors = run(["keyfob", "helper", "docker", "get"], f"http://{host}")
    return status, status == 0 and owner(json.loads(text)["Secret"]), errors


def environment(name):
    status, text, errors = run(["keyfob", "exec", "--no-input", "--account", name, "--env", "TOKEN", "--", "printenv", "TOKEN"])
    return status, text and owner(text.strip()), errors


def library(name):
    # One keyring for all the threads of this process, which would ask a thousand times a second.
    time.sleep(0.02)
    try:
        text = keyfob.token(account=name)
    except keyfob.Error as error:
        return error.status, None, str(error)
    return 0, person if name == person else owner(text), ""


def repeat(way, name):
    while time.monotonic() - begin < seconds:
        start = time.monotonic()
        status, who, errors = way(name)
        answers[f"{way.__name__} {name}"] += 1
        is_after = start > changed.get(name, start)
        is_there = {"alice": True, "bob": not is_after, person: is_after}[name]
        # While it changes, both will do.
        is_settled = is_after or name not in changing
        known = ({0} if is_there else WITHOUT) if is_settled else {0} | WITHOUT
        if who not in (name, None, False, "") or who and is_settled and not is_there or status not in known | PASSING:
            odd.append(f"{way.__name__} {name}: {status}, {who or 'nobody'}, {errors.strip()}")


def change(*words):
    status, _, errors = run(["keyfob", *words])
    if status:
        odd.append(f"{' '.join(words)}: {status}, {errors.strip()}")


ways = [(fetch, "alice"), (fetch, "bob"), (token, "alice"), (token, "bob"), (token, person), (cluster, "alice"),
        (registry, "alice"), (environment, "alice"), (environment, "bob"), (library, "alice"), (library, "bob"),
        (library, person)]
workers = [threading.Thread(target=repeat, args=way) for way in 2 * ways]
for worker in workers:
    worker.start()
while time.monotonic() - begin < seconds:
    if "bob" not in changed and time.monotonic() - begin > seconds / 2:
        for name, words in (("bob", ["logout", "-q", "bob"]), (person, ["import", "-q", cache])):
            changing.add(name)
            change(*words)
            changed[name] = time.monotonic()
    change("token", "-q", "--account", "alice", "--force-refresh")
    time.sleep(0.2)
for worker in workers:
    worker.join()
print(json.dumps({"answers": answers, "odd": odd}))
