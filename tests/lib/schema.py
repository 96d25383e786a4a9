#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/lib/schema.py check SCHEMA SEEN FILE...
tests/lib/schema.py rules SCHEMA...
tests/lib/schema.py unseen SCHEMA SEEN

check   validates each line of the files with python3-jsonschema, and adds the properties that it has to SEEN.
        Of many lines of one shape the first five are validated.
rules   the schema is valid itself; each object is closed; each property has a description, each number a unit; a
        property that may be absent says when it is there, as a sentence that begins with "Only".
unseen  prints properties that no checked output had: "always" those that are required where their object is, which
        fails, "only" those that say when they are there.
"""

import json
import sys

import jsonschema

VALIDATOR = jsonschema.Draft202012Validator


def load(path):
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def target(schema, root):
    while '$ref' in schema:
        schema = root['$defs'][schema['$ref'].rsplit('/', 1)[1]]
    return schema


def shape(value):
    if isinstance(value, dict):
        return tuple((k, shape(v)) for k, v in value.items())
    if isinstance(value, list):
        return tuple(sorted({repr(shape(v)) for v in value}))
    return type(value).__name__


class Seen:
    """Paths of properties in a schema, NAME/DEFINITION/property/[]..., of values that were valid."""

    def __init__(self, root):
        self.root = root
        self.paths = set()

    def take(self, value, schema, path):
        if '$ref' in schema:
            path = schema['$ref']
            schema = target(schema, self.root)
        for i, choice in enumerate(schema.get('oneOf', schema.get('anyOf', []))):
            resolved = {'$defs': self.root.get('$defs', {}), **choice}
            if VALIDATOR(resolved).is_valid(value):
                self.take(value, choice, f'{path}|{i}')
        if isinstance(value, dict):
            for key, member in value.items():
                if key in schema.get('properties', {}):
                    self.paths.add(f'{path}/{key}')
                    self.take(member, schema['properties'][key], f'{path}/{key}')
                elif isinstance(schema.get('additionalProperties'), dict):
                    self.take(member, schema['additionalProperties'], f'{path}/*')
        elif isinstance(value, list) and 'items' in schema:
            for member in value:
                self.take(member, schema['items'], f'{path}/[]')


def properties(root):
    """(path, schema, required) of each property, as Seen names them."""
    done = set()

    def walk(schema, path):
        if '$ref' in schema:
            path = schema['$ref']
            if path in done:
                return
            done.add(path)
            schema = target(schema, root)
        for i, choice in enumerate(schema.get('oneOf', schema.get('anyOf', []))):
            yield from walk(choice, f'{path}|{i}')
        for key, member in schema.get('properties', {}).items():
            yield f'{path}/{key}', member, key in schema.get('required', [])
            yield from walk(member, f'{path}/{key}')
        if isinstance(schema.get('additionalProperties'), dict):
            yield from walk(schema['additionalProperties'], f'{path}/*')
        if 'items' in schema:
            yield from walk(schema['items'], f'{path}/[]')

    yield from walk(root, '')


def check(schema_path, seen_path, files):
    root = load(schema_path)
    validator = VALIDATOR(root)
    seen = Seen(root)
    shapes = {}
    for path in files:
        with open(path, encoding='utf-8') as file:
            lines = file.readlines()
        if not lines:
            sys.exit(f'{path} is empty')
        for number, line in enumerate(lines, 1):
            value = json.loads(line)
            form = hash(shape(value))
            shapes[form] = shapes.get(form, 0) + 1
            if shapes[form] > 5:
                continue
            for error in validator.iter_errors(value):
                best = jsonschema.exceptions.best_match([error])
                sys.exit(f'{path}:{number}: {best.json_path}: {best.message[:600]}')
            if shapes[form] == 1:
                seen.take(value, root, '')
    with open(seen_path, 'a', encoding='utf-8') as file:
        file.writelines(f'{path}\n' for path in sorted(seen.paths))


def closed(schema, path, faults):
    if isinstance(schema, list):
        for member in schema:
            closed(member, path, faults)
        return
    if not isinstance(schema, dict):
        return
    kinds = schema.get('type', [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if 'object' in kinds and 'additionalProperties' not in schema:
        faults.append(f'{path}: an object that is not closed')
    if ('integer' in kinds or 'number' in kinds) and 'x-unit' not in schema and 'string' not in kinds:
        faults.append(f'{path}: a number without a unit')
    for key, member in schema.items():
        if key in ('properties', '$defs'):
            for name, inner in member.items():
                closed(inner, f'{path}/{name}', faults)
        elif key != 'enum':
            closed(member, path, faults)


def rules(paths):
    faults = []
    for path in paths:
        root = load(path)
        VALIDATOR.check_schema(root)
        closed(root, path, faults)
        for place, schema, required in properties(root):
            says = schema.get('description') or target(schema, root).get('description')
            if not says:
                faults.append(f'{path}: {place}: no description')
            elif not required and 'Only ' not in schema.get('description', ''):
                faults.append(f'{path}: {place}: may be absent, and does not say when it is there')
    if faults:
        sys.exit('\n'.join(faults))


def unseen(schema_path, seen_path):
    root = load(schema_path)
    with open(seen_path, encoding='utf-8') as file:
        seen = set(file.read().split('\n'))
    missing = set()
    conditional = set()
    bad = False
    for place, schema, required in properties(root):
        nullable = 'null' in schema.get('type', []) or {'type': 'null'} in schema.get('anyOf', [])
        if nullable or 'Only ' in schema.get('description', ''):
            conditional.add(place)
        if place in seen:
            continue
        above = place.rsplit('/', 1)[0]
        never = any(above == m or above.startswith((m + '/', m + '|')) for m in missing | conditional)
        missing.add(place)
        always = required and not never and not (place.startswith('#') and not any(s.startswith(above) for s in seen))
        bad |= always
        print('always' if always else 'only', place)
    return 1 if bad else 0


def main(args):
    if args[0] == 'check':
        check(args[1], args[2], args[3:])
    elif args[0] == 'rules':
        rules(args[1:])
    else:
        return unseen(args[1], args[2])
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
