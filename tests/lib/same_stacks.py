# SPDX-License-Identifier: Apache-2.0
"""same_stacks.py OURS THEIRS: are the goroutines of `gotap stacks` those of the process's own dump (pprof debug=2)?

Equal are state, functions, files, lines, offsets and creator of each goroutine that does not run. Arguments are left out,
and minutes. Of a stack that one of the two shortens, the innermost and outermost 45 frames count."""
import re
import sys

HEADER = re.compile(r'goroutine (\d+) \[([^\]]*)\](.*):$')


def function(line):
    """Without its arguments: what stands in the last parentheses."""
    depth = 0
    for i in range(len(line) - 1, -1, -1):
        depth += (line[i] == ')') - (line[i] == '(')
        if depth == 0:
            return line[:i]
    return line


def plain(line):
    return line if line.startswith(('\t', 'created', '...')) else function(line)


def load(name):
    all = {}
    for block in open(name).read().strip().split('\n\n'):
        lines = block.split('\n')
        m = HEADER.match(lines[0])
        if not m:
            sys.exit('%s: no header: %r' % (name, lines[0]))
        all[int(m[1])] = (re.sub(r', \d+ minutes', '', m[2]), [plain(line) for line in lines[1:]])
    return all


def ends(lines):
    return lines[:90] + lines[-90:]


def main():
    ours, theirs = load(sys.argv[1]), load(sys.argv[2])
    compared = wrong = 0
    for goid in sorted(set(ours) | set(theirs)):
        a, b = ours.get(goid), theirs.get(goid)
        if b and b[0] == 'running':
            continue
        compared += 1
        if a and b and any('elided' in line for line in a[1] + b[1]):
            a, b = (a[0], ends(a[1])), (b[0], ends(b[1]))
        if a != b:
            wrong += 1
            print('goroutine %d\n  gotap   %s\n  runtime %s' % (goid, a, b))
    print('%d goroutines compared, %d differ' % (compared, wrong))
    sys.exit(1 if wrong or compared < 30 else 0)


main()
