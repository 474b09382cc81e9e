"""Providers whose access tokens live for seconds: one on loopback, and Microsoft's public cloud behind a proxy.

Each takes every refresh token that it ever gave, as Microsoft does, and writes down when it was asked for whom."""

import collections
import pathlib
import sys
import threading
import time
import typing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Provider"))
from standins import microsoft, refreshing, serving  # noqa: E402


class Refresh(typing.NamedTuple):
    """A refresh: for whom, when it was asked for and answered, and the token that was given."""

    person: int
    begin: float
    end: float
    token: str


class Ledger:
    """What the providers have given out."""

    def __init__(self):
        self.lock, self.count, self.refreshes, self.wrong = threading.Lock(), 0, [], []

    def refresh(self, form, lifetime, takes):
        begin = time.time()
        person = int(form["refresh_token"].split("-")[1])
        with self.lock:
            self.count += 1
            number = self.count
        # As far as a provider is: others ask for the same token meanwhile.
        time.sleep(takes)
        token = f"token-{person}-{number}"
        with self.lock:
            self.refreshes.append(Refresh(person, begin, time.time(), token))
        return {"access_token": token, "refresh_token": f"refresh-{person}-{number}", "token_type": "Bearer",
                "expires_in": lifetime, "scope": "mail.read"}

    def by_person(self):
        persons = collections.defaultdict(list)
        for refresh in sorted(self.refreshes, key=lambda each: each.begin):
            persons[refresh.person].append(refresh)
        return persons


class Loopback:
    """A provider at a free port of this machine."""

    def __init__(self, ledger, lifetime, takes):
        site = serving.Loopback(refreshing.Refreshing(lambda form, _: ledger.refresh(form, lifetime, takes))).start()
        self.host, self.issuer = site.host, site.stand_in.issuer()


class Microsoft:
    """Microsoft's public cloud, by a proxy that leads its names here."""

    def __init__(self, folder, ledger, lifetime, takes):
        class StandIn(microsoft.Microsoft):
            def tenant(self, word):
                return word

            def tokens(self, request, _):
                return ledger.refresh(request.form, lifetime, takes)

        self.environment = serving.Network(folder, [StandIn()]).__enter__().environment
