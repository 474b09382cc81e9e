#!/usr/bin/env python3
"""Keyfob beside other programs that keep tokens, each as a whole process, in one run.

usage: whole_process.py KEYFOB [--also NAME=PROGRAM]… [--quick | --brief] [--sizes N,…] [--only NAME,…] [--figures NAME,…]
                        [--rounds N] [--seconds N] [--limit N] [--setup-limit N] [--build TEXT] [--out FOLDER]
                        [--write-readme]
       whole_process.py --render FILE.json [--out FOLDER] [--write-readme]

KEYFOB is the command; --also measures another Keyfob beside it. The others are installed by Scripts/install-dependencies --bench.
In each round the programs come in an order of chance, and beside each the floor (peers/floor.c) does the same work: a ratio is the
median of the ratios of such pairs. --brief takes about ten minutes: with 10, 1,000, 10,000 and 100,000 accounts the lookup, and
with 10 and 1,000 the rest. Writes whole-process.json, .md and lookup.svg into FOLDER, and with --write-readme into the page that
shows them."""

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

from whole import files, machine, refresh, report, services  # pylint: disable=wrong-import-position
from whole.measure import Cell, Failure, NotPossible, name_of, run, run_checked, token_of  # pylint: disable=wrong-import-position

FLOOR = "floor (C)"
BOUND, HELPER = "keyfob (bound)", "git-credential-keyfob"
WRITERS = 8
BEGIN = time.monotonic()
# Those that store at once come last: they may leave damage.
FIGURES = ["lookup", "list", "store", "export", "import", "same", "new"]


def progress(text):
    print(f"whole_process.py: {time.monotonic() - BEGIN:.0f} s: {text}", file=sys.stderr, flush=True)


def programs(options, floor, desktop):
    """Names, and what makes a store of so many accounts in a folder."""
    made = {FLOOR: lambda *place: files.Floor(*place, floor), "keyfob": lambda *place: files.Keyfob(*place, options.keyfob)}
    for also in options.also:
        name, _, program = also.partition("=")
        made[name] = lambda *place, program=os.path.abspath(program): files.Keyfob(*place, program)
    made[BOUND] = lambda *place: files.BoundDirectory(*place, options.keyfob)
    made[HELPER] = lambda *place: files.GitCredential(*place, options.keyfob)
    made |= {
        "git-credential-cache": services.CredentialCache, "oidc-token": services.OIDCAgent,
        "secret-tool": lambda *place: services.SecretTool(*place, desktop), "pass": files.Pass, "age": files.Age, "gh": files.GitHub,
        "python keyring": lambda *place: services.Keyring(*place, desktop), "msal-extensions": files.MSALExtensions,
        "keepassxc-cli": files.KeePass}
    if options.only:
        others = [FLOOR, *(also.partition("=")[0] for also in options.also), *options.only.split(",")]
        made = {name: make for name, make in made.items() if name in others}
    return made


