"""What KeePassXC needs to be a Secret Service: a database with an exposed group, settings, and a screen where it is to ask."""

import base64
import os
import re
import subprocess
import threading
import uuid

SETTINGS = """[General]
ConfigVersion=2
SingleInstance=false
UpdateCheckMessageShown=true
AutoSaveAfterEveryChange=false
AutoSaveOnExit=true
[GUI]
CheckForUpdates=false
[FdoSecrets]
Enabled=true
ShowNotification=false
ConfirmAccessItem={confirm}
ConfirmDeleteItem={confirm}
UnlockBeforeSearch=true
"""


class Screen:
    """A screen that nobody sees, before which somebody allows every access that is asked for."""

    def __init__(self):
        reading, writing = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x900x24", "-nolisten", "tcp"],
            pass_fds=(writing,), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writing)
        with open(reading) as numbers:
            number = numbers.readline().strip()
        if not number:
            raise RuntimeError("Xvfb does not start")
        self.display = f":{number}"
        self.is_over = threading.Event()
        self.person = threading.Thread(target=self.allow, daemon=True)
        self.person.start()

    def xdotool(self, *words):
        return subprocess.run(
            ["xdotool", *words], text=True, capture_output=True, env=os.environ | {"DISPLAY": self.display}).stdout

    def allow(self):
        while not self.is_over.wait(0.05):
            for window in self.xdotool("search", "--onlyvisible", "--name", "Access Request").split():
                self.xdotool("windowfocus", "--sync", window, "key", "Return")

    def end(self):
        self.is_over.set()
        self.person.join()
        self.server.kill()
        self.server.wait()


def start(folder, environment, password, asks, screen=None):
    """The running program; `asks` is whether it wants a click for each item that is read or deleted."""
    environment = environment | {"TMPDIR": folder, "QT_QPA_PLATFORM": "xcb" if screen else "offscreen"}
    if screen:
        environment["DISPLAY"] = screen.display
    database = f"{folder}/passwords.kdbx"
    if not os.path.exists(database):
        make(database, folder, environment, password)
    os.makedirs(f"{folder}/config/keepassxc", exist_ok=True)
    with open(f"{folder}/config/keepassxc/keepassxc.ini", "w") as settings:
        settings.write(SETTINGS.format(confirm="true" if asks else "false"))
    process = subprocess.Popen(
        ["keepassxc", "--pw-stdin", database], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, env=environment)
    process.stdin.write(password.encode() + b"\n")
    process.stdin.close()
    return process


def make(database, folder, environment, password):
    """Makes a database with a group that other programs see."""

    def run(*words, lines=1):
        return subprocess.run(
            ["keepassxc-cli", *words], input=(password + "\n") * lines, text=True, check=True, capture_output=True,
            env=environment | {"QT_QPA_PLATFORM": "offscreen"}).stdout

    draft = f"{folder}/draft.kdbx"
    run("db-create", "-p", draft, lines=2)
    run("mkdir", draft, "Secrets")
    text = run("export", "-f", "xml", draft)
    group = re.search(r"<UUID>([^<]+)</UUID>\s*<Name>Secrets<", text)[1]
    group = "{%s}" % uuid.UUID(bytes=base64.b64decode(group))
    exposed = f"<Item><Key>FDO_SECRETS_EXPOSED_GROUP</Key><Value>{group}</Value></Item>"
    head, rest = text.split("</Meta>", 1)
    head = re.sub(r"<CustomData\s*/>", "", head)
    if "</CustomData>" in head:
        head = head.replace("</CustomData>", exposed + "</CustomData>", 1)
    else:
        head += f"<CustomData>{exposed}</CustomData>"
    with open(f"{folder}/draft.xml", "w") as draft:
        draft.write(head + "</Meta>" + rest)
    run("import", "-p", f"{folder}/draft.xml", database, lines=2)
