"""Tries all ways to a token, a key, or a process that has some, which a program of the same user has.

usage: surrounded.py COMMAND… ways_to_a_token.py   prints JSON: of each way whether it led to something, or null where this machine
                                                   lets nobody go it

HOME has `work`, the current folder; `data/keyfob` with a vault that `key` opens, and the account ada with the token TOKEN-OF-ADA.
Descriptor 8 is what COMMAND had as standard input."""

import ctypes
import fcntl
import json
import mmap
import os
import pathlib
import pty
import signal
import socket
import subprocess
import time

from surrounded import MARK, appears, call, home, is_intel, libc, notes, work

vault = home / "data/keyfob"

# The ways, by their names.
WAYS = {}


def way(run):
    WAYS[run.__name__.replace("_", " ")] = run
    return run


def output(*command, **variables):
    environment = {**os.environ, **variables}
    return subprocess.run(command, env=environment, capture_output=True, timeout=60, stdin=subprocess.DEVNULL).stdout


def has_token(data):
    return b"TOKEN-OF-ADA" in data


def own(*words):
    """keyfob with the vault and its key named."""
    return ("keyfob", *words, "--vault", str(vault), "--key-file", str(home / "key"))


@way
def keyfob_as_it_is(_):
    return has_token(output("keyfob", "token", "--account", "ada"))


@way
def keyfob_with_vault_and_key_named(_):
    return has_token(output(*own("token", "--account", "ada")))


@way
def a_copy_of_keyfob(_):
    copy = work / "copy"
    copy.write_bytes(pathlib.Path(output("sh", "-c", "readlink -f $(command -v keyfob)").decode().strip()).read_bytes())
    copy.chmod(0o700)
    try:
        return has_token(output(str(copy), *own("token", "--account", "ada")[1:]))
    finally:
        copy.unlink()


@way
def keyfob_exec(_):
    return has_token(output(*own("exec", "--account", "ada", "--env", "T"), "--", "sh", "-c", "echo $T"))


@way
def keyfob_account_list(_):
    return b"ada" in output(*own("account", "list"))


@way
def keyfob_backup(_):
    output(*own("backup", "--to", str(work / "backup.age"), "--quiet"))
    return appears("backup.age")


@way
def keyfob_adding_a_key(_):
    output(*own("slot", "add", "key-file", "--new", str(work / "mine")))
    return appears("mine")


@way
def keyfob_bind(_):
    return b"yes" in output("sh", "-c", "keyfob bind -q --host evil.example ada && keyfob unbind -q --host evil.example && echo yes")


@way
def git_credential_helper(_):
    return has_token(output("sh", "-c", (
        "printf 'protocol=https\\nhost=git.example\\n\\n' | git -c credential.helper= -c credential.helper='!keyfob helper git' "
        "credential fill"), GIT_TERMINAL_PROMPT="0", GIT_CONFIG_COUNT="0"))


@way
def agent_by_keyfob(found):
    return has_token(output("keyfob", "token", "--url", "https://git.example", KEYFOB_AGENT=found["agent"]))


@way
def agent_by_its_socket(found):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(found["agent"])
        return True


@way
def secret_service(found):
    return MARK in output("secret-tool", "lookup", "keyfob", "ways", DBUS_SESSION_BUS_ADDRESS=found["bus"])


@way
def session_bus(found):
    return b":1." in output("busctl", "--address", found["bus"], "list", "--no-pager")


@way
def vault_file(_):
    return len((vault / "keyring.db").read_bytes()) > 0


@way
def key_file(_):
    return len((home / "key").read_bytes()) > 0


@way
def state_folder(_):
    return len(os.listdir(home / "state/keyfob")) > 0


@way
def runtime_folder(_):
    return MARK in (home / "run/token").read_bytes()


@way
def vault_by_a_link(_):
    link = work / "link"
    link.symlink_to(vault)
    try:
        return len((link / "keyring.db").read_bytes()) > 0
    finally:
        link.unlink()


@way
def vault_by_a_hard_link(_):
    os.link(vault / "keyring.db", work / "hard")
    (work / "hard").unlink()
    return True


@way
def vault_moved_away(_):
    os.rename(vault, home / "moved")
    os.rename(home / "moved", vault)
    return True


