# SPDX-License-Identifier: Apache-2.0
#
# threads_running.py RECORDS [FIRST]
#
# Splits the time in which a goroutine ran, by the records of the runtime's probes, by the state of its thread, by the
# records of the scheduler's tracepoints. Both have one clock and one order, so the parts must add up; and a thread that
# runs a goroutine of this program does not sleep. The kernel may not report that a thread gets a CPU (docs/threads.md):
# the length of that stay is in the record of its end. Spans that began before FIRST are left out: on a busy machine a
# trace may begin later than its records.
import collections
import re
import sys

BEGINS = {"GO_START", "SYS_EXIT"}
ENDS = {"GO_PARK", "GO_STOP", "GO_DEAD", "GO_PREEMPT_PARK", "SYS_ENTER"}

running = collections.defaultdict(list)     # of each thread: [from, to]
states = collections.defaultdict(list)      # [from, to, state]
since, state, ran = {}, {}, {}


def turn(tid, time, new):
    if tid in state:
        states[tid].append([state[tid][0], time, state[tid][1]])
    state[tid] = (time, new)


for line in open(sys.argv[1]):
    words = line.split()
    time, tid, kind = int(words[0]), int(words[1]), words[2]
    if kind in BEGINS:
        since[tid] = time
    elif kind in ENDS and tid in since:
        running[tid].append([since.pop(tid), time])
    elif kind == "THREAD_ON":
        turn(tid, time, "on_cpu")
    elif kind == "THREAD_OFF":
        now_ran = int(re.search(r" ran=(\d+)", line)[1])
        if tid in ran and state[tid][1] != "on_cpu":
            turn(tid, max(time - (now_ran - ran[tid]), state[tid][0]), "on_cpu")
        ran[tid] = now_ran
        turn(tid, time, re.search(r"why=(\S+)", line)[1])
    elif kind == "THREAD_WAKE" and state.get(tid, (0, "on_cpu"))[1] != "on_cpu":
        turn(tid, time, "runnable")

first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
sums = collections.Counter()
total = 0
used = []
for tid, spans in running.items():
    parts, i = states[tid], 0
    # only spans between the thread's first record and its last one: of other times its state is not known
    spans = [s for s in spans if parts and s[0] >= max(first, parts[0][0]) and s[1] <= parts[-1][1]]
    used += spans
    for begin, end in spans:
        total += end - begin
        while i < len(parts) and parts[i][1] <= begin:
            i += 1
        j = i
        while j < len(parts) and parts[j][0] < end:
            sums[parts[j][2]] += min(end, parts[j][1]) - max(begin, parts[j][0])
            j += 1
used = used or [[0, 0]]
print("running %.6f s: %s, from %d to %d" % (total / 1e9, {k: "%.6f" % (v / 1e9) for k, v in sums.items()},
                                             min(s[0] for s in used), max(s[1] for s in used)))
# A thread with a running goroutine may sleep for a moment, for a lock of the runtime.
sys.exit(not (total > 0 and abs(total - sum(sums.values())) < 1000 and sums["on_cpu"] and sums["runnable"] and
              sums["sleep"] < 0.01 * total + 1e6))
