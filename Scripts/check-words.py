#!/usr/bin/env python3
"""Checks how long the documentation is: the README, all pages together, and each sentence outside of blocks, tables and
headings. Prints one line for each breach and nothing else. Words are those of `wc -w`, but for the diagrams; within a sentence a
name in `…` is one."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
README, ALL, SENTENCE = 900, 25_000, 35
DIAGRAM = re.compile(r"^```mermaid$.*?^```$", re.MULTILINE | re.DOTALL)
#: Where a paragraph begins anew: a point of a list, a quotation.
POINT = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+|\s*>\s*")
#: What ends a sentence: a mark, and behind it a space and no small letter.
END = re.compile(r"(?<=[.!?])[)*_\"]*\s+(?![a-z])")


def paragraphs(text):
    """Each paragraph and point of a list as its words, with the line of each."""
    words, is_block = [], False
    for number, line in enumerate(re.sub(r"<!--.*?-->", lambda hidden: "\n" * hidden[0].count("\n"), text, flags=re.DOTALL).split("\n"), 1):
        is_fence = line.lstrip().startswith("```")
        is_prose = not (is_block or is_fence or line.lstrip().startswith(("|", "#")) or not line.strip())
        if words and (not is_prose or POINT.match(line)):
            yield words
            words = []
        if is_prose:
            words.append((number, POINT.sub("", line, count=1) if POINT.match(line) else line))
        is_block ^= is_fence
    if words:
        yield words


def sentences(lines):
    """The sentences of a paragraph, each with the line where it begins and how many words it has."""
    text = "".join(f"{line.strip()} \0{number}\0" for number, line in lines)
    # A mark follows each line, so that names and links over two lines are still found; `number` is read back below.
    marks = [(found.start(), int(found[1])) for found in re.finditer("\0(\\d+)\0", text)]
    plain = re.sub("\0\\d+\0", lambda mark: " " * len(mark[0]), text)
    plain = re.sub(r"`[^`]*`", lambda name: "X" * len(name[0]), plain)
    plain = re.sub(r"\]\([^)]*\)", lambda target: "]" + " " * (len(target[0]) - 1), plain)
    start = 0
    for end in [*(found.end() for found in END.finditer(plain)), len(plain)]:
        count = sum(any(sign.isalnum() for sign in word) for word in plain[start:end].split())
        if count:
            first = start + len(plain[start:end]) - len(plain[start:end].lstrip())
            yield next(number for place, number in marks if place >= first), count
        start = end


def main():
    readme, pages = ROOT / "README.md", [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
    texts = {page: page.read_text(encoding="utf-8") for page in sorted(pages)}
    if (count := len(texts[readme].split())) > README:
        print(f"README.md: {count} words, more than {README}")
    if (count := sum(len(DIAGRAM.sub("", text).split()) for text in texts.values())) > ALL:
        print(f"the documentation (*.md, docs/*.md): {count} words, more than {ALL}")
    for page, text in texts.items():
        for lines in paragraphs(text):
            for number, count in sentences(lines):
                if count > SENTENCE:
                    print(f"{page.relative_to(ROOT)}:{number}: a sentence of {count} words, more than {SENTENCE}")


main()
