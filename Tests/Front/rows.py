"""Rows of a small vault replaced by older ones, exchanged, removed and brought back by SQL alone: the front gives the right
token or hands on, and the full program gives the right answer or says that the vault is damaged."""

import collections
import os
import pathlib
import random
import shutil
import sqlite3

from place import Home, Runner, Trouble

TABLES = {"header": "id", "second_header": "id", "records": "id", "secrets": "id", "nodes": "id", "manifests": "group_id",
          "record_counts": "group_id"}
TOGETHER = [["records", "secrets"], ["records", "secrets", "nodes"], ["nodes"], ["manifests"], ["manifests", "nodes"]]
DAMAGED = 65


def literal(value):
    return f"x'{value.hex()}'" if isinstance(value, bytes) else str(value)


class Vault:
    """A vault with a past: of each change a copy of the file as it was before."""

    def __init__(self, base, programs):
        self.home, self.programs = Home(base / "rows", programs.full), programs
        self.home.folder.mkdir()
        self.home.make()
        self.database = self.home.vault / "keyring.db"
        self.project, self.old = self.home.folder / "project", []
        self.project.mkdir()
        add = ["add", "-q", "--host", "git.example", "-a"]
        steps = [
            ([*add, "ada"], "first of ada"), ([*add, "bob"], "first of bob"), ([*add, "eve"], "first of eve"),
            (["group", "create", "-q", "work"], ""), (["bind", "-q", "--directory", str(self.project), "ada"], ""),
            (["bind", "-q", "--directory", str(self.project), "bob"], ""), ([*add, "ada"], "second of ada"),
            (["account", "label", "-q", "bob", "b"], ""), (["account", "remove", "-q", "--force", "--forever", "eve"], ""),
            ([*add, "carol", "--group", "work"], "first of carol")]
        for words, given in steps:
            self.old.append(self.home.folder / f"old{len(self.old)}.db")
            shutil.copy(self.database, self.old[-1])
            self.home.run(*words, given=given)
        state = self.home.state
        self.files = {path: path.read_bytes() for path in [self.database, *state.glob("*.mark"), state / "places"]}
        self.questions = [["token", "-a", name] for name in ["ada", "bob", "eve", "b", "carol"]] + [["token"]]
        self.slow = [["bindings", "--json"], ["exec", "--env", "T", "-a", "ada", "--", "sh", "-c", "echo $T"]]

    def attacks(self):
        """What is done, in words and in SQL."""
        with sqlite3.connect(self.database) as present:
            keys = {table: [key for (key,) in present.execute(f"SELECT {column} FROM {table}")]
                    for table, column in TABLES.items()}
        for table, column in TABLES.items():
            values = [literal(key) for key in keys[table]]
            for place, value in enumerate(values):
                yield f"{table}: removed", f"DELETE FROM {table} WHERE {column} = {value}", []
                for other in values[place + 1:]:
                    spare = "-1" if column == "id" else "x'00'"
                    moves = [(value, spare), (other, value), (spare, other)]
                    yield f"{table}: exchanged", ";".join(
                        f"UPDATE {table} SET {column} = {new} WHERE {column} = {old}" for old, new in moves), []
        for number, old in enumerate(self.old):
            for table, column in TABLES.items():
                with sqlite3.connect(old) as past:
                    values = [literal(key) for (key,) in past.execute(f"SELECT {column} FROM {table}")]
                for value in values:
                    copy = f"INSERT OR REPLACE INTO main.{table} SELECT * FROM old.{table} WHERE {column} = {value}"
                    yield f"{table}: put back", copy, [number]
                    if table == "records":
                        yield "records: put back with their secrets", (
                            f"{copy}; DELETE FROM main.secrets WHERE id = {value}; "
                            f"INSERT INTO main.secrets SELECT * FROM old.secrets WHERE id = {value}"), [number]
            for tables in TOGETHER:
                yield f"{', '.join(tables)}: all put back", ";".join(
                    f"DELETE FROM main.{table}; INSERT INTO main.{table} SELECT * FROM old.{table}" for table in tables
                ), [number]

    def attack(self, sql, old):
        connection = sqlite3.connect(self.database, isolation_level=None)
        try:
            for number in old:
                connection.execute("ATTACH ? AS old", [str(self.old[number])])
            for statement in sql.split(";"):
                connection.execute(statement)
            return True
        except sqlite3.Error:
            return False
        finally:
            connection.close()

    def restore(self):
        for path, content in self.files.items():
            path.write_bytes(content)
        pathlib.Path(f"{self.database}-journal").unlink(missing_ok=True)


def run(options, base, programs):
    vault, runner = Vault(base, programs), Runner()
    os.chdir(vault.project)
    environment = vault.home.environment

    def ask(program, words):
        return runner.run(program, words, environment, 60)

    everything = [*vault.questions, *vault.slow]
    right = [ask(programs.full, words) for words in everything]
    vault.restore()
    if [answer.status for answer in right[:4]] != [0, 0, 1, 0] and right[0].output != b"second of ada\n":
        raise Trouble(f"the vault gives other answers than it should: {right[:4]}")
    attacks = list(vault.attacks())
    generator = random.Random(options.seed)
    chosen = generator.sample(attacks, min(len(attacks), 120)) if options.sample else attacks
    tally, wrong = collections.Counter(), []
    for name, sql, old in chosen:
        if not vault.attack(sql, old):
            vault.restore()
            continue
        kind = name.partition(":")[2].strip()
        for place, words in enumerate(vault.questions):
            answer = ask(programs.alone, words)
            if answer == programs.handed_on:
                tally["front", kind, "handed on"] += 1
            elif (answer.status, answer.output) == (0, right[place].output) and right[place].status == 0:
                tally["front", kind, "right"] += 1
            else:
                wrong.append(f"the front: {words}: {name}: {sql} {old}: {answer}")
        asked = range(len(everything)) if not options.sample else generator.sample(range(len(everything)), 2)
        for place in asked:
            answer = ask(programs.full, everything[place])
            if (answer.status, answer.output) == (right[place].status, right[place].output):
                tally["full", kind, "right"] += 1
            elif answer.status == DAMAGED and answer.errors and not answer.output:
                tally["full", kind, "damage"] += 1
            else:
                wrong.append(f"the full program: {everything[place]}: {name}: {sql} {old}: {answer}")
        vault.restore()
    print(f"rows: {len(chosen)} of {len(attacks)} attacks")
    for (program, kind, outcome), count in sorted(tally.items()):
        print(f"  {program:5} {kind:32} {outcome:10} {count}")
    for line in wrong[:20]:
        print(f"  {line}")
    print(f"  {len(wrong)} wrong answers")
    return len(wrong)
