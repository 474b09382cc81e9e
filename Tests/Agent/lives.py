"""Clients while the provider is down, then the disk is full, then the vault can only be read.

Accounts have tokens whose lives are from half a minute to an hour, of a provider that takes each refresh token once. A token that is
there is given all the while, but by an agent that cannot write down that it does; none that has expired, none is refreshed oftener
than it has to be, and no refresh token is used twice."""

import collections
import contextlib
import subprocess
import threading
import time
import typing

from clients import KINDS, OF_A_KIND, soon
from programs import CLIENT, SCOPE, cache, front, name
from providers import refreshing, serving

#: The lives of access tokens, in a trial of some minutes and in a shorter one, and how many accounts have such.
LIVES, SHORT_LIVES, OF_A_LIFE = [30, 60, 300, 310, 3_600], [12, 20, 60, 310, 3_600], 2
#: For how many seconds a token is to be good that nobody may be refused.
REST = 10
#: How many requests to the provider there may be for each token that comes to its end.
MOST_REQUESTS = 1.2
#: What happens in the middle: from when till when, of the whole.
DOWN, FULL, READ_ONLY = (0.25, 0.38), (0.52, 0.62), (0.75, 0.85)
#: How a call may end then for which there is no token any more.
REFUSALS = {"the provider is down": "offline", "the disk is full": "diskFull", "the vault can only be read": "inputOutput"}
PERSONS, PAUSE = OF_A_LIFE * len(LIVES), 1.5


class Refresh(typing.NamedTuple):
    person: int
    begin: float
    end: float
    token: str
    #: When the token ends.
    expiry: float


class Provider:
    """A provider at a port of this machine that takes a refresh token once, and refuses all while it is down."""

    def __init__(self, lives, takes=0.05):
        self.lives, self.takes, self.lock = lives, takes, threading.Lock()
        self.current = {person: f"refresh-{person}-0" for person in range(len(lives))}
        self.refreshes, self.reused, self.refused, self.is_down = [], [], 0, False
        site = serving.Loopback(refreshing.Refreshing(lambda form, _: self.refresh(form))).start()
        site.stand_in.answer = self.unless_down(site.stand_in.answer)
        self.host, self.issuer = site.host, site.stand_in.issuer()

    def unless_down(self, answer):
        def answered(request):
            if self.is_down:
                self.refused += 1
                raise serving.Refusal(503)
            return answer(request)
        return answered

    def refresh(self, form):
        begin, old = time.time(), form["refresh_token"]
        person = int(old.split("-")[1])
        with self.lock:
            if self.current[person] != old:
                self.reused.append((begin, person, old))
                raise serving.Refusal(400, {"error": "invalid_grant", "error_description": "it was used before"})
            number = len(self.refreshes) + 1
            self.current[person] = f"refresh-{person}-{number}"
            token = f"token-{person}-{number}"
            self.refreshes.append(Refresh(person, begin, begin + self.takes, token, begin + self.lives[person]))
        time.sleep(self.takes)
        return {"access_token": token, "refresh_token": self.current[person], "token_type": "Bearer",
                "expires_in": self.lives[person], "scope": SCOPE}


@contextlib.contextmanager
def down(trial):
    trial.provider.is_down = True
    yield
    trial.provider.is_down = False


@contextlib.contextmanager
def full(trial):
    filling = trial.disk / "filling"
    if trial.has_disk:
        with contextlib.suppress(OSError), open(filling, "wb", buffering=0) as file:
            while True:
                file.write(bytes(4_096))
    yield
    filling.unlink(missing_ok=True)


