"""Holds documents against the schemas in a folder.

usage: documents.py SCHEMAS < [{"schema": NAME, "text": DOCUMENT, "origin": WHERE}, …]
Prints a line for each that does not follow its schema, or how many do."""

import json
import pathlib
import sys

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

folder = pathlib.Path(sys.argv[1])
schemas = {path.name.removesuffix(".schema.json"): json.loads(path.read_text()) for path in folder.glob("*.schema.json")}
registry = Registry().with_resources((schema["$id"], Resource.from_contents(schema)) for schema in schemas.values())
items = json.load(sys.stdin)
breaches = []
for item in items:
    if item["schema"] not in schemas:
        breaches.append(f"{item['origin']}: there is no schema {item['schema']}")
        continue
    try:
        document = json.loads(item["text"])
    except ValueError as error:
        breaches.append(f"{item['origin']}: not JSON: {error}")
        continue
    validator = Draft202012Validator(
        schemas[item["schema"]], registry=registry, format_checker=Draft202012Validator.FORMAT_CHECKER
    )
    for error in validator.iter_errors(document):
        breaches.append(f"{item['origin']}: {error.json_path}: {error.message}")
print("\n".join(breaches) if breaches else f"{len(items)} documents follow their schemas")
sys.exit(1 if breaches else 0)