@way
def vault_by_the_root_of_a_process(found):
    return len(pathlib.Path(f"/proc/{found['process']}/root{vault}/keyring.db").read_bytes()) > 0


@way
def vault_by_the_folder_of_a_process(found):
    return len(pathlib.Path(f"/proc/{found['process']}/cwd/../data/keyfob/keyring.db").read_bytes()) > 0


@way
def vault_by_an_open_folder(_):
    # It was standard input.
    return os.open("data/keyfob/keyring.db", os.O_RDONLY, dir_fd=8) >= 0


@way
def key_by_an_open_file(_):
    return len(pathlib.Path("/proc/self/fd/9").read_bytes()) > 0


@way
def names_of_keyfobs_variables(_):
    return "KEYFOB_KEY_FILE" in os.environ


@way
def variables_of_a_process(found):
    return b"MARK=" + MARK in pathlib.Path(f"/proc/{found['process']}/environ").read_bytes()


@way
def arguments_of_processes(found):
    return b"victim" in pathlib.Path(f"/proc/{found['process']}/cmdline").read_bytes()


@way
def files_of_a_process(found):
    return MARK in pathlib.Path(f"/proc/{found['process']}/fd/{found['held']}").read_bytes()


@way
def memory_by_proc(found):
    with open(f"/proc/{found['process']}/mem", "rb", buffering=0) as memory:
        memory.seek(found["memory"])
        return memory.read(len(MARK)) == MARK


