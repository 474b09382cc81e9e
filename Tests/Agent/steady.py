"""The same programs with an agent that nobody kills: whether it goes on as it was, also when the machine sleeps."""

import os
import pathlib
import random
import signal
import statistics
import time

import judge
from programs import LIFE

# Seconds between two looks at the agent.
LOOK = 5


class Look:
    """What the agent has, as the kernel tells."""

    def __init__(self, process):
        status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines())
        self.memory = int(status["VmRSS"].split()[0])
        self.threads = int(status["Threads"])
        # Those of programs that ask just now come and go: a socket and a process of each.
        kinds = [os.readlink(path) for path in pathlib.Path(f"/proc/{process}/fd").iterdir() if path.is_symlink()]
        self.descriptors = len(kinds)
        self.own = sum(not kind.startswith(("socket:", "anon_inode:[pidfd]")) and "pidfd" not in kind for kind in kinds)


def look(process):
    try:
        return Look(process)
    except FileNotFoundError:
        # A descriptor was closed meanwhile.
        return look(process)


def run(options, home, programs):
    chance = random.Random(f"{options.seed} steady")
    begin = time.monotonic()
    while not home.agent.process:
        time.sleep(0.05)
    process = home.agent.process.pid
    looks, sleeps, told, next_sleep = [], 0, begin, begin + 45
    while time.monotonic() - begin < options.steady:
        end = time.monotonic() + LOOK
        while time.monotonic() < end:
            time.sleep(chance.uniform(0.05, 0.4))
            program = chance.choice(programs)
            program.kill()
            program.start()
        if home.agent.process is None or home.agent.process.pid != process:
            print("agent: it has ended by itself")
            return 1
        looks.append((time.monotonic() - begin, look(process)))
        if time.monotonic() > next_sleep:
            next_sleep = time.monotonic() + chance.uniform(60, 120)
            sleeps += 1
            os.kill(process, signal.SIGSTOP)
            time.sleep(chance.uniform(1, LIFE + 5))
            os.kill(process, signal.SIGCONT)
        if time.monotonic() - told > 300:
            told = time.monotonic()
            print(f"agent: after {(told - begin) / 60:.0f} min {describe(looks[-6:])}", flush=True)
    for program in programs:
        program.kill()
    status = home.agent.end()
    tokens = sum("token" in (line["answer"].get("parameters") or {}) or "accessToken" in str(line["answer"])
                 for program in programs for line in program.lines() if "answer" in line)
    wrong = [f"it ended with {status}"] if status else []
    judging = judge.Judge(home, programs, {})
    judging.read_after_sleep()
    wrong += judging.wrong
    log_status, document = judge.log(home)
    if log_status or document.get("findings"):
        wrong.append(f"keyfob log ends with {log_status}: {document.get('findings')}")
    third = len(looks) // 3
    # Until every account was asked for, and every program has been there, it grows.
    parts = [looks[third // 3:third // 3 + 12], looks[len(looks) // 2 - 6:len(looks) // 2 + 6], looks[-12:]]
    for name, part in zip(["beginning", "middle", "end"], parts):
        print(f"agent: {name}, {part[0][0] / 60:.1f} to {part[-1][0] / 60:.1f} min: {describe(part)}")
    first, last = (median(part, "memory") for part in (parts[0], parts[-1]))
    if last > first * 1.1 + 2_048:
        wrong.append(f"its memory has grown from {first} to {last} KiB")
    if median(parts[-1], "own") > median(parts[0], "own") + 1:
        wrong.append("it has more descriptors than at the beginning")
    files = sorted(path.name for path in home.state.glob("audit/*/*.jsonl*") if not path.name.endswith(".lock"))
    print(f"agent: {options.steady / 60:.0f} min, {tokens} tokens, {len(home.ledger.refreshes)} refreshes, stopped {sleeps} times; "
          f"{len(document.get('entries', []))} lines in {len(files)} files of the log; {len(wrong)} wrong")
    for line in wrong[:20]:
        print(f"    {line}")
    return len(wrong)


def median(part, name):
    return int(statistics.median(getattr(each, name) for _, each in part))


def describe(part):
    return (f"{median(part, 'memory'):,} KiB resident, {median(part, 'descriptors')} descriptors, {median(part, 'own')} of them of its "
            f"own, {median(part, 'threads')} threads")
