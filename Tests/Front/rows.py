"""Rows of a vault replaced by older ones, exchanged, removed and brought back by SQL alone, by somebody who has no key: the
front gives the right token or hands on, and every other way to a token gives the right one or says that the vault is damaged."""

import collections
import contextlib
import os
import pathlib
import random
import shutil
import sqlite3

from doors import DAMAGED, Agent, Library, helpers
from place import Answer, Home, Runner, Trouble, cache

TABLES = {"header": "id", "second_header": "id", "records": "id", "secrets": "id", "nodes": "id", "manifests": "group_id",
          "record_counts": "group_id"}
TOGETHER = [["records", "secrets"], ["records", "secrets", "nodes"], ["nodes"], ["manifests"], ["manifests", "nodes"]]
# The large vault: its accounts, how many of them are asked for, and how many attacks are tried on it.
LARGE, ASKED, COUNT = 3_000, 40, 20_000
SMALL_SAMPLE, LARGE_SAMPLE = 60, 200
# Of how many answers of the front to attacks on the large vault, that are right, the full program is asked about one.
SHARE = 25


def literal(value):
    return f"x'{value.hex()}'" if isinstance(value, bytes) else str(value)


def put_back(table, row):
    """The SQL that gives a row what an older copy of the file has in it."""
    return f"INSERT OR REPLACE INTO main.{table} SELECT * FROM old.{table} WHERE {TABLES[table]} = {row}"


class Vault:
    """A vault with a past, and copies of its file as somebody has them who could read it now and then."""

    def __init__(self, base, name, programs):
        self.home, self.programs = Home(base / name, programs.full), programs
        self.home.folder.mkdir()
        self.home.make()
        self.database = self.home.vault / "keyring.db"
        self.old, self.changes = [], 0

    def keep(self, database=None):
        self.old.append(self.home.folder / f"old{len(self.old)}.db")
        shutil.copy(database or self.database, self.old[-1])

    def settle(self):
        """Remembers the present state as the one that attacks begin with."""
        state = self.home.state
        self.files = {path: path.read_bytes() for path in [self.database, *state.glob("*.mark"), state / "places"]}

    def keys(self, table, database=None):
        with contextlib.closing(sqlite3.connect(database or self.database)) as connection:
            return [literal(key) for (key,) in connection.execute(f"SELECT {TABLES[table]} FROM {table}")]

    def attack(self, sql, old=()):
        """Whether the statements could be run; `old` are copies that they name old."""
        connection = sqlite3.connect(self.database, isolation_level=None)
        try:
            for number in old:
                connection.execute("ATTACH ? AS old", [str(self.old[number])])
            connection.execute("BEGIN")
            for statement in sql.split(";"):
                connection.execute(statement)
            connection.execute("COMMIT")
            return True
        except sqlite3.Error:
            return False
        finally:
            connection.close()

    def restore(self):
        for path, content in self.files.items():
            path.write_bytes(content)
        # SQLite's count of changes never returns to what it was, or the agent would take pages for those that it has read.
        self.changes += 1_000
        with open(self.database, "r+b") as file:
            for place in [24, 92]:
                file.seek(place)
                file.write(self.changes.to_bytes(4, "big"))
        pathlib.Path(f"{self.database}-journal").unlink(missing_ok=True)


