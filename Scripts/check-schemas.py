#!/usr/bin/env python3
"""Checks Schemas/: every *.schema.json is a JSON Schema (2020-12), and of its examples in Schemas/examples/<schema>/
every valid-*.json validates and every invalid-*.json does not. Prints one line for each breach and nothing else."""

import json
import pathlib
import sys

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

FOLDER = pathlib.Path("Schemas")
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def read(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        print(f"{path}: not JSON: {error}")


def registry(schemas):
    """All schemas, under their file names and their ids, for references among them."""
    resources = []
    for path, schema in schemas.items():
        resource = Resource.from_contents(schema, default_specification=DRAFT202012)
        resources += [(name, resource) for name in {path.name, schema.get("$id", path.name)}]
    return Registry().with_resources(resources)


def check_schema(path, schema):
    if schema.get("$schema") != DIALECT:
        print(f"{path}: \"$schema\" is not {DIALECT}")
    try:
        Draft202012Validator.check_schema(schema)
        return True
    except SchemaError as error:
        print(f"{path}: no JSON Schema: {error.message} at {error.json_path}")
        return False


def check_examples(name, validator):
    folder = FOLDER / "examples" / name
    for prefix, wanted in (("valid", True), ("invalid", False)):
        examples = sorted(folder.glob(f"{prefix}-*.json"))
        if not examples:
            print(f"{folder}: no {prefix}-*.json")
        for path in examples:
            document = read(path)
            if document is None:
                continue
            error = next(iter(validator.iter_errors(document)), None)
            if wanted and error:
                print(f"{path}: does not validate: {error.message} at {error.json_path}")
            elif not wanted and not error:
                print(f"{path}: validates, and should not")
    for path in sorted(folder.glob("*")):
        if not (path.match("valid-*.json") or path.match("invalid-*.json")):
            print(f"{path}: an example is called valid-….json or invalid-….json")


def main():
    schemas = {path: read(path) for path in sorted(FOLDER.glob("*.schema.json"))}
    schemas = {path: schema for path, schema in schemas.items() if schema is not None}
    names = {path.name.removesuffix(".schema.json") for path in schemas}
    for folder in sorted((FOLDER / "examples").glob("*")):
        if folder.name not in names:
            print(f"{folder}: there is no schema {folder.name}.schema.json")
    known = registry(schemas)
    for path, schema in schemas.items():
        if not check_schema(path, schema):
            continue
        validator = Draft202012Validator(schema, registry=known, format_checker=Draft202012Validator.FORMAT_CHECKER)
        try:
            check_examples(path.name.removesuffix(".schema.json"), validator)
        except Unresolvable as error:
            print(f"{path}: a reference leads nowhere: {error}")


sys.exit(main())
