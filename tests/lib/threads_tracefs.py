# SPDX-License-Identifier: Apache-2.0
#
# threads_tracefs.py TRACE RECORDS
#
# Compares gotap's RECORDS of a program's threads with TRACE, the text of a tracefs instance with sched_switch and
# sched_waking and the clock "mono": in the time of the recording both must have the same switches and wake-ups in the
# same order.
import re
import sys

# The name of a task may have any bytes, such as newlines.
HEAD = r"-(\d+)\s+\[(\d+)\]\s+\S+\s+(\d+)\.(\d+): "
SWITCH = re.compile(HEAD + r"sched_switch: prev_comm=.{0,16}? prev_pid=(\d+) prev_prio=\S+ prev_state=\S+ ==> "
                    r"next_comm=.{0,16}? next_pid=(\d+) ", re.DOTALL)
WAKING = re.compile(HEAD + r"sched_waking: comm=.{0,16}? pid=(\d+) prio=", re.DOTALL)


def ours(name):
    """Events of each thread: (ns, what); and the begin and end of the recording."""
    events, begin, end = {}, 0, 0
    for line in open(name):
        words = line.split(" ", 3)
        if not words[2].startswith("THREAD"):
            continue
        time, tid, kind, rest = int(words[0]), int(words[1]), words[2], words[3]
        other = re.search(r"task=(\d+)/", rest)
        cpu = re.search(r" cpu=(\d+)", rest)
        if kind == "THREADS":
            begin = time if "step=begin" in rest else begin
            end = time
        elif kind == "THREAD_OFF":
            events.setdefault(tid, []).append((time, "off cpu%s next %s" % (cpu[1], other[1])))
        elif kind == "THREAD_ON":
            events.setdefault(tid, []).append((time, "on cpu%s" % cpu[1]))
        elif kind == "THREAD_WAKE":
            events.setdefault(tid, []).append((time, "woken by %s on cpu%s" % (other[1], cpu[1])))
    return events, begin, end


def theirs(name):
    """Events of each thread: (ns, what, who had the CPU)."""
    found = []

    def add(m, tid, what, by):
        found.append((m.start(), int(tid), int(m[3]) * 10**9 + int(m[4].ljust(9, "0")), what, by))

    with open(name, errors="replace", newline="") as file:
        text = file.read()
    for m in SWITCH.finditer(text):
        add(m, m[5], "off cpu%d next %s" % (int(m[2]), m[6]), m[5])
        add(m, m[6], "on cpu%d" % int(m[2]), m[5])
    for m in WAKING.finditer(text):
        if m[1] == m[5]:    # on its way to sleep, it wakes itself and goes on: no record of gotap
            continue
        add(m, m[5], "woken by %s on cpu%d" % (m[1], int(m[2])), m[1])
    events = {}
    for _, tid, time, what, by in sorted(found):
        events.setdefault(tid, []).append((time, what, by))
    return events


def is_swapped(x, y):
    """
    A thread leaves its CPU while another CPU wakes it: the two events have no order but that of two readings of the
    clock, and each tool reads its own. The time of tracefs is rounded down to us.
    """
    return (len(x) == len(y) == 2 and x[0][1] == y[1][1] and x[1][1] == y[0][1] and
            sum(what.startswith("woken by ") for _, what in x) == 1 and
            max(e[0] for e in x + y) - min(e[0] for e in x + y) < SWAPPED)


a, begin, end = ours(sys.argv[2])
b = theirs(sys.argv[1])
# Compared is the time between these margins, which both have whole. Times of tracefs are in us, and are read before
# gotap's.
MARGIN, NEAR, SWAPPED = 2_000_000, 200_000, 5_000
n = missing = missing_wakes = more = proven = hidden = 0
WAKER = re.compile(r"woken by (\d+) ")
wakers = {m[1] for events in a.values() for _, what in events if (m := WAKER.match(what))} | {"0"} | {str(tid) for tid in a}
for tid in sorted(a):
    x = [e for e in a[tid] if begin + MARGIN < e[0] < end - MARGIN]
    y = [e for e in b.get(tid, []) if begin + MARGIN - 1000 < e[0] < end - MARGIN + 1000]
    i = j = 0
    while i < len(x) and j < len(y):
        if x[i][1] == y[j][1] and abs(x[i][0] - y[j][0]) < NEAR:
            i, j, n = i + 1, j + 1, n + 1
        elif is_swapped(x[i:i + 2], y[j:j + 2]):
            i, j, n = i + 2, j + 2, n + 2
        elif x[i][0] < y[j][0]:
            # tracefs lacks switches from some tasks (a third of those from idle CPUs, once), but has the end of that
            # stay
            on = x[i][1].startswith("on ") and y[j][1].startswith(x[i][1].replace("on ", "off ") + " ")
            proven += on
            more += not on
            print(tid, "tracefs lacks", x[i])
            i += 1
        else:
            # Near the margins an event may count on one side only, as its times differ a little. And a kernel may run
            # no BPF program while certain tasks are current (docs/threads.md): hidden.
            wake = y[j][1].startswith("woken")
            if y[j][2] not in wakers:
                hidden += 1
            elif begin + 2 * MARGIN < y[j][0] < end - 2 * MARGIN:
                missing_wakes += wake
                missing += not wake
            print(tid, "gotap lacks", y[j])
            j += 1
print(n, "events are the same;", missing, "switches and", missing_wakes, "wake-ups that gotap lacks,", more, "that tracefs lacks,",
      proven, "more of which it has the end;", hidden, "are of moments in which a task had the CPU that gotap never sees")
# The kernel does not run the BPF program of a tracepoint within that program: if an interrupt during it wakes a thread
# there is no record (2 of 160,000 wake-ups); the next record of the thread makes up for it. How many are hidden depends
# on the machine's load.
sys.exit(missing > 0 or missing_wakes > 3 + n / 20_000 or more > 2 + n / 1000 or hidden > n / 20 or n < 100)