class Small(Vault):
    """One of which every row is tried with all that it ever was, and with rows of a twin and of a stranger."""

    def __init__(self, base, programs):
        super().__init__(base, "rows", programs)
        self.project = self.home.folder / "project"
        self.project.mkdir()
        self.add = ["add", "-q", "--host", "git.example", "-a"]
        steps = [
            ([*self.add, "ada"], "first-of-ada"), ([*self.add, "bob"], "first-of-bob"), ([*self.add, "eve"], "first-of-eve"),
            (["group", "create", "-q", "work"], ""), (["bind", "-q", "--directory", str(self.project), "ada"], ""),
            (["bind", "-q", "--directory", str(self.project), "bob"], ""), ([*self.add, "ada"], "second-of-ada"),
            (["account", "label", "-q", "bob", "b"], ""), (["account", "remove", "-q", "--force", "--forever", "eve"], ""),
            ([*self.add, "carol", "--group", "work"], "first-of-carol")]
        for place, (words, given) in enumerate(steps):
            self.keep()
            self.home.run(*words, given=given)
            if place == 4:
                self.twin = Home(base / "twin", programs.full)
                self.twin.take(self.home)
        self.agent = Agent(self.home)
        self.foreign()
        self.settle()

    def foreign(self):
        """Copies of a vault with the same keys that went its own way, and of another vault of the same owner."""
        self.twin.run(*self.add, "ada", given="of-the-twin")
        self.keep(self.twin.vault / "keyring.db")
        stranger = Home(self.home.folder.parent / "stranger", self.programs.full)
        stranger.folder.mkdir()
        stranger.make()
        for name in ["ada", "bob", "eve"]:
            stranger.run(*self.add, name, given="of-the-stranger")
        self.keep(stranger.vault / "keyring.db")

    def attacks(self):
        """What is done, in words and in SQL."""
        for table, column in TABLES.items():
            values = self.keys(table)
            for place, value in enumerate(values):
                yield f"{table}: removed", f"DELETE FROM {table} WHERE {column} = {value}", []
                for other in values[place + 1:]:
                    spare = "-1" if column == "id" else "x'00'"
                    moves = [(value, spare), (other, value), (spare, other)]
                    yield f"{table}: exchanged", ";".join(
                        f"UPDATE {table} SET {column} = {new} WHERE {column} = {old}" for old, new in moves), []
        for number, old in enumerate(self.old):
            for table in TABLES:
                for value in self.keys(table, old):
                    yield f"{table}: put back", put_back(table, value), [number]
                    if table == "records":
                        yield "records: put back with their secrets", ";".join([
                            put_back(table, value), f"DELETE FROM main.secrets WHERE id = {value}",
                            put_back("secrets", value)]), [number]
            for tables in TOGETHER:
                yield f"{', '.join(tables)}: all put back", ";".join(
                    f"DELETE FROM main.{table}; INSERT INTO main.{table} SELECT * FROM old.{table}" for table in tables
                ), [number]

    def ways(self, library, ask):
        """Each way to ask the full program: its name, and what asks."""
        names = ["ada", "bob", "eve", "b", "carol"]
        full = self.programs.full
        found = {f"token {name}": lambda name=name: ask(full, ["token", "-a", name]) for name in names}
        found |= {"token": lambda: ask(full, ["token"]), "bindings": lambda: ask(full, ["bindings", "--json"]),
                  "exec": lambda: ask(full, ["exec", "--env", "T", "-a", "ada", "--", "sh", "-c", "echo $T"])}
        for tool, asked in helpers(full, self.home.environment).items():
            found |= {f"{tool} {name}": lambda asked=asked, name=name: asked(name) for name in ["ada", "bob", "eve"]}
        found |= {f"agent {name}": lambda name=name: self.agent.ask(name) for name in ["ada", "bob", "eve"]}
        if library:
            linked = Library(self.home, library)
            found |= {f"library {name}": lambda name=name: linked.ask(name) for name in ["ada", "bob", "eve"]}
        return found


class Tally:
    """What came out, and what should not have."""

    def __init__(self, handed_on):
        self.handed_on, self.counts, self.wrong = handed_on, collections.Counter(), []

    def front(self, what, right, answer):
        """Whether the front was right to give an answer, or to give none."""
        if answer == self.handed_on:
            self.counts["front", "handed on"] += 1
        elif right.status == 0 and (answer.status, answer.output) == (0, right.output):
            self.counts["front", "right"] += 1
        else:
            self.wrong.append(f"the front: {what}: {answer}")

    def full(self, way, what, right, answer):
        kind = way.partition(" ")[0]
        if (answer.status, answer.output) == (right.status, right.output):
            self.counts[kind, "right"] += 1
        elif answer.status == DAMAGED and answer.errors and not answer.output.strip().startswith(b"first"):
            self.counts[kind, "damage"] += 1
        else:
            self.wrong.append(f"{way}: {what}: {answer}")

    def report(self, name, tried):
        print(f"rows: {tried} attacks on {name}")
        for (kind, outcome), count in sorted(self.counts.items()):
            print(f"  {kind:10} {outcome:10} {count}")
        for line in self.wrong[:20]:
            print(f"  {line}")
        print(f"  {len(self.wrong)} wrong answers")
        return len(self.wrong)


def small(options, base, programs):
    runner = Runner()
    vault = Small(base, programs)
    os.chdir(vault.project)

    def ask(program, words):
        return runner.run(program, words, vault.home.environment, 60)

    try:
        ways = vault.ways(options.library, ask)
        right = {way: ways[way]() for way in ways}
        vault.restore()
        tokens = [right[way].output.strip() for way in ["token ada", "token bob", "token eve", "token", "agent ada"]]
        if tokens != [b"second-of-ada", b"first-of-bob", b"", b"first-of-bob", b"second-of-ada"]:
            raise Trouble(f"the vault gives other answers than it should: {tokens} {right['agent ada']}")
        attacks = list(vault.attacks())
        generator = random.Random(options.seed)
        chosen = generator.sample(attacks, min(len(attacks), SMALL_SAMPLE)) if options.sample else attacks
        tally, tried = Tally(programs.handed_on), 0
        for name, sql, old in chosen:
            if not vault.attack(sql, old):
                vault.restore()
                continue
            tried += 1
            what = f"{name}: {sql} {old}"
            for way in ways:
                if way.startswith("token"):
                    words = ["token", *(["-a", way.split()[1]] if " " in way else [])]
                    tally.front(f"{way}: {what}", right[way], ask(programs.alone, words))
            for way in generator.sample(list(ways), 3) if options.sample else ways:
                tally.full(way, what, right[way], ways[way]())
            vault.restore()
        return tally.report(f"a small vault, of {len(attacks)}", tried)
    finally:
        vault.agent.end()


