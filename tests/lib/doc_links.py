#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""doc_links.py: prints each link of the pages of this tree that leads nowhere, each page that
docs/index.md does not link to, and each docs/PAGE.md that a source names and that is not there.
Fails if there is one. The tree is that of the working directory."""

import glob
import os
import re
import sys

LINK = re.compile(r'\]\(([^)#:\s]+)(?:#[^)]*)?\)')
EXAMPLE = re.compile(r'^(?: {4}|\t).*$', re.M)
NAMED = re.compile(r'\bdocs/[a-z]+\.md\b')


def read(path):
    with open(path, encoding='utf-8', errors='replace') as file:
        return file.read()


def links(page):
    for target in LINK.findall(EXAMPLE.sub('', read(page))):
        yield os.path.normpath(os.path.join(os.path.dirname(page), target))


def sources():
    for root in ('bpf', 'examples', 'include', 'tests', 'tools', 'user'):
        for folder, _, names in os.walk(root):
            yield from (os.path.join(folder, name) for name in names)


def faults():
    pages = glob.glob('docs/*.md') + ['README.md', 'CONTRIBUTING.md']
    for page in pages:
        for target in links(page):
            if not os.path.exists(target):
                yield f'{page}: links to {target}, which is not there'
    listed = set(links('docs/index.md')) | {'docs/index.md'}
    for page in glob.glob('docs/*.md'):
        if page not in listed:
            yield f'docs/index.md: has no link to {page}'
    for source in sources():
        for page in set(NAMED.findall(read(source))):
            if not os.path.exists(page):
                yield f'{source}: names {page}, which is not there'


found = sorted(faults())
print('\n'.join(found))
sys.exit(bool(found))
