"""Types unfinished lines and Tab in a real shell, on a terminal, and tells what became of them.

usage: shells.py < {"shell": "bash" | "zsh" | "fish", "script": FILE, "lines": [LINE, …]}
A line that begins with "!" is a command that is run as it is. Of each other one, Tab is typed behind it, and then the words
of the line are printed by the shell itself. Prints {"words": [[WORD, …], …], "screen": …, "missed": …}."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

READY = "READY" + "> "
task = json.load(sys.stdin)
shell, script = task["shell"], os.path.abspath(task["script"])
place = os.path.abspath("shell-home")
os.makedirs(place, exist_ok=True)
start = {
    "bash": f"PS1='REA''DY> '; source {script}\nbind 'set bell-style none'\nbind 'set completion-query-items 0'\nbind 'set page-completions off'\n",
    "zsh": f"PS1='REA''DY> '; autoload -U compinit; compinit -u -D; source {script}\nbindkey -e; LISTMAX=1000\n",
    "fish": f"function fish_prompt; printf 'REA%s' 'DY> '; end; function fish_greeting; end; source {script}\n",
}[shell]
name = {"bash": "rc", "zsh": ".zshrc", "fish": "rc.fish"}[shell]
with open(os.path.join(place, name), "w", encoding="utf-8") as file:
    file.write(start)
arguments = {
    "bash": ["bash", "--noprofile", "--rcfile", os.path.join(place, name), "-i"],
    "zsh": ["zsh", "-d", "-i"],
    "fish": ["fish", "--no-config", "--init-command", f"source {place}/{name}", "-i"],
}[shell]

child, master = pty.fork()
if child == 0:
    os.environ.update(TERM="xterm", ZDOTDIR=place, HISTFILE="/dev/null", fish_history="")
    os.environ.pop("COLUMNS", None)
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    os.execvp(arguments[0], arguments)

screen, end, missed = "", time.monotonic() + 300, None


def wait(text, start):
    """Reads until the text is on the screen behind a place; tells where it ends."""
    global screen, missed
    while text not in screen[start:]:
        if time.monotonic() > end:
            missed = missed or text
            return len(screen)
        ready, _, _ = select.select([master], [], [], 0.2)
        if ready:
            try:
                screen += os.read(master, 65536).decode(errors="replace")
            except OSError:
                missed = missed or text
                return len(screen)
    return screen.index(text, start) + len(text)


words = []
place_ = wait(READY, 0)
for number, line in enumerate(task["lines"]):
    if line.startswith("!"):
        os.write(master, (line[1:] + "\n").encode())
        place_ = wait(READY, place_)
        continue
    # Behind Tab: to the beginning of the line, and print what it has become.
    mark = f"END{number}."
    os.write(master, (line + "\t").encode())
    os.write(master, b"\x01" + f"printf '<%s>\\n' END'{number}'. ".encode() + b"\n")
    before = place_
    place_ = wait(READY, wait("<" + mark + ">", place_))
    printed = screen[before:place_]
    printed = printed[printed.index("<" + mark + ">"):] if "<" + mark + ">" in printed else ""
    words.append(re.findall(r"<([^<>\r\n]*)>\r?\n", printed)[1:])
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
print(json.dumps({"words": words, "screen": screen, "missed": missed}))
