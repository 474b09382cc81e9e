"""Signs in from nothing, by what the command itself says, in the network of the guides (Tests/Guides/internet.py).

usage: first_sign_in.py, with keyfob in the path and an empty home
Prints {"typed": [what a person typed, in order], "screens": [each command's screen], "statuses": […]}."""

import json
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[2] / "Guides"))
import internet  # noqa: E402

PASSPHRASE = "correct horse battery staple orbit\n"
UNLOCK = ["Passphrase for ", PASSPHRASE]
COMMANDS = [
    ("keyfob login github", []),
    ("keyfob init", [["New passphrase: ", PASSPHRASE], ["The same again: ", PASSPHRASE]]),
    ("keyfob login github", [UNLOCK, ["The number of a program, or your own client id: ", "1\n"]]),
    ("keyfob token", [UNLOCK]),
]

typed, screens, statuses = [], [], []
with internet.Network(pathlib.Path.cwd() / "network") as network:
    for line, steps in COMMANDS:
        typed += [line] + [text.strip() for _, text in steps]
        task = {"line": line, "steps": steps, "deadline": 300}
        run = subprocess.run(
            [sys.executable, str(FOLDER / "terminal.py")], input=json.dumps(task).encode(), stdout=subprocess.PIPE,
            env=os.environ | network.environment, check=True)
        result = json.loads(run.stdout)
        screens.append(result["screen"])
        statuses.append(result["status"])
print(json.dumps({"typed": typed, "screens": screens, "statuses": statuses}))
