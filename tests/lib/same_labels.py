# SPDX-License-Identifier: Apache-2.0
"""same_labels.py JSON PROFILE: are the labels of `gotap stacks --json` those of the process's own profile (pprof debug=1)?"""
import collections
import json
import re
import sys

ours = collections.Counter()
for g in json.load(open(sys.argv[1]))['goroutines']:
    if g.get('labels'):
        ours[json.dumps(g['labels'], sort_keys=True)] += 1

theirs = collections.Counter()
count = 0
for line in open(sys.argv[2]):
    m = re.match(r'(\d+) @', line)
    if m:
        count = int(m[1])
    m = re.match(r'# labels: (.*)', line)
    if m:
        theirs[json.dumps(json.loads(m[1]), sort_keys=True)] += count

print('gotap  ', ours)
print('runtime', theirs)
sys.exit(ours != theirs or sum(ours.values()) < 4)
