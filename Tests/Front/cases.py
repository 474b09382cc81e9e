"""The odd surroundings: databases, descriptors, limits, environments, key files, file systems and installations."""

import ctypes
import dataclasses
import fcntl
import os
import pathlib
import resource
import shutil
import signal
import sqlite3
import subprocess

from place import Answer

TOKEN = b"token-of-ada-that-is-nowhere-else"
ASK = ["token", "--account", "ada"]
ANSWER = Answer(0, TOKEN + b"\n", b"")
CUT_OFF = b"keyfob: standard output took only a part\n"
CLONE_NEWNS, MS_REC, MS_PRIVATE, MS_BIND, MS_RDONLY, MS_REMOUNT = 0x20000, 0x4000, 1 << 18, 0x1000, 1, 32
LIBRARY = ctypes.CDLL(None, use_errno=True)


@dataclasses.dataclass
class Case:
    """One of the surroundings."""

    name: str
    # In the home, before anything is asked; what it returns is called afterwards, and gives what went out elsewhere.
    before: object = None
    # In the process that becomes the program; another path to it, or None.
    within: object = None
    words: list = dataclasses.field(default_factory=lambda: ASK)
    called: str = "keyfob"
    environment: list = dataclasses.field(default_factory=list)
    # Whether names may stand twice in the environment.
    repeats: bool = False
    # What may be said instead of what the full program says.
    allowed: list = dataclasses.field(default_factory=list)
    # What stands in standard output already.
    stands: bytes = b""
    # Whether it cannot say that it hands on.
    is_silent: bool = False
    is_slow: bool = False


def database(home):
    return home.vault / "keyring.db"


def sql(statement):
    def before(home):
        connection = sqlite3.connect(database(home), isolation_level=None)
        connection.executescript(statement)
        connection.close()
    return before


def killed(*statements):
    """Somebody who is killed after these statements, before the end."""
    def before(home):
        child = os.fork()
        if child == 0:
            connection = sqlite3.connect(database(home), isolation_level=None)
            for statement in statements:
                connection.execute(statement).fetchall()
            os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(child, 0)
    return before


def holding(*statements):
    """Somebody who is within a transaction all the while."""
    def before(home):
        ready, waiting = os.pipe(), os.pipe()
        child = os.fork()
        if child == 0:
            connection = sqlite3.connect(database(home), isolation_level=None)
            for statement in statements:
                connection.execute(statement).fetchall()
            os.write(ready[1], b".")
            os.close(waiting[1])
            os.read(waiting[0], 1)
            os._exit(0)
        os.read(ready[0], 1)

        def end():
            for file in [*ready, *waiting]:
                os.close(file)
            os.waitpid(child, 0)
        return end
    return before


def beside(suffix, content):
    def before(home):
        path = pathlib.Path(f"{database(home)}{suffix}")
        if content is None:
            path.mkdir()
        elif callable(content):
            content(path)
        else:
            path.write_bytes(content)
    return before


def foreign_journal(home):
    """A journal of a killed writer, of the same vault as it was before."""
    killed("PRAGMA cache_size = 1", "BEGIN", SPOIL)(home)
    journal = pathlib.Path(f"{database(home)}-journal").read_bytes()
    shutil.copy(home.folder.parent / "ready/data/keyfob/keyring.db", database(home))
    sql(CHANGE)(home)
    pathlib.Path(f"{database(home)}-journal").write_bytes(journal)


# What changes pages, and no answer; and what changes every answer.
CHANGE = "CREATE TABLE more (id); DROP TABLE more"
SPOIL = "UPDATE secrets SET bytes = zeroblob(9000)"
HOT = killed("PRAGMA cache_size = 1", "BEGIN", SPOIL, "UPDATE records SET attributes = zeroblob(9000)")
JOURNAL = bytes.fromhex("d9d505f920a163d7")


