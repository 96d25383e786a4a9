# SPDX-License-Identifier: Apache-2.0
"""csource: what tools/figures and tools/style-check know of a C file of this tree.

The tree has kernel braces: a function's "{" and "}" stand in the first column. That is all the
grammar that is needed here; comments and literals are found character by character.
"""

import os
import re

CODE_DIRS = ('user', 'bpf', 'include')
KEYWORDS = {'if', 'for', 'while', 'switch', 'return', 'sizeof', 'defined', '__attribute__'}
PIECES = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
NAME = re.compile(r'([A-Za-z_]\w*)\s*\(')


def width(line):
    """Columns of a line, with tabs of eight."""
    return len(line.expandtabs(8))


class Function:
    def __init__(self, name, is_static, line, lines):
        self.name, self.is_static, self.line, self.lines = name, is_static, line, lines


class Source:
    """One file: its lines, comments [(line, text)], code without either, functions, includes."""

    def __init__(self, root, path):
        self.path = path
        with open(os.path.join(root, path), encoding='utf-8') as file:
            self.text = file.read()
        self.lines = self.text.split('\n')[:-1]
        self.comments = []
        self.code = PIECES.sub(self._blank, self.text)
        self.includes = re.findall(r'^\s*#\s*include\s+"([^"]+)"', self.text, re.M)
        self.functions = list(self._functions())

    def _blank(self, match):
        piece = match.group(0)
        if piece[0] == '/':
            self.comments.append((self.text.count('\n', 0, match.start()) + 1, piece))
        return re.sub(r'[^\n]', ' ', piece)

    def _functions(self):
        lines = self.code.split('\n')
        for number, line in enumerate(lines):
            if line != '{':
                continue
            head = number - 1
            while head > 0 and re.match(r'[\s)]', lines[head] or 'x'):
                head -= 1
            text = re.sub(r'__attribute__\s*\(\(.*?\)\)', ' ', ' '.join(lines[head:number]))
            names = [n for n in NAME.findall(text) if n not in KEYWORDS]
            if not names or '=' in text.split('(')[0]:
                continue
            end = next((i for i in range(number, len(lines)) if lines[i].startswith('}')), number)
            yield Function(names[0], text.startswith('static '), head + 1, end - number + 1)

    def comment_lines(self):
        return sum(text.count('\n') + 1 for _, text in self.comments)


def read_tree(root, dirs=CODE_DIRS):
    """All .c and .h files below @dirs of @root, by path."""
    found = {}
    for top in dirs:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith(('.c', '.h')):
                    path = os.path.relpath(os.path.join(folder, name), root)
                    found[path] = Source(root, path)
    return found


def included(source, files):
    """The files of the tree that @source includes: beside it, or below a directory of -I."""
    beside = os.path.dirname(source.path)
    for name in source.includes:
        for place in (beside, 'user', 'include', 'bpf'):
            path = os.path.normpath(os.path.join(place, name))
            if path in files:
                yield path
                break


def room_of(path):
    parts = path.split('/')
    return parts[1] if parts[0] == 'user' and len(parts) > 2 else None


def circles(edges):
    """The circles (strongly connected parts of two and more) of {node: set of nodes}."""
    order, low, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in edges.get(node, ()):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            part = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(part) > 1:
                found.append(sorted(part))

    for node in sorted(edges):
        if node not in order:
            visit(node)
    return found