class Size:
    """Everything that is measured with one number of accounts."""

    def __init__(self, options, folder, floor, size):
        self.options, self.folder, self.size = options, folder, size
        self.random, self.late, self.mended, self.desktop = random.Random(7), 0, 0, None
        self.cells = {figure: {} for figure in options.figures.split(",")}
        self.setups, self.stores = {}, {}
        # A brief run has no time for the rest of large stores, nor for others that take long to fill.
        self.is_reduced = options.brief and size > 1000
        if self.is_reduced:
            self.cells = {"lookup": {}}
        self.makers = programs(options, floor, self.shared_desktop)

    def shared_desktop(self, size):
        """The one that the stores share, made for the first of them."""
        if self.desktop is None:
            try:
                self.desktop = services.Desktop(f"{self.folder}/desktop", size)
            except NotPossible as reason:
                self.desktop = reason
        if isinstance(self.desktop, NotPossible):
            raise self.desktop
        return self.desktop

    def fill(self):
        for index, (name, make) in enumerate(self.makers.items()):
            progress(f"{self.size} accounts: setting up {name}")
            store, begin = make(name, f"{self.folder}/{index}", self.size), time.monotonic()
            try:
                self.stores[name] = store
                is_own = isinstance(store, (files.Floor, files.Keyfob))
                store.fill(600 if is_own else 20 if self.is_reduced else self.options.setup_limit)
                self.setups[name] = {"seconds": time.monotonic() - begin}
            except Exception as reason:  # One that cannot be set up leaves the others; pylint: disable=broad-except
                self.end(self.stores.pop(name))
                self.setups[name] = {"notPossible": str(reason)}
                progress(f"{name}: {reason}")

    def stop(self):
        for store in self.stores.values():
            self.end(store)

    def end(self, store):
        try:
            store.stop()
        except Exception as error:  # The others are to be stopped too; pylint: disable=broad-except
            progress(f"{store.name} does not stop: {error!r}")

    def measure(self):
        for figure, cells in self.cells.items():
            for name in self.makers:
                cells[name] = Cell()
                if name not in self.stores:
                    cells[name].reason = self.setups[name]["notPossible"]
                else:
                    cells[name].reason = self.stores[name].missing.get(figure)
            self.measure_figure(figure, {name: cell for name, cell in cells.items() if not cell.reason})

    def measure_figure(self, figure, cells):
        progress(f"{self.size} accounts: {figure}")
        at_once = figure in ("same", "new")
        most = self.options.rounds if not at_once else max(2, self.options.rounds // 10)
        # The rest is slower, and its ratios matter less.
        seconds = self.options.seconds if figure == "lookup" or not self.options.brief else 1
        # The first of each is not measured; what was told to do the impossible is not asked again.
        active = [name for name in cells if self.try_first(figure, name, cells[name])]
        others, spent = [name for name in active if name != FLOOR], dict.fromkeys(active, 0)
        for round_number in range(most):
            self.random.shuffle(others)
            for name in list(others):
                if round_number >= (2 if at_once else 3) and spent[name] > seconds or len(cells[name].failures) > 1:
                    others.remove(name)
                    continue
                begin = time.monotonic()
                self.pair(figure, name, cells)
                spent[name] += time.monotonic() - begin

    def try_first(self, figure, name, cell):
        try:
            self.once(figure, name, cell, is_first=True)
        except Exception as failure:  # Such as a service that has ended; pylint: disable=broad-except
            cell.failures.append(str(failure))
            progress(f"{figure}: {name} {failure}")
        return not cell.failures

    def pair(self, figure, name, cells):
        """The program and the floor, in an order of chance."""
        taken = {}
        for each in self.random.sample([name, FLOOR], 2):
            try:
                taken[each] = self.once(figure, each, cells[each])
            except Exception as failure:  # The same; pylint: disable=broad-except
                cells[each].failures.append(str(failure))
                progress(f"{figure}: {each} {failure}")
        if len(taken) == 2:
            cells[name].add(taken[name], taken[FLOOR])
            cells[FLOOR].add(taken[FLOOR], taken[FLOOR])

    def fresh_name(self):
        self.late += 1
        return f"late{self.late:06d}@contoso.example"

    def once(self, figure, name, cell, is_first=False):
        store, limit = self.stores[name], self.options.limit
        if figure in ("same", "new"):
            return self.at_once(store, figure == "same", cell, limit)
        if figure == "lookup":
            number = self.random.randrange(self.size)
            command = store.look_up(name_of(number))
            command.wanted = command.wanted or token_of(name_of(number))
        elif figure == "store":
            fresh = self.fresh_name()
            command = store.store(fresh, token_of(fresh))
        else:
            command = getattr(store, {"import": "import_all"}.get(figure, figure))()
        taken = run_checked(store, command, limit)
        if is_first:
            follow = command.verify and command.verify()
            if figure == "store":
                follow = store.look_up(fresh)
                follow.wanted = token_of(fresh)
            if follow:
                run_checked(store, follow, limit)
        return taken

    def at_once(self, store, is_same, cell, limit):
        """Eight processes store at once: for one account, or for one each. Afterwards it is looked up what is there."""
        names = [self.fresh_name()] * WRITERS if is_same else [self.fresh_name() for _ in range(WRITERS)]
        if is_same:
            run_checked(store, store.store(names[0], token_of(names[0], 99)), limit)
        tokens = [token_of(name, version) for version, name in enumerate(names)]
        put = store.replace if is_same else store.store
        taken = run(store, [put(name, token) for name, token in zip(names, tokens)], limit)
        done = [status == 0 for status in taken.statuses]
        cell.remark("gatherings", 1)
        cell.remark("failed", done.count(False))
        if is_same:
            # One of those that ended well, whole.
            there = self.found(store, names[0], limit)
            cell.remark("wrong", not any(token.encode() in there for token, is_done in zip(tokens, done) if is_done))
        else:
            cell.remark("lost", sum(
                token.encode() not in self.found(store, name, limit) for name, token, is_done in zip(names, tokens, done) if is_done))
        if token_of(name_of(0)).encode() not in self.found(store, name_of(0), limit):
            cell.remark("broke", 1)
            self.mend(store)
        return taken

    def mend(self, store):
        """Makes a store anew that has lost what it had before."""
        if self.setups[store.name]["seconds"] > 10:
            raise Failure("lost an account that was there before")
        store.stop()
        self.mended += 1
        self.stores[store.name] = self.makers[store.name](store.name, f"{self.folder}/mended{self.mended}", self.size)
        self.stores[store.name].fill(self.options.setup_limit)

    def found(self, store, name, limit):
        taken = run(store, [store.look_up(name)], limit)
        return taken.outputs[0] if taken.statuses[0] == 0 else b""

    def document(self):
        return {"accounts": self.size, "setup": self.setups, "figures": {
            figure: {name: cell.document() for name, cell in cells.items()} for figure, cells in self.cells.items()}}


def measure(options, out):
    """All sizes, one after the other; after each, what there is so far is written."""
    facts = {"formatVersion": 1, "date": datetime.date.today().isoformat(), **machine.facts(options)}
    document = {**facts, "sizes": [], "refresh": {}}
    with tempfile.TemporaryDirectory(prefix="kf") as folder:
        floor = machine.build_floor(folder)
        keyfobs = [options.keyfob, *(also.partition("=")[2] for also in options.also)]
        machine.read_anew(floor, *(program for keyfob in keyfobs for program in machine.installed(keyfob)))
        os.chdir(folder)
        for size in map(int, options.sizes.split(",")):
            place = f"{folder}/{size}"
            os.mkdir(place)
            group = Size(options, place, floor, size)
            try:
                group.fill()
                group.measure()
            finally:
                group.stop()
            document["sizes"].append(group.document())
            document["loadAfter"] = os.getloadavg()[0]
            report.save(document, out, "whole-process")
            shutil.rmtree(place)
        if not options.only:
            document["refresh"] = refresh.measure(f"{folder}/refresh", options, progress)
        os.chdir("/")
    return document


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("keyfob", nargs="?")
    parser.add_argument("--also", action="append", default=[])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--brief", action="store_true")
    parser.add_argument("--sizes")
    parser.add_argument("--only")
    parser.add_argument("--figures", default=",".join(FIGURES))
    parser.add_argument("--rounds", type=int)
    # What is said beside Keyfob's version, such as its commit.
    parser.add_argument("--build")
    # How long a program's part of a figure may take, one run of it, and to set its accounts up.
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--limit", type=float)
    parser.add_argument("--setup-limit", type=float)
    parser.add_argument("--render")
    parser.add_argument("--out")
    parser.add_argument("--write-readme", action="store_true")
    options = parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    out = report.folder(options.out or f"{here}/results")
    if options.render:
        with open(options.render, encoding="utf-8") as file:
            document = json.load(file)
    elif options.keyfob:
        options.keyfob = os.path.abspath(options.keyfob)
        options.sizes = options.sizes or ("10,1000" if options.quick else "10,1000,10000,100000")
        options.rounds = options.rounds or (10 if options.quick else 100)
        options.seconds = options.seconds or (3 if options.quick or options.brief else 10)
        options.limit = options.limit or (30 if options.quick or options.brief else 120)
        options.setup_limit = options.setup_limit or (60 if options.quick or options.brief else 600)
        document = measure(options, out)
    else:
        parser.error("KEYFOB is missing")
    report.write(document, out, here if options.write_readme else None)


if __name__ == "__main__":
    main()
