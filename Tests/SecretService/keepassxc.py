"""What KeePassXC needs to be a Secret Service without a display: a database with an exposed group, and settings."""

import base64
import os
import re
import subprocess
import uuid

SETTINGS = """[General]
ConfigVersion=2
SingleInstance=false
UpdateCheckMessageShown=true
AutoSaveAfterEveryChange=true
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


def start(folder, environment, password, asks):
    """The running program; `asks` is whether it wants a click for each item that is read or deleted."""
    environment = environment | {"QT_QPA_PLATFORM": "offscreen", "TMPDIR": folder}
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
            env=environment).stdout

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
