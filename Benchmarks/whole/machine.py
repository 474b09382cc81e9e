"""On what the figures were measured."""

import importlib.metadata
import os
import platform
import subprocess

from .files import PEERS

PACKAGES = ["git", "oidc-agent-cli", "libsecret-tools", "gnome-keyring", "pass", "gnupg", "age", "gh", "keepassxc"]
MODULES = ["keyring", "msal", "msal-extensions"]


def build_floor(folder):
    """Compiles the floor, as static as what it is compared with."""
    program = f"{folder}/floor"
    libraries = ["-lsqlite3", "-lsodium", "-lm", "-lpthread"]
    subprocess.run(["gcc", "-O2", "-static", "-o", program, f"{PEERS}/floor.c", *libraries], check=True, stderr=subprocess.DEVNULL)
    return program


def installed(program):
    """A Keyfob, and the full program beside it where there is one."""
    program = os.path.realpath(program)
    full = os.path.join(os.path.dirname(os.path.dirname(program)), "libexec/keyfob/keyfob")
    return [path for path in (program, full) if os.path.exists(path)]


def read_anew(*programs):
    """Reads programs from the disk, as after a start of the machine.

    What has just been written lies in memory in smaller pieces, and a process that maps it takes up to a fifth longer."""
    for program in programs:
        with open(program, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            while file.read(1 << 20):
                pass


def text(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def package_version(name):
    done = subprocess.run(["dpkg-query", "-W", "-f=${Version}", name], capture_output=True, text=True, check=False)
    return done.stdout or "not installed"


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else platform.machine()


def facts(options, packages=PACKAGES, modules=MODULES):
    system = platform.freedesktop_os_release()
    versions = {name: package_version(name) for name in packages}
    for name in modules:
        versions[name] = importlib.metadata.version(name)
    build = f", {options.build}" if options.build else ""
    return {
        "machine": f"{os.cpu_count()} × {processor()}, {system['PRETTY_NAME']}, Linux {platform.release().split('-')[0]}",
        "keyfob": f"{text(options.keyfob, '--version')} ({os.path.getsize(options.keyfob) / 1e6:.1f} MB{build})",
        "versions": versions, "isQuick": options.quick, "isBrief": options.brief, "loadBefore": os.getloadavg()[0]}
