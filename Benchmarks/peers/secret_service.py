#!/usr/bin/env python3
"""Measures credentials that Keyfob keeps with the Secret Service beside secret-tool and Python's keyring.

    secret_service.py KEYFOB [--quick] [--json] [--apart] [--sizes N,…] [--limit SECONDS]

One gnome-keyring on a private bus has as many credentials of Keyfob's as of the peers', who share theirs; with --apart
Keyfob has one for itself, and they have one. Every answer is checked. --limit is for a list of all credentials.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile

from secret_service_bus import Service
from secret_service_figures import OWN, Board, checked_output
from secret_service_file import copies
from secret_service_vaults import Delegated, Embedded, Peers, fresh_names, local_name, user_name


def fill(size, folder, arguments, stack):
    """The services with `size` credentials each way, and who is on which."""
    names = [local_name(number) for number in range(size)]
    services = []
    for place in ["keyfob", "peers"] if arguments.apart else ["both"]:
        services.append(Service(f"{folder}/{place}"))
        stack.callback(services[-1].end)
        services[-1].start()
    delegated, peers = Delegated(arguments.keyfob, services[0]), Peers(services[-1])
    delegated.make()
    peers.make()
    for service in services:
        items = []
        for item in service.items():
            is_header = item[1].get("xdg:schema") == "io.keyfob.Vault"
            items += [item] if is_header else copies(item, local_name(0), names)
        service.fill(items)
    delegated.expected = {user_name(number) for number in range(size)}
    peers.expect(size)
    return services, delegated, peers


def measure(size, folder, arguments, stack):
    print(f"secret_service: {size} credentials: making them", file=sys.stderr)
    services, delegated, peers = fill(size, folder, arguments, stack)
    embedded = Embedded(arguments.keyfob, f"{folder}/embedded", size)
    all_places = {OWN: delegated, "secret-tool": peers.secret_tool, "keyring, its command": peers.command,
                  "keyring, a program": peers.program, "Keyfob, embedded": embedded}
    board, chosen, new = Board(services, size), random.Random(42), fresh_names()

    def every(times, figure, measured):
        print(f"secret_service: {size} credentials: {figure}", file=sys.stderr)
        for _ in range(times):
            for who, action in measured():
                if board.time(figure, who, action[0]):
                    for check in action[1:]:
                        board.check(figure, who, check)

    def look_ups():
        user = chosen.randrange(size)
        for who, place in all_places.items():
            yield who, [lambda: place.look_up(user)]

    def stores():
        for who, place in all_places.items():
            if who == "keyring, a program":
                continue
            name = next(new)
            yield who, [lambda: place.store(name), lambda: place.look_up(name)]

    def lists():
        for who, place in {OWN: delegated, "secret-tool": peers.secret_tool, "SecretStorage": peers.program,
                           "Keyfob, embedded": embedded}.items():
            yield who, [lambda: place.list_all(arguments.limit)]

    def starts():
        for who, command in [("keyfob --version", [arguments.keyfob, "--version"]), ("secret-tool", ["secret-tool"]),
                             ("python3 -c pass", [sys.executable, "-c", "pass"]), ("/bin/true", ["/bin/true"])]:
            yield who, [lambda: checked_output(command, expected=2 if who == "secret-tool" else 0)]

    look_up = "look up one, ms"
    every(25 if size <= 1_000 else 11, look_up, look_ups)
    for taken in peers.in_process([chosen.randrange(size) for _ in range(51)]):
        board.add(look_up, "keyring, running process", taken)
    every(9 if size <= 1_000 else 3, "store one new, ms", stores)
    every({10: 9, 1_000: 3}.get(size, 1), "list all, ms", lists)
    every(25, "start with nothing to do, ms", starts)
    return board


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("keyfob", type=os.path.abspath)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--sizes")
    parser.add_argument("--limit", type=float, default=120)
    arguments = parser.parse_args()
    sizes = [10, 1_000] if arguments.quick else [10, 1_000, 10_000]
    if arguments.sizes:
        sizes = [int(size) for size in arguments.sizes.split(",")]
    # So that nothing is left running when this is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    boards = []
    for size in sizes:
        folder = tempfile.mkdtemp(prefix="keyfob-bench-")
        try:
            with contextlib.ExitStack() as stack:
                boards.append(measure(size, folder, arguments, stack))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        if not arguments.json:
            print(boards[-1].text(), flush=True)
    if arguments.json:
        print(json.dumps({"formatVersion": 1, "sizes": [board.document() for board in boards]}, indent=2))


main()
