"""`keyfob lock` in many environments, whoever holds keys: after status 0 nobody gets a token, and any other status is told why.
Then every command under small limits: no death by a signal, and no false cause.

usage: lock.py [environments|limits]"""

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import attack
from attack import Home, Rows

PART = sys.argv[1] if len(sys.argv) > 1 else "all"
rows = Rows("lock, and limits")
APART = "unshare --user --map-root-user"
FORBID = f"{attack.PYTHON} {attack.FOLDER}/forbidding.py"
number = 0

# What is typed: the keys are held by then, and $vault, $agent and $PWD are there.
ENVIRONMENTS = {
    "login": "keyfob lock",
    "su": 'env -i HOME="$HOME" PATH="$PATH" XDG_DATA_HOME="$XDG_DATA_HOME" XDG_STATE_HOME="$XDG_STATE_HOME" keyfob lock',
    "cron": 'setsid -w env -i HOME="$HOME" PATH=/usr/bin:/bin XDG_DATA_HOME="$XDG_DATA_HOME" XDG_STATE_HOME="$XDG_STATE_HOME" "$(command -v keyfob)" lock',
    "ssh": "keyctl session - keyfob lock",
    "setsid": "setsid -w keyfob lock < /dev/null",
    "another user namespace": f"{APART} keyfob lock",
    "another network": f"mkdir -m 700 other; XDG_RUNTIME_DIR=$PWD/other {APART} --net keyfob lock",
    "another mount": f"mkdir other; {APART} --mount sh -c 'mount --bind \"$0\" other; keyfob lock --vault other' \"$vault\"",
    "no processes of others": f"{APART} --pid --fork --mount-proc keyfob lock",
    "hidden /proc/keys": f"{APART} --mount sh -c 'mount --bind /dev/null /proc/keys; keyfob lock'",
    "bwrap": "bwrap --dev-bind / / --unshare-user --unshare-pid --proc /proc keyfob lock",
    "no keyctl": f"{FORBID} EPERM 248,249,250 keyfob lock",
    "keyctl unknown": f"{FORBID} ENOSYS 248,249,250 keyfob lock",
    "open to others": 'chmod 755 "$vault"; keyfob lock; status=$?; chmod 700 "$vault"; exit $status',
    "open to nobody": 'chmod 0 "$vault"; keyfob lock; status=$?; chmod 700 "$vault"; exit $status',
    "vault moved away": 'mv "$vault" away; keyfob lock; status=$?; mv away "$vault"; exit $status',
    "another vault there": 'mv "$vault" away; keyfob init -q --key-file key --recovery-file r2 && keyfob lock; status=$?; '
                           'rm -r "$vault"; mv away "$vault"; keyfob doctor --accept-vault --key-file key > /dev/null 2>&1; exit $status',
    "header damaged": 'cp "$vault/keyring.db" saved; printf x > "$vault/keyring.db"; keyfob lock; status=$?; cp saved "$vault/keyring.db"; exit $status',
    "other runtime folder": "mkdir -m 700 other; XDG_RUNTIME_DIR=$PWD/other keyfob lock",
    "runtime folder of all": "XDG_RUNTIME_DIR=/tmp keyfob lock",
    "relative path": 'cd "$XDG_DATA_HOME"; keyfob lock --vault keyfob',
    "through a link": 'ln -s "$XDG_DATA_HOME" link; keyfob lock --vault link/keyfob',
    "agent stopped": 'test -z "$agent" || kill -STOP $agent; keyfob lock; status=$?; test -z "$agent" || kill -CONT $agent; exit $status',
    "socket taken away": 'rm -f "$XDG_RUNTIME_DIR/keyfob/agent"; keyfob lock',
    "few files": "ulimit -n 24; keyfob lock",
}
HOLDERS = {
    "session": ("keyfob unlock -q --for 1h --key-file key", False),
    "user": ("keyfob unlock -q --user --for 1h --key-file key", False),
    "agent": ("keyfob unlock -q --agent --for 1h --key-file key", True),
    "session and agent": ("keyfob unlock -q --for 1h --key-file key; keyfob unlock -q --agent --for 1h --key-file key", True),
    "user, through the agent": ("keyfob unlock -q --user --for 1h --key-file key", True),
}
NEEDED = {"bwrap": "bwrap", "ssh": "keyctl"}


def trial(environment, line, holder, unlock, has_agent):
    global number
    number += 1
    name = f"{environment}, {holder}"
    home = Home(f"h{number}")
    try:
        program = home.program("program")
        agent = home.start().pid if has_agent else ""
        script = f"""
vault={home.vault} agent={agent}
ask() {{ keyfob token --no-input --account ada; {f'{program} {home.socket} Token' if has_agent else ':'}{''' '{"account":"ada"}' 1 0''' if has_agent else ''}; }}
{unlock}
ask > before 2> /dev/null
({line}) > said 2>&1; echo $? > status
sleep 0.1
ask > after 2> /dev/null
keyctl session - keyfob token --no-input --account ada >> after 2> /dev/null
:
"""
        (home.path / "script").write_text(script, encoding="utf8")
        done = home.shell("keyctl session - sh script", timeout=120)
        read = lambda file: (home.path / file).read_text(encoding="utf8", errors="replace")
        if attack.TOKEN not in read("before"):
            return rows.row(name, False, f"no token before: {done.stderr[-200:]}")
        status, said = int(read("status")), read("said").strip()
        gets = attack.TOKEN in read("after")
        holds = not gets if status == 0 else status in (69, 74, 78) and said.startswith("keyfob: ")
        rows.row(name, holds, f"status {status}{', AND TOKENS COME' if gets and status == 0 else ', tokens come' if gets else ''}: {said[:160]}")
    finally:
        home.stop()
        shutil.rmtree(home.path, ignore_errors=True)


