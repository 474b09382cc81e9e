"""What a test says to a server while that runs, and what the server says of its requests: two files in its folder.

requests.jsonl has a line for each request, there before the answer is: time (ms since 1970), method, host, path, status; where there
are such: grant_type, client_id, scope, resource, error, hook, person, and refresh_token, token, issued as the first 16 digits of
their SHA-256.

control.json is read at each request; write it elsewhere and rename it to here. It is one rule, or {"rules": [RULE, …]}, of which the
first that fits counts. Keys of a rule:
  host: NAME, paths: [PATH, …]   where it holds; the token endpoint, of any host, where they are missing
  grant_types: [TYPE]  only for these grants
  times: N             only so often, counted from when the file was written
  status: N            answer so, and ask nobody; with
    body: JSON, headers: {NAME: TEXT}, retry_after: TEXT, location: URL, filler: N (so many bytes more)
  empty_400: true      answer 400 without a body, and ask nobody
  delay_ms: N          answer that much later than it was done
  drop: true           do it, and close the connection instead of an answer
What else a rule says is for the server itself. {"options": {NAME: {…}}} sets options of the stand-in NAME."""

import hashlib
import json
import os
import threading
import time

#: What of a form the log repeats as it is, and what it repeats as a digest.
PLAIN, SECRET = ("grant_type", "client_id", "scope", "resource"), ("refresh_token", "token")


def digest(token):
    return hashlib.sha256(token.encode()).hexdigest()[:16]


class Log:
    """The file of requests."""

    def __init__(self, folder):
        self.lock = threading.Lock()
        self.file = os.open(folder / "requests.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def write(self, entry):
        with self.lock:
            os.write(self.file, json.dumps({"time": time.time_ns() // 1_000_000} | entry).encode() + b"\n")

    @staticmethod
    def form(fields):
        """What is repeated of a form."""
        return {name: fields[name] for name in PLAIN if name in fields} | {name: digest(fields[name]) for name in SECRET if name in fields}

    @staticmethod
    def outcome(document):
        """What is told of an answer that is a JSON object."""
        entry = {}
        if isinstance(document.get("error"), str):
            entry["error"] = document["error"]
        if isinstance(document.get("refresh_token"), str):
            entry["issued"] = digest(document["refresh_token"])
        return entry


class Script:
    """The control file, and how often each of its rules was followed."""

    def __init__(self, folder):
        self.file, self.lock = folder / "control.json", threading.Lock()
        self.version, self.rules, self.options, self.followed = None, [], {}, []

    def read(self):
        try:
            with open(self.file, encoding="utf-8") as file:
                status = os.fstat(file.fileno())
                version = (status.st_ino, status.st_mtime_ns)
                if version == self.version:
                    return
                content = json.load(file)
        except FileNotFoundError:
            version, content = None, {}
        self.version, self.options = version, content.get("options", {})
        self.rules = content["rules"] if "rules" in content else [content] if content.keys() - {"options"} else []
        self.followed = [0] * len(self.rules)

    def rule(self, host, path, grant_type, is_token_endpoint):
        """The rule that this request follows, else an empty one, and the rules there are."""
        with self.lock:
            self.read()
            for index, rule in enumerate(self.rules):
                if ("paths" in rule and path not in rule["paths"]) or rule.get("host", host) != host:
                    continue
                if "paths" not in rule and not is_token_endpoint:
                    continue
                if "grant_types" in rule and grant_type not in rule["grant_types"]:
                    continue
                if "times" in rule and self.followed[index] >= rule["times"]:
                    continue
                self.followed[index] += 1
                return rule, self.rules
            return {}, self.rules

    def option(self, stand_in, name, otherwise):
        """What the file sets for a stand-in."""
        with self.lock:
            self.read()
            return self.options.get(stand_in, {}).get(name, otherwise)


def made_up(rule):
    """The answer that a rule makes up, as (status, headers, body) and the name of the key that says so; None where it makes none."""
    if rule.get("empty_400"):
        return (400, {}, b""), "empty_400"
    if "status" not in rule:
        return None
    headers = dict(rule.get("headers", {}))
    if "body" in rule:
        headers["Content-Type"], body = "application/json", json.dumps(rule["body"]).encode()
    else:
        headers["Content-Type"], body = "text/html", b"<p>Not now.</p>" + b" " * rule.get("filler", 0)
    if "retry_after" in rule:
        headers["Retry-After"] = str(rule["retry_after"])
    if "location" in rule:
        headers["Location"] = rule["location"]
    return (rule["status"], headers, body), "status"