def databases():
    yield Case("a hot journal", HOT)
    yield Case("a hot journal, no account named", HOT, words=["token"])
    yield Case("a journal of before", foreign_journal)
    yield Case("a transaction that was killed before it wrote", killed("BEGIN IMMEDIATE", SPOIL))
    for name, content in [
            ("empty", b""), ("of one byte", b"\0"), ("emptied", bytes(512)), ("of noise", os.urandom(20_000)),
            ("that has begun", JOURNAL + bytes(504)), ("of no pages", JOURNAL + bytes(20_000)), ("that is a folder", None),
            ("that leads nowhere", lambda path: path.symlink_to("nowhere")),
            ("that leads to it", lambda path: path.symlink_to("keyring.db")),
            ("that is a pipe", lambda path: os.mkfifo(path, 0o600))]:
        for suffix in ["-journal", "-wal", "-shm"]:
            if not (name == "that is a pipe" and suffix == "-journal"):
                yield Case(f"a {suffix[1:]} {name}", beside(suffix, content))
    yield Case("WAL", sql("PRAGMA journal_mode = WAL"))
    yield Case("WAL with changes", killed("PRAGMA journal_mode = WAL", *CHANGE.split(";")))
    yield Case("WAL in which all is changed", killed("PRAGMA journal_mode = WAL", SPOIL))
    yield Case("WAL with changes that are not done",
               killed("PRAGMA journal_mode = WAL", "PRAGMA cache_size = 1", "BEGIN", SPOIL))
    yield Case("WAL in use", holding("PRAGMA journal_mode = WAL", "BEGIN", "SELECT * FROM records"))
    yield Case("persistent journal", killed("PRAGMA journal_mode = PERSIST", *CHANGE.split(";")))
    yield Case("truncated journal", killed("PRAGMA journal_mode = TRUNCATE", *CHANGE.split(";")))
    yield Case("a reader", holding("BEGIN", "SELECT * FROM records"))
    yield Case("a writer who has not written", holding("BEGIN IMMEDIATE"))
    yield Case("a writer", holding("BEGIN IMMEDIATE", SPOIL))
    yield Case("a writer with all locks", holding("BEGIN EXCLUSIVE"), is_slow=True)
    yield Case("a writer who has spilled", holding("PRAGMA cache_size = 1", "BEGIN", SPOIL), is_slow=True)
    for version in [0, 2, 1 << 20, -1]:
        yield Case(f"version {version}", sql(f"PRAGMA user_version = {version}"))
    yield Case("a newer vault with another table", sql("PRAGMA user_version = 2; CREATE TABLE more (id)"))
    yield Case("another program's file", sql("PRAGMA application_id = 7"))
    yield Case("no database", lambda home: database(home).unlink())
    yield Case("an empty database", lambda home: database(home).write_bytes(b""))
    yield Case("no header's copy", lambda home: (home.vault / "header.copy").unlink())
    yield Case("a vault in another folder", lambda home: (home.vault.rename(home.folder / "elsewhere"),
               home.environment.update(KEYFOB_VAULT=f"{home.folder}/elsewhere"), None)[2])


def output(kind):
    """Standard output of some kind, and what came out of it."""
    def before(home):
        path = home.folder / "output"
        if kind.startswith("file"):
            path.write_bytes(b"before\n")
            return lambda: path.read_bytes()
        read, write = os.pipe()
        fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
        os.set_inheritable(write, True)
        room = {"pipe": 4096, "full": 0, "nearly full": 10, "gone": 4096, "gone, ignored": 4096}[kind]
        os.write(write, b"." * (4096 - room))
        if kind.startswith("gone"):
            os.close(read)
        else:
            os.set_blocking(read, False)
        home.write = write

        def end():
            os.close(write)
            if kind.startswith("gone"):
                return b""
            found = os.read(read, 1 << 20)
            os.close(read)
            return found
        return end

    def within(place, _):
        if kind.startswith("file"):
            flags = {"file": os.O_WRONLY, "file, appended": os.O_WRONLY | os.O_APPEND, "file, read": os.O_RDONLY,
                     "file, short": os.O_WRONLY | os.O_TRUNC}[kind]
            os.dup2(os.open(place.home.folder / "output", flags), 1)
            if kind == "file, short":
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
            return
        os.dup2(place.home.write, 1)
        if "full" in kind:
            os.set_blocking(1, False)
        if kind == "gone, ignored":
            signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    stands = {"full": b"." * 4096, "nearly full": b"." * 4086, "file": b"before\n", "file, appended": b"before\n",
              "file, read": b"before\n"}
    return {"before": before, "within": within, "stands": stands.get(kind, b"")}


