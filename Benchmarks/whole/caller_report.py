"""What the real callers took, as Markdown."""

from .report import cell, origin, put, row, save

PLACE = "Benchmarks/callers.py"
TITLES = {
    "git credential fill": ("git asks its helper: `git credential fill`", "git"),
    "git fetch": ("`git fetch` of a repository that wants a token, and has nothing new", "git"),
    "docker": ("docker's client for Python: `docker.credentials.Store(…).get(…)`, in a process that runs", "docker"),
    "kubectl get": ("`kubectl get --raw /version` with an exec plugin", "kubectl")}


def programs(document, caller):
    """All that took part, Keyfob first."""
    names = {}
    for size in document["sizes"]:
        names |= dict.fromkeys(size["callers"].get(caller, {}))
    return list(names)


def table(document, caller):
    sizes = document["sizes"]
    tool = TITLES[caller][1]
    head = [f"{size['accounts']:,} accounts: {text}" for size in sizes for text in (f"as {tool} calls it", "the protocol alone")]
    lines = [row(["", *head]), row(["---"] * (1 + len(head)))]
    for name in programs(document, caller):
        found = [size["callers"][caller].get(name, {}) for size in sizes]
        lines.append(row([name, *(cell(ways.get(way, {})) for ways in found for way in ("called", "alone"))]))
    return lines


def whole(document):
    lines = [origin(document, rounds(document)) + f" kubectl {document['kubectl']}."]
    for caller in document["sizes"][0]["callers"]:
        lines += ["", f"**{TITLES[caller][0]}**", "", *table(document, caller)]
    reasons = [f"- {name} ({size['accounts']:,}): {reason}" for size in document["sizes"] for name, reason in size["notPossible"].items()]
    reasons += [f"- {name}, {caller} ({size['accounts']:,}): {found['failures'][0]}" for size in document["sizes"]
                for caller, cells in size["callers"].items() for name, ways in cells.items() for found in ways.values() if found.get("failures")]
    return "\n".join(lines + (["", "What could not be measured, and why:", "", *reasons] if reasons else []))


def rounds(document):
    return max(found["rounds"] for size in document["sizes"] for cells in size["callers"].values() for ways in cells.values()
               for found in ways.values())


def write(document, out, pages):
    """Writes all into a folder, and into the page of the folder Benchmarks where that is wanted."""
    save(document, out, "callers")
    with open(f"{out}/callers.md", "w", encoding="utf-8") as file:
        file.write(whole(document) + "\n")
    if pages:
        put(f"{pages}/README.md", whole(document), PLACE)
    print(whole(document))
