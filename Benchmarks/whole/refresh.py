"""One process, and eight at once, that want a new token in place of the same one that is about to expire."""

import shutil
import statistics
import sys

from .files import PEERS, Keyfob, MSALExtensions
from .measure import Command, Failure, NotPossible, run, run_checked
from .services import OIDCAgent, endpoint

NAME, SOON, LATER = "person00000@contoso.example", 60, 3600


class KeyfobSignedIn(Keyfob):
    def fill(self, limit):
        super().fill(limit)
        self.provider = endpoint.Endpoint()
        issuer = self.provider.issuer
        cache = f"{self.folder}/msal.json"
        self.call(sys.executable, f"{PEERS}/make_refresh_cache.py", cache, "1")
        with open(cache, encoding="utf-8") as file:
            # The provider's name has a port here.
            content = file.read().replace("127.0.0.1", issuer.split("/")[2])
        self.write("msal.json", [content])
        self.call(self.program, "provider", "add", "--quiet", "--issuer", issuer, "--name", "local")
        self.call(self.program, "client", "add", "--quiet", "benchmark", "--provider", "local", "--redirect-uri", "http://127.0.0.1:8080")
        self.call(self.program, "import", "--quiet", cache)

    def token(self, *more):
        return Command([self.program, "token", "--account", NAME, "--scope", "api.read", *more], wanted=".0-")

    def renew(self):
        return self.token("--force-refresh")

    def stop(self):
        self.provider.stop()


class OIDCSignedIn(OIDCAgent):
    def token(self, *more):
        return Command(["oidc-token", *(more or ("-t", "300")), "person000000"], wanted=".0-")

    def renew(self):
        return self.token("-f")


class MSALSignedIn(MSALExtensions):
    def fill(self, limit):
        self.provider = endpoint.Endpoint()
        self.file = f"{self.folder}/cache.json"
        self.call(sys.executable, f"{PEERS}/make_refresh_cache.py", self.file, "1")

    def token(self):
        return self.program("refresh", NAME, self.provider.issuer, wanted=".0-")

    def renew(self):
        return self.program("force", NAME, self.provider.issuer, wanted=".0-")

    def stop(self):
        self.provider.stop()


def measure(folder, options, progress):
    """For each program and number of processes: times, requests, refresh tokens that had been replaced, and failures."""
    stores = {"keyfob": lambda *place: KeyfobSignedIn(*place, options.keyfob), "oidc-token": OIDCSignedIn,
              "msal-extensions": MSALSignedIn}
    found = {}
    for index, (name, make) in enumerate(stores.items()):
        progress(f"new tokens: {name}")
        # One account more than the one that is asked for; of the agent only that one.
        store = make(name, f"{folder}/{index}", 1)
        try:
            store.fill(options.setup_limit)
            found[name] = {str(count): rounds(store, count, options) for count in (1, 8)}
        except (Failure, NotPossible) as failure:
            found[name] = {"notPossible": str(failure)}
            progress(f"{name}: {failure}")
        finally:
            store.stop()
    shutil.rmtree(folder)
    return found


def rounds(store, count, options):
    walls, cpus, asked, reused, failed = [], [], [], 0, 0
    total = max(3, options.rounds // 5) if count > 1 else options.rounds
    for _ in range(total):
        store.provider.begin(SOON)
        run_checked(store, store.renew(), options.limit)
        store.provider.begin(LATER)
        taken = run(store, [store.token() for _ in range(count)], options.limit)
        counts = store.provider.begin(SOON)
        walls.append(taken.wall)
        cpus.append(taken.cpu)
        asked.append(counts["requests"])
        reused += counts["reused"]
        failed += sum(status != 0 or b".0-" not in output for status, output in zip(taken.statuses, taken.outputs))
    return {"wallMilliseconds": 1e3 * statistics.median(walls), "cpuMilliseconds": 1e3 * statistics.median(cpus),
            "requests": statistics.median(asked), "reused": reused, "failed": failed, "rounds": total}