def closed(*files):
    def within(*_):
        for file in files:
            os.close(file)
    return within


def limited(name, value):
    return lambda *_: resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))


def as_nobody(_, program):
    os.setresuid(65534, 65534, 65534)
    if not os.access(program, os.X_OK):
        raise PermissionError(f"other users cannot start {program}")


def onto(file, path, flags=os.O_WRONLY):
    return lambda *_: os.dup2(os.open(path, flags), file)


def descriptors():
    for files in [(0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)]:
        yield Case(f"closed {files}", within=closed(*files), is_silent=2 in files)
    yield Case("standard output is a folder", within=onto(1, "/", os.O_RDONLY))
    yield Case("standard output is /dev/full", within=onto(1, "/dev/full"))
    yield Case("standard output is /dev/null", within=onto(1, "/dev/null"))
    yield Case("standard error is /dev/full", within=onto(2, "/dev/full"), is_silent=True)
    yield Case("standard output is the database", within=onto(1, "data/keyfob/keyring.db", os.O_RDONLY))
    for kind in ["file", "file, appended", "file, read", "pipe", "gone", "gone, ignored"]:
        yield Case(f"standard output: {kind}", **output(kind))
    yield Case("standard output: a full pipe", **output("full"))
    yield Case("standard output: room for ten bytes in a pipe", **output("nearly full"),
               allowed=[Answer(74, b"." * 4086 + TOKEN[:10], CUT_OFF), Answer(74, b"." * 4086, CUT_OFF)])
    yield Case("standard output: room for ten bytes, a long token", words=["token", "-a", "long"], **output("nearly full"),
               allowed=[Answer(74, b"." * 4086 + b"l" * 10, CUT_OFF), Answer(74, b"." * 4086, CUT_OFF)])
    yield Case("standard output: a short file", **output("file, short"), allowed=[Answer(74, TOKEN[:10], CUT_OFF)])
    for name, values in [
            ("NOFILE", range(3, 10)), ("CORE", [1 << 30]), ("MEMLOCK", [0, 4096]), ("STACK", [1 << 17, 1 << 20]),
            ("FSIZE", [0]), ("CPU", [100]), ("AS", [1 << 28, 1 << 26, 1 << 24]), ("DATA", [1 << 26, 1 << 22])]:
        for value in values:
            # The front needs less than the full program does.
            yield Case(f"limit {name} {value}", within=limited(name, value), allowed=[ANSWER], is_silent=name == "FSIZE")
    yield Case("all signals blocked", within=lambda *_: signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)) and None)
    yield Case("signals ignored", within=lambda *_: [signal.signal(each, signal.SIG_IGN) for each in [1, 2, 13, 15]])
    yield Case("no umask", within=lambda *_: os.umask(0) and None)
    yield Case("a folder that is gone", within=lambda *_: (os.mkdir("gone"), os.chdir("gone"), os.rmdir("../gone"), None)[3])
    if os.getuid() == 0:
        yield Case("another user", within=as_nobody)
        yield Case("another group", within=lambda *_: os.setresgid(65534, 65534, 65534))


