"""Holds what programs were told, what providers gave out and what the agent wrote down against one another."""

import collections
import json
import signal

from program import PATIENCE
from programs import (CLIENT, LIFE, MICROSOFT_CLIENT, MICROSOFT_LIFE, MICROSOFT_WANTED, WANTED, group, is_at_microsoft, name)

# Seconds within which what was written down last may be from another second.
SECOND = 1.01
# How many refusals of a program that are alike have a line each before they are counted.
ALIKE = 10
# What the bus says where the broker is not there, or ends before it has answered.
NO_BROKER = ["ServiceUnknown", "NameHasNoOwner", "NoReply", "UnknownMethod"]


def person_of(token):
    return int(token.split("-")[1])


def account_of(person, host):
    return f"u{person}.t@{'login.microsoftonline.com' if is_at_microsoft(person) else host}"


class Judge:
    def __init__(self, home, programs, changes):
        self.home, self.programs, self.changes = home, programs, changes
        self.issued = {refresh.token: refresh for refresh in home.ledger.refreshes}
        self.wrong, self.counts = [], collections.Counter()
        # Calls that were answered with a token, those that were refused, and those that nobody saw the end of.
        self.given, self.refused, self.cut = [], [], []
        self.seen, self.expiry, self.took, self.knows_time = set(), {}, [], True
        self.gaps = self.times_without_agent()

    def fail(self, kind, words):
        self.counts["wrong"] += 1
        self.wrong.append(f"{kind}: {words}"[:500])

    # What the agent did

    def times_without_agent(self):
        """From when till when calls may break off: from a signal until the next agent has begun to listen."""
        gaps, runs = [], self.home.agent.runs
        for run, following in zip(runs, [*runs[1:], None]):
            begin = run.get("killed", run.get("end", float("inf")))
            gaps.append((begin - 0.1, run.get("end", float("inf")) + (10 if following else float("inf"))))
            # A bus has no owner of the name until then.
        return gaps

    def may_break(self, line):
        return any(begin <= line["end"] and line["begin"] <= end for begin, end in self.gaps)

    def has_owner(self, line):
        """Whether the broker was on the bus all the time of a call."""
        owned = self.home.bus.owned
        before = [is_owned for moment, is_owned in owned if moment <= line["begin"] - 0.1]
        return bool(before) and before[-1] and not any(
            line["begin"] - 0.1 <= moment <= line["end"] + 0.1 for moment, is_owned in owned)

    # What programs were told

    def read(self):
        for program in self.programs:
            for line in program.lines():
                self.call(program, line)

    def read_after_sleep(self):
        """The same where the agent was stopped meanwhile: whose tokens were given to whom, whatever they had left by then."""
        self.knows_time = False
        self.read()

    def possible(self, program, line):
        """Whether a program could have had what it may have all the time of a call, and at no time of it."""
        changes = self.changes.get(program.number, [])
        states = [state for begin, end, state in changes if begin <= line["end"] and line["begin"] <= end]
        return states or [program.may]

    def call(self, program, line):
        if "watched" in line:
            return self.told(program, line)
        asked, answer, line["program"] = program.asked[line["request"]], line["answer"], program
        if "failure" in answer:
            self.counts["cut"] += 1
            self.cut.append(line)
            kind = answer["failure"]
            if kind == "killed" or self.may_break(line) and program.door != "bus":
                return
            if program.door == "bus" and any(word in kind for word in NO_BROKER) and not self.has_owner(line):
                return
            return self.fail("no answer", f"{program.path.name} {line}")
        if asked == "accounts":
            return self.listed(program, line)
        self.took.append(line["end"] - line["begin"])
        if program.door == "bus":
            return self.brokered(program, asked, line, answer)
        if "error" in answer:
            return self.refusal(program, asked, line, answer["parameters"].get("code"), answer)
        told = answer["parameters"]
        person = self.token(program, asked, line, told["token"], told["expiresOn"])
        if person is not None and told["account"] != account_of(person, self.home.loopback.host):
            self.fail("wrong account", f"{program.path.name} {line}")

    def brokered(self, program, asked, line, answer):
        told = answer["brokerTokenResponse"]
        if "error" in told:
            status = told["error"]["status"]
            code = {8: "notPermitted", 2: "ambiguous", 15: "busy", 19: "noSuchAccount"}.get(status, f"status {status}")
            return self.refusal(program, asked, line, code, answer)
        self.token(program, asked, line, told["accessToken"], told["expiresOn"] / 1_000)

    def token(self, program, asked, line, token, expiry):
        person, begin = person_of(token), line["begin"]
        self.counts["tokens"] += 1
        line |= {"person": person, "token": token}
        self.given.append(line)
        refresh = self.issued.get(token)
        if refresh is None or refresh.begin > line["end"]:
            return self.fail("never issued", f"{program.path.name} {line}")
        if asked not in ("anybody", person):
            self.fail("wrong account", f"{program.path.name} asked for {asked}: {line}")
        if not any(person in state for state in self.possible(program, line)):
            self.fail("no permission", f"{program.path.name} got a token of {person}: {line}")
        self.expiry[token] = expiry
        self.seen.add(token)
        life, wanted = (MICROSOFT_LIFE, MICROSOFT_WANTED) if is_at_microsoft(person) else (LIFE, WANTED)
        # One that comes while somebody waits is handed out whatever it has left.
        if self.knows_time and asked != "anybody" and refresh.end + life < begin + wanted - SECOND and refresh.end < begin:
            self.fail("too old", f"{program.path.name} {line}, issued at {refresh.end}")
        return person

    def refusal(self, program, asked, line, code, answer):
        line["code"] = code
        self.counts[code] += 1
        states = self.possible(program, line)
        if code == "notPermitted":
            self.refused.append(line)
            if asked == "anybody" or not all(asked in state for state in states):
                return
            return self.fail("lost permission", f"{program.path.name} may have {asked}: {line}")
        if code == "ambiguous" and asked == "anybody" or code == "noSuchAccount" and not all(
                asked in state for state in states):
            return
        self.fail("refused", f"{program.path.name} asked for {asked}: {answer}")

    def listed(self, program, line):
        answer, host = line["answer"], self.home.loopback.host
        accounts = answer.get("accounts") if program.door == "bus" else answer.get("parameters", {}).get("accounts")
        if accounts is None:
            return self.fail("no accounts", f"{program.path.name} {line}")
        self.counts["lists"] += 1
        names = {each["username"] for each in accounts}
        states = self.possible(program, line)
        wanted = [state | (program.knows - program.may) for state in states]
        if program.door == "bus":
            wanted = [{person for person in state if is_at_microsoft(person)} for state in wanted]
        if not any(names == {name(person) for person in state} for state in wanted):
            self.fail("wrong accounts", f"{program.path.name} {sorted(names)} {line['begin']} {host}")

    def told(self, program, line):
        event = line["watched"].get("parameters", {}).get("event")
        if event:
            self.counts["events"] += 1
            known = {account_of(person, self.home.loopback.host) for person in program.knows}
            if event["account"] not in known:
                self.fail("told of a stranger", f"{program.path.name} {line}")
            elif event["kind"] != "renewed":
                self.fail("wrong event", f"{program.path.name} {line}")
        elif "error" in line["watched"]:
            self.fail("watch refused", f"{program.path.name} {line}")

    # What providers gave out

    def refreshes(self):
        """One for each token that has come to its end: the one before it was stored, unless the agent was killed first."""
        for person, all_of in self.home.ledger.by_person().items():
            life, wanted = (MICROSOFT_LIFE, MICROSOFT_WANTED) if is_at_microsoft(person) else (LIFE, WANTED)
            # A token is due when programs find it too short, or in the agent's care after half of its time.
            rest = min(life - wanted, life / 2) - SECOND
            for before, after in zip(all_of, all_of[1:]):
                self.counts["renewals"] += 1
                # Its life begins when the agent has asked, which on a busy machine is before the provider hears of it.
                given = min(before.end, self.expiry.get(before.token, float("inf")) - life)
                if after.begin - given >= rest:
                    continue
                # One that somebody has seen was stored, or was to be.
                if before.token not in self.seen and self.was_cut_off(before):
                    self.counts["lost with the agent"] += 1
                else:
                    self.fail("refreshed twice", f"{name(person)}: {before} and {after}, {self.home.agent.near(before.begin)}")

    def runs_of(self, refresh):
        """The agents that may have made a refresh, the last one first.

        Within a tenth of a second of its start an agent may have asked already, and what the one before it sent may be heard then.
        """
        runs = []
        for run in reversed(self.home.agent.runs):
            if run["begin"] <= refresh.begin:
                runs.append(run)
                if run["begin"] + 0.1 <= refresh.begin:
                    break
        return runs

    def was_cut_off(self, refresh):
        """Whether the agent was killed before it had stored a refresh and written it down.

        That is so within a second of the provider's answer, or while somebody who asked for it still waited, or was gone: the agent
        goes on then.
        """
        return any(self.has_cut_off(run, refresh) for run in self.runs_of(refresh))

    def has_cut_off(self, run, refresh):
        if run["signal"] != signal.SIGKILL:
            return False
        if run["killed"] <= refresh.end + SECOND:
            return True
        return any(
            line["begin"] <= refresh.end and run["begin"] <= line["end"]
            and (line["answer"]["failure"] == "killed" or run["killed"] <= line["end"])
            and line["program"].asked[line["request"]] in ("anybody", refresh.person) for line in self.cut)

    # What the agent wrote down

    def audit(self, document):
        """Each answer stands there once, and nothing else does."""
        host = self.home.loopback.host
        numbers = collections.defaultdict(list)
        entries = collections.defaultdict(list)
        fetched = collections.defaultdict(list)
        self.asked_by = collections.defaultdict(list)
        for entry in document["entries"]:
            entry["moment"] = moment(entry["time"])
            # What a person let a program have stands in a part of its own.
            is_given = entry.get("permission", "never") != "never"
            numbers[entry["group"], entry["program"] if is_given else None].append(entry["number"])
            if entry["asked"] == "token":
                entries[entry["program"], entry["process"]].append(entry)
                self.asked_by[entry["program"]].append(entry)
            if entry["answer"] == "provider":
                fetched[entry["account"]].append(entry)
        for of, all_of in numbers.items():
            if sorted(all_of) != list(range(1, len(all_of) + 1)):
                self.fail("audit", f"the numbers in {of} have gaps")
        self.counts["audit lines"] = len(document["entries"])
        known = {(program.program, process[0]) for program in self.programs for process in program.processes}
        for entry in document["entries"]:
            if (entry["program"], entry["process"]) not in known:
                self.fail("audit", f"no such process: {entry}")
        calls = collections.defaultdict(list)
        for line in self.given + [line for line in self.cut if line["program"].asked[line["request"]] != "accounts"]:
            calls[line["program"].program, line["process"]].append(line)
        for line in self.refused:
            calls[line["program"].program, line["process"]].append(line)
        for key in calls.keys() | entries.keys():
            self.match(key, sorted(calls[key], key=lambda line: line["begin"]), entries[key], host)
        self.match_refreshes(fetched, host)

    def match(self, key, calls, entries, host):
        """A line for each answer, and an answer for each line, however calls whose end nobody saw may have ended."""
        fitting = [[index for index, entry in enumerate(entries) if self.fits(line, entry, host)] for line in calls]
        # What can be matched for each side by itself can be for both at once (Mendelsohn and Dulmage).
        for place in unmatched([index for index, line in enumerate(calls) if "person" in line or "code" in line], fitting):
            line = calls[place]
            if "person" in line:
                self.fail("not in the audit", f"{key} {line}")
            elif not self.is_told_elsewhere(line, entries):
                self.fail("refusal not in the audit", f"{key} {line}")
        asking = [[place for place, indices in enumerate(fitting) if index in indices] for index in range(len(entries))]
        answers = [index for index, entry in enumerate(entries) if entry["answer"] in ("stored", "provider", "extended")]
        for index in unmatched(answers, asking):
            self.fail("answer that nobody got", f"{entries[index]} {self.home.agent.near(entries[index]['moment'])}")

    def is_told_elsewhere(self, line, entries):
        """Whether a refusal is counted in a later line of the same program, or was to be by an agent that was killed first.

        Of refusals that are alike ten have a line; then they are counted for a minute before one is written."""
        if any(entry.get("repeats") for entry in entries):
            return True
        alike = sum(
            entry["answer"] == line["code"] and entry["moment"] <= line["end"]
            for entry in self.asked_by[line["program"].program])
        return alike >= ALIKE and any(
            run.get("signal") == signal.SIGKILL and run["begin"] <= line["end"] <= run["killed"] + SECOND
            for run in self.home.agent.runs)

    def fits(self, line, entry, host):
        end = line["end"] if "person" in line or "code" in line else self.end_of_agent(line)
        # A line has the second that had begun when it was written.
        if not line["begin"] - SECOND <= entry["moment"] <= end:
            return False
        if "person" in line:
            person = line["person"]
            return entry["answer"] in ("stored", "provider") and entry["account"] == account_of(person, host) and (
                entry["group"] == group(person) and entry["door"] == line["program"].door
                and entry["clientID"] in (None, MICROSOFT_CLIENT if is_at_microsoft(person) else CLIENT)
                if "clientID" in entry else True)
        if "code" in line:
            return entry["answer"] == line["code"]
        return True

    def end_of_agent(self, line):
        """When the agent had ended that a call broke off with: it answers what it has begun, though nobody hears it."""
        return max([line["end"], *(run["end"] for run in self.home.agent.runs
                                   if "end" in run and run["begin"] <= line["end"] <= run["end"] + 1)]) + (
            PATIENCE if line["answer"]["failure"] == "killed" else 0)

    def match_refreshes(self, fetched, host):
        """Each token that a provider gave stands there once, for somebody who asked or for the agent's care."""
        for person, all_of in self.home.ledger.by_person().items():
            entries = fetched.pop(account_of(person, host), [])
            self.counts["refreshes in the audit"] += len(entries)
            # What need not stand there gives way.
            all_of = sorted(all_of, key=self.was_cut_off)
            fitting = [[index for index, entry in enumerate(entries) if refresh.begin - SECOND <= entry["moment"]
                        <= self.runs_of(refresh)[0]["end"]] for refresh in all_of]
            for place in unmatched(range(len(all_of)), fitting):
                if self.was_cut_off(all_of[place]):
                    self.counts["not written down any more"] += 1
                else:
                    self.fail("refresh not in the audit", f"{all_of[place]} {self.runs_of(all_of[place])}")
            given = [[place for place, indices in enumerate(fitting) if index in indices] for index in range(len(entries))]
            for index in unmatched(range(len(entries)), given):
                self.fail("audit", f"a refresh of {name(person)} that no provider knows: {entries[index]}")
        if fetched:
            self.fail("audit", f"refreshes of accounts that are none: {sorted(fetched)}")


