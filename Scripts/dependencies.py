#!/usr/bin/env python3
"""Compares Scripts/dependencies.txt with what is there, or writes it as an SPDX 2.3 document.

    Scripts/dependencies.py declared              Package.swift names every package with its exact version, and
                                              Packaging/debian/copyright each with its licence
    Scripts/dependencies.py resolved              SwiftPM has resolved these packages and no others (slow: it may fetch them)
    Scripts/dependencies.py sbom [FILE]           writes FILE, or .build/keyfob.spdx.json

Prints one line for each breach; exits 1 if there is any.
"""

import datetime
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "Scripts" / "dependencies.txt"


def rows():
    """Name, version, licence and purpose of each row, in order."""
    found = {}
    for number, line in enumerate(LIST.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split(" : ")]
        if len(cells) != 4 or not all(cells) or cells[0] in found:
            sys.exit(f"Scripts/dependencies.txt:{number}: not 'package : version : licence : purpose', or there twice")
        found[cells[0]] = cells[1:]
    return found


def run(*words):
    return subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def packages(found):
    return {name: cells[0] for name, cells in found.items() if cells[0] != "*"}


def within(found):
    """The rows of what is compiled, linked or loaded."""
    return {name: cells for name, cells in found.items() if not cells[2].startswith("nothing:")}


def declared(found):
    """Breaches among the dependencies that Package.swift declares."""
    for dependency in json.loads(run("swift", "package", "dump-package"))["dependencies"]:
        for source in dependency.get("sourceControl", []):
            name, exact = source["identity"], source["requirement"].get("exact")
            if not exact:
                yield f"Package.swift: {name} has no exact version"
            elif packages(found).get(name) != exact[0]:
                yield f"Package.swift: {name} {exact[0]} is not in Scripts/dependencies.txt"
    licences = (ROOT / "Packaging" / "debian" / "copyright").read_text()
    for name in packages(found):
        if f"full/{name}/*" not in licences and name in within(found):
            yield f"Packaging/debian/copyright: says nothing of {name}"
    for name in packages(found).keys() - within(found).keys():
        if f"full/{name}/*" in licences:
            yield f"Packaging/debian/copyright: {name} is not within"


def tree():
    """The packages that were resolved: identity to version, address and what each depends on."""
    nodes = {}

    def visit(node):
        nodes[node["identity"]] = (node["version"], node["url"], [child["identity"] for child in node["dependencies"]])
        for child in node["dependencies"]:
            visit(child)

    root = json.loads(run("swift", "package", "show-dependencies", "--format", "json"))
    for child in root["dependencies"]:
        visit(child)
    return nodes, [child["identity"] for child in root["dependencies"]]


def resolved(found):
    """Breaches among the packages that were resolved."""
    nodes, _ = tree()
    for name, version in packages(found).items():
        if name not in nodes:
            yield f"Scripts/dependencies.txt: {name} is not among the packages that were resolved"
        elif nodes[name][0] != version:
            yield f"{name}: {nodes[name][0]} was resolved, Scripts/dependencies.txt says {version}"
    for name in nodes.keys() - packages(found).keys():
        yield f"{name} {nodes[name][0]}: it was resolved, and has no row in Scripts/dependencies.txt"


def sbom(found):
    """The SPDX document; the same for the same commit and system."""
    nodes, direct = tree()
    commit = run("git", "rev-parse", "HEAD").strip()
    seconds = int(run("git", "show", "-s", "--format=%ct", "HEAD"))
    version = re.search(r'version = "([^"]+)"', (ROOT / "Sources/KeyfobModel/Release.swift").read_text())[1]

    def package(name, version, licence, purpose, location):
        return {
            "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
            "name": name, "versionInfo": version, "downloadLocation": location, "filesAnalyzed": False,
            "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION", "comment": purpose,
        }

    own = package("keyfob", version, "MIT", "An encrypted keyring for OAuth accounts and tokens.", "NOASSERTION")
    own |= {"primaryPackagePurpose": "APPLICATION", "sourceInfo": f"commit {commit}"}
    listed, relations = [own], [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    for name, (wanted, licence, purpose) in within(found).items():
        if wanted == "*":
            asked = subprocess.run(
                ["dpkg-query", "-W", "-f=${Version}", name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            if asked.returncode == 0:
                wanted = asked.stdout
            location, reference = "NOASSERTION", f"pkg:deb/debian/{name}"
        else:
            address = re.sub(r"\.git$", "", nodes[name][1])
            location, reference = f"git+{address}@{wanted}", f"pkg:swift/{address.removeprefix('https://')}@{wanted}"
        entry = package(name, "NOASSERTION" if wanted == "*" else wanted, licence, purpose, location)
        entry["externalRefs"] = [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": reference}]
        listed.append(entry)
        if found[name][0] == "*" or name in direct:
            relations.append((own["SPDXID"], "DEPENDS_ON", entry["SPDXID"]))
        for child in nodes.get(name, (None, None, []))[2]:
            if child not in within(found):
                continue
            relations.append((entry["SPDXID"], "DEPENDS_ON", f"SPDXRef-{child}"))
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"keyfob-{version}",
        "documentNamespace": f"https://keyfob.example/spdx/keyfob-{version}-{commit}",
        "creationInfo": {"created": created, "creators": ["Tool: Scripts/dependencies.py"]},
        "packages": listed,
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
            for one, kind, other in relations],
    }


def main():
    mode, rest = (sys.argv[1] if len(sys.argv) > 1 else ""), sys.argv[2:]
    found = rows()
    if mode in ("declared", "resolved") and not rest:
        breaches = list((declared if mode == "declared" else resolved)(found))
        for breach in breaches:
            print(breach, file=sys.stderr)
        sys.exit(1 if breaches else 0)
    if mode == "sbom" and len(rest) < 2:
        breaches = list(resolved(found))
        for breach in breaches:
            print(breach, file=sys.stderr)
        if breaches:
            sys.exit(1)
        path = pathlib.Path(rest[0]) if rest else ROOT / ".build" / "keyfob.spdx.json"
        path.write_text(json.dumps(sbom(found), indent=2, ensure_ascii=False) + "\n")
        print(path)
        return
    print(__doc__, file=sys.stderr)
    sys.exit(64)


main()