COMMANDS = [("token", "--account", "ada"), ("status",), ("lock",), ("unlock", "--for", "1m"), ("verify",), ("whoami",), ("list",),
            ("log",), ("doctor",), ("account", "label", "ada", "x"), ("backup", "--to", "made.age"), ("agent", "--idle", "1s"),
            ("exec", "--account", "ada", "--", "true")]
FALSE = re.compile(r"libcurl|not installed|still refreshing|damaged|altered|no vault|another process|Fatal|fatal", re.I)


def limits():
    home = Home("limits")
    environment = {**home.environment, "KEYFOB_KEY_FILE": home.key}
    kinds = [("files", resource.RLIMIT_NOFILE, [6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 24, 28, 32, 40, 48, 63, 64]),
             ("memory", resource.RLIMIT_AS, [each << 20 for each in (20, 40, 60, 80, 100, 128, 140, 160, 200, 300, 400, 700)]),
             ("file size", resource.RLIMIT_FSIZE, [each << 10 for each in (0, 1, 4, 16, 32, 64, 100, 256)]),
             ("processes", resource.RLIMIT_NPROC, [0, 1, 2, 4, 8, 16]),
             ("data", resource.RLIMIT_DATA, [each << 20 for each in (2, 4, 8, 16, 24, 32, 64)]),
             ("stack", resource.RLIMIT_STACK, [each << 10 for each in (64, 128, 256, 512, 1024)])]
    for kind, which, values in kinds:
        bad, count = [], 0
        for value in values:
            for words in COMMANDS:
                count += 1
                try:
                    done = home.run(*words, environment=environment, before=attack.limit(which, value), timeout=120)
                except subprocess.TimeoutExpired:
                    bad.append((value, words[0], "goes on for ever"))
                    continue
                except (OSError, subprocess.SubprocessError):
                    continue
                (home.path / "made.age").unlink(missing_ok=True)
                said = done.stderr.strip()
                if done.returncode < 0 or done.returncode >= 128:
                    bad.append((value, words[0], f"status {done.returncode}: {said[-120:]}"))
                elif done.returncode and (not said or FALSE.search(said)) and words[0] != "doctor":
                    bad.append((value, words[0], f"status {done.returncode}: {said[-160:]}"))
        rows.row(f"limits of {kind}: no death by a signal, no false cause", not bad, f"{count} commands; {bad[:6] or 'all well'}")
    sound = home.run("verify", "-q", environment=environment)
    rows.row("the vault is sound after all of that", sound.returncode == 0, sound.stderr.strip())
    crowded(environment, home)


def crowded(environment, home):
    """An agent under limits, with a crowd of connections and calls."""
    program = home.program("program")
    for kind, which, values in [("files", resource.RLIMIT_NOFILE, [64, 80, 128, 256, 512]),
                                ("memory", resource.RLIMIT_AS, [each * 1024 for each in (250_000, 300_000, 400_000, 700_000)]),
                                ("processes", resource.RLIMIT_NPROC, [4, 16, 64])]:
        for value in values:
            home.start(before=attack.limit(which, value))
            name = f"an agent with {kind} {value}"
            if home.agent.poll() is not None:
                rows.row(f"{name} says what it lacks", home.agent.returncode == 69, home.told().strip()[-160:])
                home.agent = None
                continue
            handed = home.run("unlock", "-q", "--agent", "--for", "1h", "--key-file", home.key)
            crowd = attack.Crowd(home.socket, 4, 80)
            running = [home.ask(program, count=3) for _ in range(20)]
            said = sorted({each[2] for one in running for each in attack.answers(one.communicate()[0])})
            done = home.run("lock")
            crowd.end()
            died = home.agent.poll()
            rows.row(f"{name}: lock gets through a crowd, and it lives", done.returncode == 0 and died is None,
                     f"unlock {handed.returncode}, lock {done.returncode} {done.stderr.strip()[:120]}, agent {died}; answers {said}")
            home.stop()


if PART in ("all", "environments"):
    for environment, line in ENVIRONMENTS.items():
        if environment in NEEDED and not shutil.which(NEEDED[environment]):
            rows.skip(environment, f"{NEEDED[environment]} is not installed")
            continue
        for holder, (unlock, has_agent) in HOLDERS.items():
            trial(environment, line, holder, unlock, has_agent)
if PART in ("all", "limits"):
    limits()
rows.end()