@contextlib.contextmanager
def read_only(trial):
    vault = trial.home.vault
    if trial.has_disk:
        subprocess.run(["mount", "--bind", vault, vault], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", vault], check=True)
    yield
    if trial.has_disk:
        subprocess.run(["umount", "-l", vault], check=True)


def run(trial, seconds):
    all_of = [life for life in (LIVES if seconds >= 150 else SHORT_LIVES) for _ in range(OF_A_LIFE)]
    trial.provider = Provider(all_of)
    trial.home.run("provider", "add", "-q", "--issuer", trial.provider.issuer, "--name", "local")
    trial.home.run("client", "add", "-q", CLIENT, "--provider", "local")
    trial.home.run("import", "-q", "-", given=cache(range(len(all_of)), trial.provider.host, CLIENT))
    for person in range(len(all_of)):
        trial.home.run("token", "-q", "--account", name(person))
    trial.begin()
    begin, disturbances = time.time(), []
    for (start, end), what, disturb in [(DOWN, "the provider is down", down), (FULL, "the disk is full", full),
                                        (READ_ONLY, "the vault can only be read", read_only)]:
        time.sleep(max(begin + start * seconds - time.time(), 0))
        with disturb(trial):
            since = time.time()
            time.sleep((end - start) * seconds)
            disturbances.append((what, since, time.time()))
    time.sleep(max(begin + seconds - time.time(), 0))
    trial.end()
    judge(trial, begin, disturbances)
    for person in range(len(all_of)):
        try:
            trial.home.run("token", "-q", "--account", name(person))
        except front.Trouble as trouble:
            trial.fail("afterwards", trouble)
    if not trial.has_disk:
        print("agent: clients: the disk was not full and the vault could be written: nobody may mount here")
    return trial.told("clients by the lives of tokens")


def judge(trial, begin, disturbances):
    provider, calls = trial.provider, trial.calls()
    issued = {refresh.token: refresh for refresh in provider.refreshes}
    of_person = collections.defaultdict(list)
    for refresh in provider.refreshes:
        of_person[refresh.person].append(refresh)
    refusals = collections.defaultdict(collections.Counter)
    for call in calls:
        if "token" not in call.answer:
            what = next((what for what, since, until in disturbances if since <= call.end and call.begin <= until), "otherwise")
            refusals[what][call.answer.get("code", "no answer")] += 1
            # One that came while it was asked for may be stored too late for this call.
            there = [each for each in of_person[call.person] if each.end + 1 < call.begin and each.expiry - REST > call.end]
            # An agent gives nothing that it cannot write down first.
            if call.kind == "agent" and call.answer.get("code") == "diskFull" and "written down" in call.said():
                continue
            if there:
                trial.fail("refused", f"{call}; {there[-1]} had {there[-1].expiry - call.end:.0f} s left")
            elif call.answer.get("code") != REFUSALS.get(what):
                trial.fail("another refusal", call)
            continue
        refresh = issued.get(call.answer["token"])
        if refresh is None or refresh.person != call.person:
            trial.fail("another's token", call)
        elif refresh.expiry < call.begin:
            trial.fail("expired", f"{call}; it ended {call.begin - refresh.expiry:.1f} s before")
    for at, person, old in provider.reused:
        trial.fail("used twice", f"{old} of {name(person)} at {at - begin:.1f} s")
    rates = {}
    for life in sorted(set(provider.lives)):
        used, count = 0, 0
        for person, all_of in of_person.items():
            if provider.lives[person] != life:
                continue
            for before, after in zip(all_of, all_of[1:]):
                # From when on it is due, until it was there.
                times = [(before.begin, before.end + 1), (before.begin + life * 0.8, after.end)]
                if any(since <= end and start <= until + 1 for _, since, until in disturbances for start, end in times):
                    continue
                count, used = count + 1, used + min((after.begin - before.begin) / life, 1)
        rates[life] = count / used if used else 0
        if rates[life] > MOST_REQUESTS:
            trial.fail("too often", f"tokens of {life} s: {count} requests where {used:.1f} came to their end")
    if not any(rates.values()):
        trial.fail("too little", "no token came to its end undisturbed: nothing is shown")
    kinds = collections.Counter(call.kind for call in calls if "token" in call.answer)
    if min(kinds[kind] for kind in KINDS) < OF_A_KIND:
        trial.fail("too little", f"{dict(kinds)}: nothing is shown")
    print(f"agent: clients: {len(calls)} calls, tokens for {dict(kinds)}; {soon(calls)}")
    print(f"agent: clients: {len(provider.refreshes)} refreshes, {provider.refused} refused by a provider that was down; for each token that ended "
          + ", ".join(f"{rate:.2f} (life {life} s)" for life, rate in rates.items() if rate))
    for what, codes in refusals.items():
        print(f"agent: clients: refused while {what}: {dict(codes)}")
