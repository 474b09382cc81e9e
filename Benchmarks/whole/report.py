"""What was measured, as Markdown."""

import json
import os
import re
import shutil
import signal
import sys

from . import chart

BEGIN = "<!-- Written by {}: run it, change nothing here. -->"
PLACE = "Benchmarks/whole_process.py"
END = "<!-- End of what is written -->"
FIGURES = {
    "lookup": "Look up the token of one account, chosen by chance", "list": "List all accounts", "store": "Store one new account",
    "export": "Export all", "import": "Import all", "same": "Eight processes store a token of the same account at once",
    "new": "Eight processes store one new account each at once"}


def duration(milliseconds):
    if milliseconds >= 9_950:
        return f"{milliseconds / 1_000:.0f} s"
    if milliseconds >= 995:
        return f"{milliseconds / 1_000:.1f} s"
    return f"{milliseconds:.0f} ms" if milliseconds >= 99.5 else f"{milliseconds:.2g} ms"


def ratio(value):
    return f"{value:.0f} ×" if value >= 9.95 else f"{value:.2f} ×" if value < 1.995 else f"{value:.1f} ×"


def cell(figures):
    """Time and ratio, in brackets those of the processors, and what else happened."""
    text = "–"
    if "wallMilliseconds" in figures:
        text = (f"{duration(figures['wallMilliseconds'])}, {ratio(figures['wallRatio'])} "
                f"({duration(figures['cpuMilliseconds'])}, {ratio(figures['cpuRatio'])})")
    elif figures.get("failures"):
        text = "fails"
    remarks = figures.get("remarks", {})
    times = remarks.get("gatherings", 0)
    for what, words in (("failed", f"{{}} of {8 * times} failed"), ("lost", f"{{}} of {8 * times} lost"),
                        ("wrong", f"{{}} of {times} wrong"), ("broke", f"**{{}} of {times} lost older accounts**")):
        if remarks.get(what):
            text += "; " + words.format(remarks[what])
    return text


def row(cells):
    return "| " + " | ".join(cells) + " |"


def measured(document, figure):
    """The sizes with which a figure was measured: a brief run leaves large ones out."""
    return [size for size in document["sizes"] if figure in size["figures"]]


def head(document, figure, first):
    sizes = [f"{size['accounts']:,}" for size in measured(document, figure)]
    return [row([first, *sizes]), row(["---"] * (1 + len(sizes)))]


def names(document):
    """All programs, the floor and Keyfob first."""
    return list(document["sizes"][0]["setup"])


def figure_table(document, figure):
    lines = head(document, figure, "")
    for name in names(document):
        found = [size["figures"][figure][name] for size in measured(document, figure)]
        if any("wallMilliseconds" in each or each.get("failures") for each in found):
            lines.append(row([name, *(cell(each) for each in found)]))
    return lines


def notes(document, figures):
    """Why something could not be measured: each reason once, with the programs, what they were to do, and with how many accounts."""
    reasons = {}
    for figure in figures:
        for size in document["sizes"]:
            for name, found in size["figures"].get(figure, {}).items():
                reason = found.get("notPossible") or (found.get("failures") or [None])[0]
                if reason:
                    places = reasons.setdefault(reason, {}).setdefault(name, ([], []))
                    for values, value in zip(places, (figure, f"{size['accounts']:,}")):
                        if value not in values:
                            values.append(value)
    everything = list(document["sizes"][0]["figures"])
    everywhere = [f"{size['accounts']:,}" for size in document["sizes"]]
    for reason, programs in reasons.items():
        grouped = {}
        for name, (which, sizes) in programs.items():
            what = "" if which == everything else ", ".join(which)
            where = "" if sizes == everywhere else f" with {' and '.join(sizes)}"
            grouped.setdefault(what + where, []).append(name)
        who = [", ".join(names_there) + (f" ({place.strip()})" if place else "") for place, names_there in grouped.items()]
        yield f"- {reason}: {'; '.join(who)}"


def origin(document, rounds):
    """When and on what it was measured."""
    versions = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    busy = ", **while the machine was busy with other work**" if document["loadBefore"] > 0.5 else ""
    quick = " with `--quick`: few rounds" if document["isQuick"] else ""
    if document.get("isBrief"):
        quick = " with `--brief`: of large numbers the lookup alone, and only what is set up in a moment"
    return (f"Measured on {document['date']}{quick}{busy} (load {document['loadBefore']:.1f} before, "
            f"{document['loadAfter']:.1f} after) on {document['machine']}; medians of at most {rounds} rounds. "
            f"keyfob {document['keyfob']}; {versions}.")


