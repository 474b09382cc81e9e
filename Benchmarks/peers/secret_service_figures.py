"""Times, and the table of them."""

import os
import resource
import statistics
import subprocess
import time


OWN = "Keyfob, delegated"


class Failure(Exception):
    """What a program did instead of what it should."""


def checked_output(command, environment=None, content=None, limit=600, expected=0):
    """What a program prints, as bytes, when it ends with the expected status."""
    try:
        done = subprocess.run(command, env=environment, input=content or b"", stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        raise Failure("has not ended") from None
    if done.returncode != expected:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["nothing on standard error"]
        raise Failure(f"ends with {done.returncode}: {lines[-1]}")
    return done.stdout


class Board:
    """What was measured with one number of credentials."""

    def __init__(self, services, size):
        self.services, self.size = services, size
        self.facts = [(service.count(), os.path.getsize(service.file)) for service in services]
        self.figures, self.processor, self.failures = {}, {}, {}
        self.load = [os.getloadavg()[0]]

    def time(self, figure, who, action):
        """Measures once, when the services have nothing else to do any more; whether it worked.

        What has failed twice is not tried again.
        """
        if len(self.failures.get((figure, who), [])) > 1:
            return False
        for service in self.services:
            service.settle()
        self.load.append(os.getloadavg()[0])
        before, start = self.processor_time(), time.perf_counter()
        try:
            action()
        except Failure as failure:
            self.fail(figure, who, failure, time.perf_counter() - start)
            return False
        self.add(figure, who, 1e3 * (time.perf_counter() - start))
        self.processor.setdefault((figure, who), []).append(1e3 * (self.processor_time() - before))
        return True

    def processor_time(self):
        """The seconds of processor time of the services and of the programs that have ended."""
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return ended.ru_utime + ended.ru_stime + sum(service.processor_time() for service in self.services)

    def check(self, figure, who, action):
        """Does something that is not measured, and must work."""
        for service in self.services:
            service.settle()
        try:
            action()
        except Failure as failure:
            self.fail(figure, who, failure)

    def add(self, figure, who, milliseconds):
        self.figures.setdefault((figure, who), []).append(milliseconds)

    def fail(self, figure, who, failure, seconds=None):
        self.figures.setdefault((figure, who), [])
        after = "" if seconds is None else f", after {seconds:.1f} s"
        self.failures.setdefault((figure, who), []).append(f"{failure}{after}")

    def rows(self):
        """Figure, who, median, least, processor time, how often, how many times Keyfob's, and what failed."""
        for key, values in self.figures.items():
            own = self.figures.get((key[0], OWN)) or None
            median = statistics.median(values) if values else None
            ratio = median / statistics.median(own) if own and values else None
            processor = statistics.median(self.processor[key]) if key in self.processor else None
            yield *key, median, min(values, default=None), processor, len(values), ratio, self.failures.get(key, [])

    def heading(self):
        held = " and ".join(f"{count} items, {size / 2**20:.1f} MiB" for count, size in self.facts)
        return f"{self.size} credentials ({held}), load {min(self.load):.1f} to {max(self.load):.1f}"

    def text(self):
        lines, last = [self.heading(), f"  {'':56}{'median':>9}{'least':>9}{'CPU':>9}{'of':>4}"], None
        for figure, who, median, least, processor, count, ratio, failures in self.rows():
            line = f"  {figure if figure != last else '':30}{who:26}"
            line += f"{shown(median)}{shown(least)}{shown(processor)}{count:4}"
            lines.append(line + (f"{ratio:9.2f} x" if ratio and who != OWN else ""))
            if failures:
                lines.append(f"  {'':30}  failed {len(failures)} x: {failures[0]}")
            last = figure
        return "\n".join(lines) + "\n"

    def document(self):
        names = ["name", "who", "median", "least", "processor", "count", "ratio", "failures"]
        figures = [dict(zip(names, row)) for row in self.rows()]
        return {"credentials": self.size, "keyrings": [{"items": count, "bytes": size} for count, size in self.facts],
                "load": [min(self.load), max(self.load)], "figures": figures}


def shown(value):
    if value is None:
        return f"{'–':>9}"
    return f"{value:9.{0 if value >= 100 else 1 if value >= 10 else 2}f}"