class Large(Vault):
    """One with so many accounts that the lookup tree is deep, some of which are asked for."""

    def __init__(self, base, programs, accounts, asked):
        super().__init__(base, "many", programs)
        for round in ["first", "second"]:
            text = cache([f"{round}-{number}" for number in range(accounts)])
            self.home.run("import", "-q", "-", given=text)
            self.keep()
        self.rows = {}
        for number in random.Random(accounts).sample(range(accounts), asked):
            before = self.content()
            self.home.run("account", "label", "-q", f"person{number}@t.example", f"l{number}")
            after = self.content()
            self.rows[number] = self.touched(before, after)
            if len(self.rows) % 8 == 0:
                self.keep()
        self.settle()

    def content(self):
        """Each record's version and index by its row, and each node's bytes by its number."""
        with contextlib.closing(sqlite3.connect(self.database)) as connection:
            records = {row: rest for row, *rest in connection.execute("SELECT id, stamp, account_index FROM records")}
            return records, dict(connection.execute("SELECT id, bytes FROM nodes"))

    @staticmethod
    def touched(before, after):
        """The rows of the account that was changed in between, and the nodes that lead to them."""
        changed = next(rest[1] for row, rest in after[0].items() if before[0].get(row) != rest and rest[1])
        records = [row for row, rest in after[0].items() if rest[1] == changed]
        return records, [node for node, content in after[1].items() if before[1].get(node) != content]

    def attack_at_random(self, generator, number):
        """One that concerns the rows of an account, or the nodes that lead to it."""
        records, nodes = self.rows[number]
        table = generator.choice(["records", "secrets", "both", "nodes", "manifests"])
        if table == "manifests":
            return "manifests: put back", put_back(table, self.keys(table)[0]), [self.some(generator)]
        tables = ["records", "secrets"] if table == "both" else [table]
        row = generator.choice(nodes if table == "nodes" else records)
        other = generator.choice(self.everything[table if table == "nodes" else "records"])
        kind = generator.choice(["removed", "put back", "exchanged", "another's"])
        if kind == "removed":
            return f"{table}: removed", ";".join(f"DELETE FROM {name} WHERE id = {row}" for name in tables), []
        if kind == "put back":
            return f"{table}: put back", ";".join(put_back(name, row) for name in tables), [self.some(generator)]
        if kind == "exchanged":
            return f"{table}: exchanged", ";".join(
                f"UPDATE {name} SET id = {new} WHERE id = {old}" for name in tables
                for old, new in [(row, -1), (other, row), (-1, other)]), []
        # All but the row's place is another's.
        columns = {"records": "record, group_id, kind, flags, epoch, stamp, device, account_index, credential_index, "
                              "username_index, label_index, secret_commitment, attributes, change",
                   "secrets": "bytes", "nodes": "bytes"}
        return f"{table}: another's", ";".join(
            f"DELETE FROM {name} WHERE id = {row}; INSERT INTO {name} (id, {columns[name]}) "
            f"SELECT {row}, {columns[name]} FROM {name} WHERE id = {other}" for name in tables), []

    def some(self, generator):
        return generator.randrange(len(self.old))


def large(options, base, programs):
    runner = Runner()
    vault = Large(base, programs, 300 if options.sample else LARGE, 8 if options.sample else ASKED)
    vault.everything = {table: vault.keys(table) for table in ["records", "nodes"]}
    generator = random.Random(options.seed)

    def ask(program, number):
        return runner.run(program, ["token", "-a", f"person{number}@t.example"], vault.home.environment, 60)

    tally, tried = Tally(programs.handed_on), 0
    while tried < (LARGE_SAMPLE if options.sample else COUNT):
        number = generator.choice(list(vault.rows))
        name, sql, old = vault.attack_at_random(generator, number)
        if not vault.attack(sql, old):
            vault.restore()
            continue
        tried += 1
        right = Answer(0, f"second-{number}\n".encode(), b"")
        what = f"person{number}: {name}: {sql} {old}"
        answer = ask(programs.alone, number)
        tally.front(what, right, answer)
        if generator.randrange(SHARE) == 0:
            tally.full("token", what, right, ask(programs.full, number))
        vault.restore()
    return tally.report(f"a vault with {LARGE if not options.sample else 300} accounts", tried)


def run(options, base, programs):
    return small(options, base, programs) + large(options, base, programs)
