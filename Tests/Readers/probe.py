"""Asks Keyfob's readers, by the program KeyfobReaders, what documents say."""

import subprocess


class Stopped(Exception):
    """The program ended before it had read all; names the document that stopped it."""


def ask(program, reader, documents, seconds=3000):
    """What `reader` makes of each document (bytes): a line each, `refused …` for what it does not take."""
    if not documents:
        return []
    requests = b"".join(b"%s %s\n" % (reader.encode(), document.hex().encode()) for document in documents)
    done = subprocess.run([program], input=requests, capture_output=True, timeout=seconds)
    answers = done.stdout.decode().split("\n")[:-1]
    if done.returncode != 0 or len(answers) != len(documents):
        document = documents[len(answers)] if len(answers) < len(documents) else b""
        raise Stopped(f"{reader}: status {done.returncode} at {document!r}: {done.stderr.decode()[-300:]}")
    return answers
