#!/usr/bin/env python3
"""Checks the Markdown pages: every relative link leads to a file of the project, and its anchor to a heading there; in DocC's
pages every <doc:NAME> to a page. Prints one line for each breach and nothing else."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("Schemas/*.md"), *ROOT.glob("Samples/*.md"),
         *ROOT.glob("Benchmarks/*.md"), *ROOT.glob("Sources/*/*.docc/**/*.md")]
LINK = re.compile(r"\]\(([^()\s]+)\)")


def prose(text):
    """The lines outside of blocks, with their numbers."""
    is_block = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            is_block = not is_block
        elif not is_block:
            yield number, line


def anchors(path):
    """The anchors of a page's headings, as GitHub names them."""
    names, seen = set(), {}
    for _, line in prose(path.read_text(encoding="utf-8")):
        heading = re.match(r"#+ +(.+?) *#*$", line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
            name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            names.add(f"{name}-{seen[name]}" if name in seen else name)
            seen[name] = seen.get(name, 0) + 1
    return names


def breaches(page):
    for number, line in prose(page.read_text(encoding="utf-8")):
        line = re.sub(r"`[^`]*`", "``", line)
        for target in LINK.findall(line):
            path, _, anchor = target.partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            file = (page.parent / path).resolve() if path else page
            if not file.exists() or not file.is_relative_to(ROOT):
                yield number, f"there is no {target}"
            elif anchor and (file.suffix != ".md" or anchor not in anchors(file)):
                yield number, f"{target}: there is no such heading"
        for name in re.findall(r"<doc:([^>#]+)", line):
            if not any(other.stem == name and other.is_relative_to(page.parent) for other in PAGES):
                yield number, f"there is no page {name}"


for page in sorted(PAGES):
    for number, breach in breaches(page):
        print(f"{page.relative_to(ROOT)}:{number}: {breach}")
