# SPDX-License-Identifier: Apache-2.0
"""labels_truth.py EVENTS: `gotap text --events --json` of a recording of tests/prog/labelled.go. Whenever a goroutine says
which labels it has (category "truth"), are these the ones that its last event of category gotap.labels has?"""
import json
import re
import sys

PAIR = re.compile(r'([A-Za-z0-9_./:-]+|"(?:[^"\\]|\\.)*")=("(?:[^"\\]|\\.)*")')


def plain(token):
    return json.loads(token) if token.startswith('"') else token


def labels(text):
    pairs = PAIR.findall(text)
    if ' '.join(k + '=' + v for k, v in pairs) != text:
        sys.exit('not of the form: %r' % text)
    return ', '.join(sorted('%s=%s' % (plain(k), plain(v)) for k, v in pairs))


has, said, wrong, sets = {}, 0, 0, set()
for line in open(sys.argv[1]):
    e = json.loads(line)
    if e.get('event') != 'UserLog':
        continue
    g, category, message = e['g'], e['category'], e['message']
    if category == 'gotap.labels':
        has[g] = labels(message)
        sets.add(has[g])
    elif category == 'truth':
        said += 1
        if has.get(g, '') != message:
            wrong += 1
            if wrong < 10:
                print('goroutine %s: says %r, trace %r' % (g, message, has.get(g)))
print('%d statements, %d wrong, %d sets of labels' % (said, wrong, len(sets)))
sys.exit(wrong > 0 or said < 100 or len(sets) < 20)
