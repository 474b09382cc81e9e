"""A vault to damage, and copies of it in which that is done, tried and undone."""

import os
import pathlib

import pages
from place import NOTED, PATIENCE, SCOPE, Answer, Home, Runner, Trouble, cache

# How long a debug build of the full program may take.
FULL_PATIENCE = 60
FILES = ["data/keyfob/keyring.db", "data/keyfob/header.copy", "state/keyfob/places", "MARK", "key"]
DATABASE, COPY, PLACES, MARK, KEY = range(len(FILES))
class Vault:
    """A vault to damage, its questions, and the bytes of its files."""

    def __init__(self, base, name, programs, people):
        self.base, self.name, self.programs = pathlib.Path(base), name, programs
        self.home = Home(self.base / f"{name}-0", programs.full)
        # A binding names it: all copies ask from there.
        self.project = self.base / "project"
        if self.home.folder.exists():
            self.old = (self.base / f"{name}.old").read_bytes()
        else:
            self._make(people)
        ask = ["token", "--scope", SCOPE]
        self.questions = [
            [*ask, "--account", "person0@t.example"], ask, ["token", "--account", "big"],
            ["token", "--account", "labelled", "--header"], ["token", "--account", "carol", "--quiet"]]
        if people > 100:
            parts = range(1, 3 if people < 1000 else 7)
            self.questions += [[*ask, "--account", f"person{people * part // 7}@t.example"] for part in parts]
        mark = next(self.home.state.glob("*.mark"))
        self.paths = [str(mark.relative_to(self.home.folder)) if path == "MARK" else path for path in FILES]
        self.read(self.home)
        self.database = pages.Database(self.bytes[DATABASE], str(self.home.folder / self.paths[DATABASE]))
        size = self.database.size
        # The pages that were something else before.
        self.changed = [number for number in range(1, min(self.database.count, len(self.old) // size) + 1)
                        if self.old[self.database.start(number):][:size] != self.database.bytes(number)]

    def _make(self, people):
        home, self.project = self.home, self.base / "project"
        self.project.mkdir(exist_ok=True)
        home.folder.mkdir()
        home.make()
        for start in range(0, people, 10_000):
            home.run("import", "-q", "-", given=cache([f"token-{number}-" + "t" * 1500 for number in
                                                       range(start, min(people, start + 10_000))], start))
        home.run("group", "create", "-q", "work")
        for account, size, words in [("big", 9_000, []), ("bob", 40, ["--label", "labelled"]),
                                     ("carol", 40, ["--group", "work"])]:
            home.run("add", "-q", "-a", account, "--host", "git.example", *words, given=f"token-{account}-" + "b" * size)
        home.run("bind", "-q", "--directory", str(self.project), "person1@t.example")
        self.old = (home.vault / "keyring.db").read_bytes()
        # Later changes, so that a page of before is another one; and pages that are free.
        some = max(2, people // 100)
        for number in range(some):
            home.run("account", "label", "-q", f"person{number}@t.example", f"label{number}")
        again = [f"new-token-{number}-" + "n" * 1500 for number in range(min(people, 600))]
        home.run("import", "-q", "-", given=cache(again))
        if people > 100:
            for size in [20_000, 60_000]:
                home.run("add", "-q", "-a", f"big{size}", "--host", "git.example", given="b" * size)
            for number in range(people - 1, people - 1 - min(some, 8), -1):
                home.run("account", "remove", "-q", "--force", "--forever", f"person{number}@t.example")
        (self.base / f"{self.name}.old").write_bytes(self.old)

    def read(self, home):
        self.bytes = [(home.folder / path).read_bytes() for path in self.paths]

    def relevant(self, bench, question):
        """The pages on which an answer rests: those that cannot be emptied without changing it."""
        wanted, found = bench.ask(question), []
        waiting = [list(range(1, self.database.count + 1))]
        while waiting:
            numbers = waiting.pop()
            start = self.database.start(numbers[0])
            edits = [(DATABASE, start, bytes(len(numbers) * self.database.size))]
            with Damaged(bench, edits, None):
                is_same = bench.ask(question) == wanted
            if is_same:
                continue
            if len(numbers) == 1:
                found += numbers
            else:
                waiting += [numbers[:len(numbers) // 2], numbers[len(numbers) // 2:]]
        return sorted(found)


class Bench:
    """A copy of a vault in which one damage after the other is done and undone."""

    def __init__(self, vault, number):
        self.vault, self.runner = vault, Runner()
        self.home = Home(vault.base / f"{vault.name}-{number}", vault.programs.full)
        if number:
            self.home.take(vault.home)
        self.bytes = [(self.home.folder / path).read_bytes() for path in vault.paths]
        self.files = [os.open(self.home.folder / path, os.O_RDWR | os.O_CLOEXEC) for path in vault.paths]
        self.environment = self.home.environment
        os.chdir(vault.project)
        self.look()
        self.others = {path: pathlib.Path(path).read_bytes() for path in self.seen
                       if os.path.relpath(path, self.home.folder) not in vault.paths}

    def ask(self, question, program=None):
        programs = self.vault.programs
        return self.runner.run(program or programs.alone, self.vault.questions[question], self.environment,
                               FULL_PATIENCE if program == programs.full else PATIENCE)

    def _seen(self):
        """What tells whether somebody has written, but for which program used which token."""
        found, folders = {}, [str(self.home.folder)]
        while folders:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name != "uses":
                            folders.append(entry.path)
                    else:
                        status = entry.stat(follow_symlinks=False)
                        found[entry.path] = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_mode)
        return found

    def look(self):
        self.seen = self._seen()

    def restore(self):
        """After the full program, which mends, warns once, and learns."""
        seen = self._seen()
        for path in set(seen) - set(self.seen):
            os.unlink(path)
        for path, (_, _, _, mode) in self.seen.items():
            if seen.get(path) != self.seen[path]:
                name = os.path.relpath(path, self.home.folder)
                index = self.vault.paths.index(name) if name in self.vault.paths else None
                pathlib.Path(path).unlink(missing_ok=True)
                file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, mode & 0o777)
                os.write(file, self.others[path] if index is None else self.bytes[index])
                if index is None:
                    os.close(file)
                else:
                    os.close(self.files[index])
                    self.files[index] = file
        self.look()

    def verdict(self, question, edits, cut, is_asked):
        """What became of one damage: `same`, `handed on`, or what is wrong; `as before` where the token is that of the vault
        without damage, and the full program is not asked; `elsewhere` where it was, and stops at damage that does not matter
        to the answer."""
        programs = self.vault.programs
        with Damaged(self, edits, cut):
            before = self._seen()
            front = self.ask(question)
            has_written = self._seen() != before
        if has_written:
            # What was found of the vault's state may be noted, outside the vault; the full program says the same then.
            written = {path for path, seen in self._seen().items() if self.seen.get(path) != seen}
            wrong = [path for path in written if not path.startswith(str(self.home.state))]
            self.restore()
            if wrong:
                return f"the front has written {', '.join(os.path.relpath(path, self.home.folder) for path in wrong)}"
        if front == programs.handed_on:
            if not has_written:
                return "handed on"
            full, after = self.full(question, edits, cut), self.full(question, edits, cut, after=programs.alone)
            if full == after:
                return "handed on"
            return (f"after the front the full program says {after.errors!r} ({after.status}), "
                    f"else {full.errors!r} ({full.status})")
        if front.status is None:
            return f"it goes on for ever, after {front.output[:40]!r} {front.errors[:80]!r}"
        if front.status < 0:
            return f"it ends with signal {-front.status}"
        if front.status or front.errors or not front.output:
            return f"it ends with {front.status} and says {front.output[:40]!r} {front.errors[:200]!r}"
        if front == self.vault.answers[question] and not is_asked:
            return "as before"
        full = self.full(question, edits, cut)
        if full == front:
            return "same"
        if front == self.vault.answers[question] and full.status == 65:
            return "elsewhere"
        return f"it prints {front.output[:40]!r}; the full program {full.status} {full.output[:40]!r} {full.errors[:300]!r}"

    def check(self):
        """Makes sure that all damage was undone."""
        for question, answer in enumerate(self.vault.answers):
            if self.ask(question) != answer:
                raise Trouble(f"{self.home.folder} is not what it was")

    def full(self, question, edits, cut, after=None):
        """What the full program says of the same damage, maybe after another program."""
        with Damaged(self, edits, cut):
            if after:
                self.ask(question, after)
            answer = self.ask(question, self.vault.programs.full)
            self.restore()
        # Two warnings may come in either order.
        lines = sorted(NOTED.sub(b"TIME", answer.errors).splitlines(keepends=True))
        return Answer(answer.status, answer.output, b"".join(lines))


class Damaged:
    """Files with bytes changed, for a while."""

    def __init__(self, bench, edits, cut):
        self.bench, self.edits, self.cut = bench, edits, cut

    def __enter__(self):
        for file, place, new in self.edits:
            os.pwrite(self.bench.files[file], new, place)
        if self.cut:
            os.ftruncate(self.bench.files[self.cut[0]], self.cut[1])

    def __exit__(self, *_):
        bench = self.bench
        touched = {file for file, _, _ in self.edits} | ({self.cut[0]} if self.cut else set())
        for file, place, new in self.edits:
            os.pwrite(bench.files[file], bench.bytes[file][place:place + len(new)], place)
        if self.cut:
            file, length = self.cut
            os.pwrite(bench.files[file], bench.bytes[file][length:], length)
        for file in touched:
            if os.fstat(bench.files[file]).st_size != len(bench.bytes[file]):
                os.ftruncate(bench.files[file], len(bench.bytes[file]))
            # Of what was changed here: somebody may have put another file in its place.
            path, status = f"{bench.home.folder}/{bench.vault.paths[file]}", os.fstat(bench.files[file])
            bench.seen[path] = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_mode)