def words():
    yield Case("1,000 words", words=[*ASK, *["x"] * 1000])
    yield Case("100,000 words", words=[*ASK, *["x"] * 100_000])
    yield Case("1,000 options", words=[*ASK, *["--quiet"] * 1000])
    yield Case("1,000 accounts", words=["token", *["--account", "ada"] * 1000])
    yield Case("a word of 100 KB", words=["token", "--account", "a" * 100_000])
    for word in [b"\xff", b"ada\xc0\x80", "", " ", "ada\n", "ad", "--", "-", "ada\u0301", "ADA", "ada@git.example"]:
        yield Case(f"the name {word!r}", words=["token", "--account", word])
    for line in [
            "", "tok -a ada", "token", "token -a", "token -aada", "token --account=ada", "token ada", "token -h",
            "token -a ada -a ada", "token -a ada --header --header", "token -a ada --min-validity 0300",
            "token -a ada --min-validity +1", "token -a ada --min-validity 99999999999999999999", "token -a ada --scope x",
            "token -a ada --group default", "token -a ada --group work", "token -a person1@t.example --scope mail.read",
            "token -a person1@t.example -s MAIL.read", "token -a person1@t.example --resource https://x.example",
            "token -a person1@t.example --url https://login.microsoftonline.com/x"]:
        yield Case(f"keyfob {line}", words=line.split())
    yield Case("no group", words=[*ASK, "--group", ""])
    for called in ["", "git", "-keyfob", "/usr/bin/keyfob", "x" * 100_000, "a\nb", b"\xff"]:
        yield Case(f"called {called[:20]!r}", called=called)
    big = ["B%d=%s" % (number, "x" * 120_000) for number in range(17)]
    yield Case("an environment of 2 MB", environment=big, within=limited("STACK", 1 << 26))
    many = [f"V{number}=x" for number in range(50_000)]
    yield Case("50,000 variables", environment=many, within=limited("STACK", 1 << 26))
    for entry in [
            "KEYFOB_ACCOUNT=ada", "KEYFOB_ACCOUNT=nobody", "HOME=relative", "HOME=", "XDG_DATA_HOME=",
            "XDG_DATA_HOME=data", "XDG_STATE_HOME=", "XDG_STATE_HOME={home}/other", "XDG_RUNTIME_DIR=",
            "KEYFOB_VAULT={home}/data/../data//keyfob/", "KEYFOB_VAULT=data/keyfob", "KEYFOB_VAULT=.",
            "KEYFOB_VAULT=", b"KEYFOB_VAULT=\xff", "KEYFOB_GROUP=default", "KEYFOB_GROUP=", "KEYFOB_GROUP=work",
            "KEYFOB_KEY_FILE=", "KEYFOB_KEY_FILE=key", "KEYFOB_KEY_FILE=nowhere", "KEYFOB_KEY_FILE=/dev/null",
            "KEYFOB_KEY_FILE=/dev/zero", "KEYFOB_KEY_FILE=/dev/stdin", "KEYFOB_KEY_FILE=.",
            "KEYFOB_KEY_FILE=/proc/self/cmdline", "KEYFOB_KEY_FILE={home}/data/keyfob/header.copy",
            "LD_PRELOAD=nothing.so", "LD_LIBRARY_PATH=/nowhere", "GLIBC_TUNABLES=glibc.malloc.perturb=85",
            "MALLOC_PERTURB_=85", "LC_ALL=tr_TR.UTF-8", "TZ=Mars", "no-value", "=x", b"\xff=\xff"]:
        yield Case(f"environment {entry!r}", environment=[entry])
        yield Case(f"environment {entry!r}, no account named", environment=[entry], words=["token"])
    for entries in [["KEYFOB_ACCOUNT=ada", "KEYFOB_ACCOUNT=long"], ["KEYFOB_KEY_FILE=nowhere"],
                    ["KEYFOB_VAULT=x", "KEYFOB_VAULT="], ["CREDENTIALS_DIRECTORY={home}", "KEYFOB_KEY_FILE=key"]]:
        yield Case(f"environment {entries}", environment=entries, repeats=True)


