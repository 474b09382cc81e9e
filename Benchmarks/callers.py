#!/usr/bin/env python3
"""Keyfob beside other helpers, each called by the real tool: git, docker's client for Python, and kubectl.

usage: callers.py KEYFOB [--kubectl PROGRAM] [--quick] [--sizes N,…] [--only NAME,…] [--callers NAME,…] [--rounds N] [--seconds N]
                  [--limit N] [--setup-limit N] [--build TEXT] [--out FOLDER] [--write-readme]
       callers.py --render FILE.json [--out FOLDER] [--write-readme]

KEYFOB is the installed command, with the names by which tools call it beside it. Each tool asks for one account of so many, at a
server on this machine that wants its token (peers/token_server.py). Measured is the tool, and by itself what it starts: the helper with
the same words, the same input and nothing else. In each round all come in an order of chance; a ratio is the median of the ratios to
Keyfob's of the same round. Writes callers.json and .md into FOLDER, and with --write-readme into the page that shows them."""

import argparse
import datetime
import json
import os
import random
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from whole import callers, caller_report, machine, report, services  # pylint: disable=wrong-import-position
from whole.measure import Cell, NotPossible  # pylint: disable=wrong-import-position

BEGIN = time.monotonic()
WAYS = ("called", "alone")
OWN = "keyfob"


def progress(text):
    print(f"callers.py: {time.monotonic() - BEGIN:.0f} s: {text}", file=sys.stderr, flush=True)


class Size:
    """Everything that is measured with one number of accounts."""

    def __init__(self, options, folder, size):
        self.options, self.folder, self.size = options, folder, size
        self.random, self.desktop, self.helpers, self.setups = random.Random(7), None, {}, {}
        self.cells = {caller: {} for caller in options.callers.split(",")}
        self.server = None

    def shared_desktop(self, size):
        self.desktop = self.desktop or services.Desktop(f"{self.folder}/desktop", size)
        return self.desktop

    def fill(self):
        self.server = callers.Server(f"{self.folder}/server")
        for index, (name, make) in enumerate(callers.helpers(self.options, self.shared_desktop).items()):
            if self.options.only and name not in (OWN, *self.options.only.split(",")):
                continue
            progress(f"{self.size} accounts: setting up {name}")
            helper = make(name, f"{self.folder}/{index}", self.size)
            try:
                self.helpers[name] = helper
                helper.fill(600 if name == OWN else self.options.setup_limit)
                helper.setting_up(self.server, {"kubectl": self.options.kubectl})
            except Exception as reason:  # One that cannot be set up leaves the others; pylint: disable=broad-except
                self.end(self.helpers.pop(name))
                self.setups[name] = str(reason) if isinstance(reason, NotPossible) else f"{type(reason).__name__}: {reason}"
                progress(f"{name}: {reason}")

    def stop(self):
        for helper in self.helpers.values():
            self.end(helper)
        if self.server:
            self.server.stop()

    def end(self, helper):
        try:
            helper.stop()
        except Exception as error:  # The others are to be stopped too; pylint: disable=broad-except
            progress(f"{helper.name} does not stop: {error!r}")

    def measure(self):
        for caller, cells in self.cells.items():
            progress(f"{self.size} accounts: {caller}")
            active = []
            for name, helper in self.helpers.items():
                if caller in helper.missing:
                    self.setups[f"{name}, {caller}"] = helper.missing[caller]
                elif helper.takes_part(caller):
                    cells[name] = {way: Cell() for way in WAYS}
                    active += [(name, way) for way in WAYS if self.run(caller, name, way, cells[name][way])]
            end = time.monotonic() + self.options.seconds * len(active)
            for number in range(self.options.rounds):
                if number >= 3 and time.monotonic() > end:
                    break
                self.round(caller, active, cells)

    def round(self, caller, active, cells):
        """Each once; its ratio is to Keyfob's."""
        taken = {each: self.run(caller, *each, cells[each[0]][each[1]]) for each in self.random.sample(active, len(active))}
        for (name, way), own in taken.items():
            base = taken.get((OWN, way))
            if own and base:
                cells[name][way].add(own, base)

    def run(self, caller, name, way, cell):
        """What one run took; None where it failed, or is none."""
        if len(cell.failures) > 1:
            return None
        try:
            return getattr(self.helpers[name], way)(caller, self.options.limit)
        except Exception as failure:  # Such as a service that has ended; pylint: disable=broad-except
            cell.failures.append(str(failure))
            progress(f"{caller}: {name} ({way}): {failure}")
            return None

    def document(self):
        return {"accounts": self.size, "notPossible": self.setups, "callers": {
            caller: {name: {way: cell.document() for way, cell in ways.items()} for name, ways in cells.items()}
            for caller, cells in self.cells.items()}}


def measure(options, out):
    """All sizes, one after the other."""
    facts = {"formatVersion": 1, "date": datetime.date.today().isoformat(), **machine.facts(options, callers.PACKAGES, ["docker"])}
    document = {**facts, "kubectl": callers.kubectl_version(options.kubectl), "sizes": []}
    with tempfile.TemporaryDirectory(prefix="kf") as folder:
        machine.read_anew(*machine.installed(options.keyfob))
        os.chdir(folder)
        for size in map(int, options.sizes.split(",")):
            place = f"{folder}/{size}"
            os.mkdir(place)
            group = Size(options, place, size)
            try:
                group.fill()
                group.measure()
            finally:
                group.stop()
            document["sizes"].append(group.document())
            document["loadAfter"] = os.getloadavg()[0]
            report.save(document, out, "callers")
            shutil.rmtree(place)
        os.chdir("/")
    return document


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("keyfob", nargs="?")
    parser.add_argument("--kubectl", default="kubectl")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--sizes")
    parser.add_argument("--only")
    parser.add_argument("--callers", default=",".join(callers.ALL))
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--build")
    # How long each program's part of a tool's figures may take on average, one run, and to set its accounts up.
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--limit", type=float, default=30)
    parser.add_argument("--setup-limit", type=float, default=60)
    parser.add_argument("--render")
    parser.add_argument("--out")
    parser.add_argument("--write-readme", action="store_true")
    options = parser.parse_args()
    options.brief = False
    here = os.path.dirname(os.path.abspath(__file__))
    out = report.folder(options.out or f"{here}/results")
    if options.render:
        with open(options.render, encoding="utf-8") as file:
            document = json.load(file)
    elif options.keyfob:
        options.keyfob = os.path.abspath(options.keyfob)
        options.sizes = options.sizes or ("10" if options.quick else "10,1000")
        options.rounds = options.rounds or (10 if options.quick else 50)
        options.seconds = options.seconds or (1 if options.quick else 5)
        document = measure(options, out)
    else:
        parser.error("KEYFOB is missing")
    caller_report.write(document, out, here if options.write_readme else None)


if __name__ == "__main__":
    main()
