"""Damages the files of vaults, and compares what the front says with what the full program says."""

import collections
import multiprocessing
import pathlib
import random
import re
import shutil
import time

import kinds
from bench import Bench, Vault
from place import Trouble

# How many are tried in a sample, of each kind.
SAMPLE = {"flips": 600, "cuts": 40, "other files": 150, "structure": 450, "rewritten": 50, "at random": 250}
# Of how many answers, that are as before, the full program is asked about one.
ASKED_SAMPLE = 20
BLOCK = 250
GOOD = ("same", "as before", "elsewhere", "handed on")
# Shared with those who work, which are forked.
found, benches, options = [], {}, None


def make(base, programs):
    small = Vault(base, "small", programs, 2)
    large = Vault(base, "large", programs, 300 if options.sample else 3000)
    bench = Bench(large, 0)
    relevant = []
    for vault in [small, large]:
        vault.answers = []
        looked = bench if vault is large else Bench(small, 0)
        for question in range(len(vault.questions)):
            lone, full = looked.ask(question), looked.ask(question, programs.full)
            looked.restore()
            if lone != full or lone.status or lone.errors or not lone.output:
                raise Trouble(f"nothing can be tried: keyfob {' '.join(vault.questions[question])}: {lone}, {full}")
            vault.answers.append(full)
            if vault is large:
                relevant.append(large.relevant(bench, question))
                if not relevant[-1]:
                    raise Trouble(f"keyfob {' '.join(vault.questions[question])} is answered without the database")
    return [kinds.flips(small, options.every_bit), kinds.cuts(small), kinds.files(small), kinds.structure(small),
            kinds.rewritten(small), kinds.at_random(large, options.seed, options.count, relevant)]


def is_asked(kind, number):
    """Whether the full program is asked although the front prints the token of the vault without damage."""
    share = ASKED_SAMPLE if options.sample else kind.asked
    return (number * 2654435761 >> 8) % share == 0


def attempt(kind, number, worker):
    """One damage, and what became of it."""
    key = kind.vault.name
    if key not in benches:
        benches[key] = Bench(kind.vault, worker)
    bench = benches[key]
    name, edits, cut = kind.damage(number, bench)
    question = number % len(kind.vault.questions)
    return bench.verdict(question, edits, cut, is_asked(kind, number)), question, name


def work(task):
    index, numbers = task
    kind, counts, failures = found[index], collections.Counter(), []
    worker = multiprocessing.current_process()._identity[0]
    for number in numbers:
        verdict, question, name = attempt(kind, number, worker)
        counts[verdict if verdict in GOOD else "failed"] += 1
        if verdict not in GOOD:
            failures.append((number, question, name, verdict))
    benches[kind.vault.name].check()
    return index, counts, failures


def chosen(kind):
    """The numbers of those that are tried: all, or some that are the same each time."""
    numbers = list(range(kind.count))
    if options.sample and kind.count > SAMPLE[kind.name]:
        numbers = sorted(random.Random(f"{options.seed} {kind.name}").sample(numbers, SAMPLE[kind.name]))
    return [numbers[start:start + BLOCK] for start in range(0, len(numbers), BLOCK)]


def run(given, base, programs):
    global options
    options = given
    found[:] = make(base, programs)
    if options.again:
        name, number = options.again.rsplit(":", 1)
        kind = next(kind for kind in found if kind.name == name.replace("-", " "))
        verdict, question, words = attempt(kind, int(number), 1)
        print(f"keyfob {' '.join(kind.vault.questions[question])}\n{words}\n{verdict}")
        return verdict not in GOOD
    tasks = [(index, numbers) for index, kind in enumerate(found) if not options.kind or kind.name in options.kind
             for numbers in chosen(kind)]
    results = [[collections.Counter(), [], 0.0] for _ in found]
    start = time.monotonic()
    with multiprocessing.get_context("fork").Pool(options.jobs) as pool:
        for index, counts, failures in pool.imap_unordered(work, tasks):
            results[index][0].update(counts)
            results[index][1].extend(failures)
    columns = ["same", "as before", "elsewhere", "handed on", "failed"]
    print(f"{'damage':<14} {'tried':>9}" + "".join(f"{column:>11}" for column in columns))
    failed = sum((counts["failed"] for counts, _, _ in results))
    for kind, (counts, failures, _) in zip(found, results):
        print(f"{kind.name:<14} {counts.total():>9}" + "".join(f"{counts[column]:>11}" for column in columns))
        alike = collections.defaultdict(list)
        for number, question, name, verdict in sorted(failures):
            alike[re.sub(r"0x\w+|b'[^']*'", "…", verdict)[:200]].append((number, question, name, verdict))
        for same in sorted(alike.values(), key=len, reverse=True)[:20]:
            number, question, name, verdict = same[0]
            asked = " ".join(kind.vault.questions[question])
            print(f"    {len(same)}: {kind.name.replace(' ', '-')}:{number} (keyfob {asked}), {name[:300]}\n"
                  f"        {verdict[:400]}")
            if len(same) > 1:
                print("        also " + ", ".join(str(each[0]) for each in same[1:9]))
    tried = sum(counts.total() for counts, _, _ in results)
    print(f"damage: {tried} tried in {time.monotonic() - start:.0f} s, {failed} failed")
    if failed and not options.kept:
        kept = pathlib.Path(f"/var/tmp/keyfob-front-{options.seed}")
        shutil.rmtree(kept, ignore_errors=True)
        for folder in ["small-0", "large-0", "project"]:
            shutil.copytree(base / folder, kept / folder, symlinks=True)
        for name in ["small.old", "large.old"]:
            shutil.copy(base / name, kept)
        (kept / "base").write_text(str(base))
        given = f"{options.front}{f' --full {options.full}' if options.full else ''}"
        print(f"To try one again: Tests/Front/run {given} damage --from {kept} --seed {options.seed}"
              f"{' --sample' if options.sample else ''} --again NAME:NUMBER")
    return failed