# What may have become of accounts, as commands of the full program, each with what it is given.
FATES = {
    "as they are": [],
    "ada signed out": [("logout -q --offline ada", "")],
    "ada removed": [("account remove -q --force --forever ada", "")],
    "ada bound": [("bind -q --url https://git.example/Team ada", ""), ("bind -q --host git.example long", "")],
    "ada bound and signed out": [("bind -q --host git.example ada", ""), ("logout -q --offline ada", "")],
    "ada bound and removed": [("bind -q --host git.example ada", ""), ("account remove -q --force --forever ada", "")],
    "ada the default": [("account default -q ada", "")],
    "ada the default and signed out": [("account default -q ada", ""), ("logout -q --offline ada", "")],
    "ada the default and removed": [("account default -q ada", ""), ("account remove -q --force --forever ada", "")],
    "ada taken back": [("account default -q ada", ""), ("account remove -q --force --forever --unbind ada", "")],
    "others at GitHub": [("add -q -a Ąda --host github.com", "other"), ("add -q -a adam --host github.com", "third"),
                         ("bind -q --url https://github.com/Contoso adam", "")],
}
QUESTIONS = [
    "token", "token --url https://git.example/ada/x", "token --url https://git.example/ADA/x",
    "token --url https://git.example/team/x", "token --url https://git.example/Team/x", "token --url https://ada@git.example",
    "token --url https://ad@git.example", "token --url https://oauth2@git.example/ada/x", "token --url https://a:b@git.example",
    "token -a long --url https://ada@git.example", "token -a ada --url https://ada@git.example", "token -a ad", "token -a ADA",
    "token -a ąda", "token -a A\u0328DA", "token --url https://github.com/ĄDA/x", "token --url https://github.com/%C4%85da/x",
    "token --url https://github.com/cONTOSO/x", "token --url https://adam@github.com/contoso/x",
]


def choices():
    for fate, commands in FATES.items():
        def before(home, commands=commands):
            for line, given in commands:
                home.run(*line.split(), given=given)
        for line in QUESTIONS:
            yield Case(f"{fate}: {line}", before, words=line.split())
        for line in QUESTIONS[:6]:
            yield Case(f"{fate}: {line}, KEYFOB_ACCOUNT", before, words=line.split(), environment=["KEYFOB_ACCOUNT=long"])


def fed(home):
    """A pipe in the place of the key file, and somebody who writes the key into it."""
    key = home.folder / "key"
    content = key.read_bytes()
    key.unlink()
    os.mkfifo(key, 0o600)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        with open(key, "wb") as pipe:
            pipe.write(content)
        os._exit(0)

    def end():
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return end


def key_files():
    def change(name, action):
        def before(home):
            return action(home, home.folder / "key")
        return Case(f"key file: {name}", before)

    yield Case("key file: a pipe that somebody writes", fed)
    yield change("a link", lambda home, key: (key.rename(home.folder / "real"), key.symlink_to("real"), None)[2])
    yield change("a link to itself", lambda home, key: (key.unlink(), key.symlink_to("key"), None)[2])
    yield change("two names", lambda home, key: os.link(key, home.folder / "second"))
    yield change("a folder", lambda home, key: (key.unlink(), key.mkdir(), None)[2])
    for length in [0, 1, 31, 33, 4096, 1 << 20, (1 << 20) + 1]:
        yield change(f"{length} bytes", lambda home, key, length=length: key.write_bytes(b"k" * length) and None)
    for mode in [0o400, 0o000, 0o640, 0o604, 0o700]:
        yield change(f"mode {mode:o}", lambda home, key, mode=mode: key.chmod(mode))
    for mode in [0o755, 0o770, 0o1777, 0o500]:
        yield Case(f"vault's folder: mode {mode:o}", lambda home, mode=mode: home.vault.chmod(mode))
        yield Case(f"state's folder: mode {mode:o}", lambda home, mode=mode: home.state.chmod(mode))
    for mode in [0o400, 0o644, 0o666, 0o000]:
        yield Case(f"database: mode {mode:o}", lambda home, mode=mode: database(home).chmod(mode))