def rounds(document):
    """How many there were of what had the most, but for the floor."""
    return max(each["rounds"] for size in document["sizes"] for figure in size["figures"].values()
               for name, each in figure.items() if name != names(document)[0])


def aims(document):
    """Whether a lookup is as fast as it is to be."""
    def figures(name, part):
        found = {size["accounts"]: size["figures"]["lookup"].get(name, {}).get(part) for size in document["sizes"]}
        return {size: value for size, value in found.items() if value is not None}

    for program, where, limit in (("keyfob", "", 1.0), ("keyfob (bound)", " in a bound directory", 1.1)):
        most = figures(program, "cpuRatio")
        if most:
            yield max(most.values()) <= limit, f"a lookup{where} takes at most {limit} × the floor's processor time", [
                f"{ratio(value)} with {size:,}" for size, value in most.items()]
    for program, who in (("keyfob", ""), ("git-credential-keyfob", "as git's helper ")):
        for peer in ("git-credential-cache", "oidc-token"):
            for part, words in (("wall", "time"), ("cpu", "processor time")):
                own, others = (figures(name, part + "Milliseconds") for name in (program, peer))
                both = {size: own[size] / others[size] for size in own if size in others}
                if both:
                    found = [f"{ratio(value)} with {size:,}" for size, value in both.items()]
                    yield max(both.values()) < 1, f"{who}less {words} than `{peer}`", found


def refresh_table(document):
    lines = ["", "**A new token in place of one that is about to expire, one process and eight at once**", "",
             row(["", "one", "eight", "requests for the eight", "with a replaced refresh token", "without a token"]), row(["---"] * 6)]
    for name, found in document["refresh"].items():
        if "notPossible" in found:
            lines.append(row([name, "–", "–", "–", "–", found["notPossible"]]))
            continue
        one, eight = found["1"], found["8"]
        times = [f"{duration(each['wallMilliseconds'])} ({duration(each['cpuMilliseconds'])})" for each in (one, eight)]
        total = 8 * eight["rounds"]
        lines.append(row([name, *times, f"{eight['requests']:.0f}", str(eight["reused"]), f"{eight['failed']} of {total}"]))
    return lines


def whole(document):
    """All tables."""
    lines = [origin(document, rounds(document))]
    figures = list(document["sizes"][0]["figures"])
    for figure in figures:
        lines += ["", f"**{FIGURES[figure]}**", "", *figure_table(document, figure)]
    if document["refresh"]:
        lines += refresh_table(document)
    if "lookup" in figures:
        lines += ["", "What was aimed at:", ""] + [
            f"- {'met' if is_met else '**not met**'}: {aim} ({', '.join(found)})" for is_met, aim, found in aims(document)]
    reasons = list(notes(document, figures))
    return "\n".join(lines + (["", "What could not be measured, and why:", "", *reasons] if reasons else []))


def put(path, text, place=PLACE):
    """Writes the text between the two marks of a page, for a program in this place."""
    begin = BEGIN.format(place)
    with open(path, encoding="utf-8") as file:
        page = file.read()
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(END)}", re.DOTALL)
    if len(pattern.findall(page)) != 1:
        raise SystemExit(f"whole_process.py: {path} does not have the two marks once")
    with open(path, "w", encoding="utf-8") as file:
        file.write(pattern.sub(lambda _: f"{begin}\n{text}\n{END}", page))


def folder(path):
    """Makes the folder for what is measured. SIGTERM ends the run from now on as an exit does, which stops the services too."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.makedirs(path, exist_ok=True)
    return os.path.abspath(path)


def save(document, out, name):
    """Keeps a document in a folder."""
    with open(f"{out}/{name}.json", "w", encoding="utf-8") as file:
        json.dump(document, file, indent=2, ensure_ascii=False)
        file.write("\n")


def write(document, out, pages):
    """Writes all into a folder, and into the page of the folder Benchmarks where that is given."""
    save(document, out, "whole-process")
    with open(f"{out}/whole-process.md", "w", encoding="utf-8") as file:
        file.write(whole(document) + "\n")
    has_lookup = "lookup" in document["sizes"][0]["figures"]
    if has_lookup:
        with open(f"{out}/lookup.svg", "w", encoding="utf-8") as file:
            file.write(chart.lookup(document))
    if pages and has_lookup:
        shutil.copy(f"{out}/lookup.svg", f"{pages}/lookup.svg")
        put(f"{pages}/README.md", "![How long a lookup takes with each program](lookup.svg)\n\n" + whole(document))
    print(whole(document))