@way
def memory_by_call(found):
    class Part(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    buffer = ctypes.create_string_buffer(len(MARK))
    here, there = Part(ctypes.addressof(buffer), len(MARK)), Part(found["memory"], len(MARK))
    call("process_vm_readv", found["process"], ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    return buffer.raw == MARK


@way
def memory_by_ptrace(found):
    child = os.fork()
    if child == 0:
        # PTRACE_SEIZE; by the end of this process the other one is let go.
        try:
            call("ptrace", 0x4206, found["process"], 0, 0)
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


@way
def ptrace_of_an_own_child(_):
    child = os.fork()
    if child == 0:
        os._exit(0 if libc.ptrace(0, 0, 0, 0) == 0 else 1)
    return os.waitpid(child, 0)[1] == 0


@way
def descriptor_of_a_process(found):
    process = call("pidfd_open", found["process"], 0)
    return os.pread(call("pidfd_getfd", process, found["held"], 0), 64, 0) == MARK


@way
def signals(found):
    os.kill(found["process"], signal.SIGUSR1)
    return appears("signalled")


def answer(path):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(path)
        return connection.recv(64) == MARK


@way
def socket_in_the_home(_):
    return answer(str(home / "socket"))


@way
def socket_of_the_login(_):
    return answer(str(home / "run/socket"))


@way
def socket_in_tmp(found):
    return answer(found["temporary"] + "/socket")


@way
def abstract_socket(found):
    return answer("\0" + found["name"])


@way
def datagram(_):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.sendto(str(work / "sent").encode(), str(home / "datagrams"))
    return appears("sent")


@way
def datagram_by_a_pair(_):
    first, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    first.sendto(str(work / "sent").encode(), str(home / "datagrams"))
    return appears("sent")


@way
def datagram_by_a_raw_pair(_):
    first, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW)
    first.sendto(str(work / "sent").encode(), str(home / "datagrams"))
    return appears("sent")


@way
def socket_by_a_call_of_32_bits(found):
    if not is_intel:
        return None
    # A kernel without such calls ends the program by a signal.
    # mov eax, 359; mov ebx, 1; mov ecx, 1; xor edx, edx; int 0x80; ret: socket(AF_UNIX, SOCK_STREAM, 0)
    code = bytes.fromhex("53b867010000bb01000000b90100000031d2cd805bc3")
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    run = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    child = os.fork()
    if child == 0:
        os._exit(0 if run() >= 0 else 1)
    status = os.waitpid(child, 0)[1]
    return None if os.WIFSIGNALED(status) else status == 0


@way
def pipe_in_tmp(found):
    descriptor = os.open(found["temporary"] + "/pipe", os.O_WRONLY | os.O_NONBLOCK)
    os.write(descriptor, f"{work}/piped\n".encode())
    os.close(descriptor)
    return appears("piped")


@way
def token_in_a_variable(_):
    return MARK.decode() in os.environ.get("GH_TOKEN", "")


@way
def socket_as_standard_error(found):
    # It is a pair of datagrams, whose ends can be connected to others.
    with socket.socket(fileno=os.dup(2)) as connection:
        if connection.family != socket.AF_UNIX:
            return False
        connection.sendto(str(work / "sent").encode(), str(home / "datagrams"))
    return appears("sent")


@way
def file_in_tmp(found):
    return MARK in pathlib.Path(found["temporary"] + "/token").read_bytes()


@way
def shared_memory_by_name(found):
    return MARK in pathlib.Path(found["shared"]).read_bytes()


@way
def shared_memory_of_system_v(found):
    libc.shmat.restype = ctypes.c_void_p
    address = libc.shmat(found["segment"], None, 0)
    return address != 2**64 - 1 and ctypes.string_at(address, len(MARK)) == MARK


@way
def message_queue(found):
    queue = libc.mq_open(f"/{found['name']}".encode(), os.O_RDWR | os.O_NONBLOCK)
    return queue >= 0


@way
def kernel_keyring(found):
    buffer = ctypes.create_string_buffer(64)
    call("keyctl", 11, found["key"], buffer, 64)
    return MARK in buffer.raw


@way
def new_kernel_key(_):
    return call("add_key", b"user", b"keyfob-ways-new", b"x", 1, -2) > 0


@way
def another_terminal(found):
    terminal = os.open(found["terminal"], os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    os.close(terminal)
    return True


@way
def typing_for_a_person(_):
    try:
        if pathlib.Path("/proc/sys/dev/tty/legacy_tiocsti").read_text().strip() == "0":
            return None
    except OSError:
        pass
    child, master = pty.fork()
    if child == 0:
        try:
            fcntl.ioctl(0, 0x5412, b"x")
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


@way
def own_namespaces(_):
    return b"yes" in output("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", "echo yes")


@way
def what_is_mounted_below(_):
    words = ("sh", "-c", "umount -R ~/data/keyfob; cat ~/data/keyfob/keyring.db")
    return b"SQLite" in output("unshare", "--user", "--map-root-user", "--mount", *words)


@way
def namespaces_of_a_process(found):
    return os.open(f"/proc/{found['process']}/ns/mnt", os.O_RDONLY) >= 0


@way
def a_system_call_ring(_):
    try:
        if pathlib.Path("/proc/sys/kernel/io_uring_disabled").read_text().strip() != "0":
            return None
    except OSError:
        return None
    return call("io_uring_setup", 4, ctypes.create_string_buffer(120)) >= 0


@way
def git_credentials_file(_):
    return MARK in (home / ".git-credentials").read_bytes()


@way
def ssh_key(_):
    return MARK in (home / ".ssh/id_ed25519").read_bytes()


@way
def token_of_gh(_):
    return MARK in (home / ".config/gh/hosts.yml").read_bytes()


def changes(path):
    """Whether a file of the home can be changed that a later program runs."""
    open(path, "ab").close()
    return True


@way
def start_of_shells(_):
    return changes(home / ".bashrc")


@way
def program_of_path(_):
    return changes(home / "bin/mine")


@way
def configuration_of_git(_):
    return changes(home / ".gitconfig")


@way
def service_of_the_login(_):
    (home / ".config/systemd").mkdir()
    return True


@way
def file_of_the_vault(_):
    return changes(vault / "sync")


def leave_somebody():
    """A process that goes on when this one has ended, and asks then."""
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        os.close(1)
        for _ in range(3_000):
            if (work / "over").exists():
                break
            time.sleep(0.02)
        (work / "late").write_text("here")
        os._exit(0)
    os.wait()


def attempt(run, found):
    try:
        return run(found)
    except (OSError, ValueError, subprocess.SubprocessError, json.JSONDecodeError):
        return False


def try_all():
    found = json.loads(notes.read_text())
    leave_somebody()
    print(json.dumps({name: attempt(run, found) for name, run in WAYS.items()}), flush=True)


try_all()