def mounted(kind, options=None):
    """A file system of its own for the home, in a mount namespace that ends with the process."""
    def mount(source, target, kind, flags, data=None):
        if LIBRARY.mount(source and os.fsencode(source), os.fsencode(target), kind and kind.encode(), flags,
                         data and data.encode()):
            raise OSError(ctypes.get_errno(), f"{kind or 'mount'}: {os.strerror(ctypes.get_errno())}")

    def within(place, program):
        home, copy = place.home.folder, place.base / f"copy-{os.getpid()}"
        if LIBRARY.unshare(CLONE_NEWNS):
            raise OSError(ctypes.get_errno(), f"no mount namespace: {os.strerror(ctypes.get_errno())}")
        mount("none", "/", None, MS_REC | MS_PRIVATE)
        os.chdir("/")
        if kind == "read-only":
            mount(home, home, None, MS_BIND)
            mount("none", home, None, MS_BIND | MS_REMOUNT | MS_RDONLY)
        elif kind == "no /proc":
            mount("none", "/proc", "tmpfs", 0)
        elif kind == "overlay":
            # What is above must be in a file system that can keep it.
            mount("none", "/mnt", "tmpfs", 0, "mode=700")
            for name in ["upper", "work"]:
                os.mkdir(f"/mnt/{name}")
            mount("none", home, "overlay", 0, f"lowerdir={home},upperdir=/mnt/upper,workdir=/mnt/work")
        else:
            shutil.copytree(home, copy, symlinks=True)
            if kind in ("tmpfs", "ramfs"):
                mount("none", home, kind, 0, "mode=700")
            else:
                image = f"{copy}.image"
                with open(image, "wb") as file:
                    file.truncate(320 << 20)
                made = subprocess.run([f"mkfs.{kind}", "-q", image], capture_output=True)
                if made.returncode:
                    raise OSError(f"mkfs.{kind}: {made.stderr[:80]}")
                done = subprocess.run(["mount", "-o", "loop", image, str(home)], capture_output=True, text=True)
                if done.returncode:
                    raise OSError(done.stderr.strip())
                os.chmod(home, 0o700)
            shutil.copytree(copy, home, symlinks=True, dirs_exist_ok=True)
            shutil.rmtree(copy)
        os.chdir(home)
    return within


def file_systems():
    for kind in ["tmpfs", "ramfs", "overlay", "read-only", "ext4", "xfs", "btrfs"]:
        is_slow = kind in ("ext4", "xfs", "btrfs")
        yield Case(f"file system: {kind}", within=mounted(kind), is_slow=is_slow)
        yield Case(f"file system: {kind}, a hot journal", HOT, within=mounted(kind), is_slow=is_slow)
    untold = b"keyfob: the system does not tell where keyfob is installed (is /proc there?)\n"
    yield Case("no /proc", within=mounted("no /proc"), allowed=[ANSWER, Answer(69, b"", untold)])


def other_names(base, programs):
    """The same programs by other names, from which the same place is found."""
    links = {}
    for kind in ["installed", "alone", "full"]:
        program = getattr(programs, kind)
        links[program] = base / f"links/{kind}"
        links[program].parent.mkdir(exist_ok=True)
        links[program].symlink_to(program)
    yield Case("through a link", within=lambda _, program: str(links[program]))
    yield Case("through /proc", within=lambda _, program: f"/proc/self/root{program}")
    yield Case("by its descriptor", within=lambda _, program: f"/proc/self/fd/{os.open(program, os.O_RDONLY)}")


def every(base, programs):
    for found in [databases(), descriptors(), words(), choices(), key_files(), file_systems(), other_names(base, programs)]:
        yield from found