def unmatched(ones, fitting):
    """Those for which nothing is left that fits, when as many as can be have one each."""
    taken = {}

    def take(one, tried):
        for other in fitting[one]:
            if other not in tried:
                tried.add(other)
                if other not in taken or take(taken[other], tried):
                    taken[other] = one
                    return True
        return False

    return [one for one in ones if not take(one, set())]


def moment(text):
    import datetime
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def tamper(home, path):
    """Changes the log in each way, and gives what was not noticed.

    An agent notes the last line when it ends: what one that was killed wrote after the last note can be cut off, and that is not tried.
    """
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    middle = len(lines) // 2
    altered = lines[middle].replace(b'"answer":"', b'"answer":"x')
    cases = {
        "a line altered": lines[:middle] + [altered] + lines[middle + 1:],
        "a line removed": lines[:middle] + lines[middle + 1:],
        "the first lines removed": lines[3:],
        "the last lines removed": lines[:-3],
        "two lines in another order": [*lines[:middle], lines[middle + 1], lines[middle], *lines[middle + 2:]],
        "a line said twice": lines[:middle] + [lines[middle]] + lines[middle:],
    }
    if path.stat().st_mtime < home.agent.runs[-1]["begin"]:
        del cases["the last lines removed"]
    unnoticed = []
    for case, changed in cases.items():
        path.write_bytes(b"".join(changed))
        status, document = log(home)
        if status != 65 or not document["findings"]:
            unnoticed.append(case)
    path.write_bytes(whole)
    return list(cases), unnoticed


def log(home):
    import subprocess
    done = subprocess.run([home.full, "log", "--json"], env=home.environment, capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout or "{}")
