#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""metrics_truth.py BEFORE AFTER PID DONE [REPORT]

Compares what /metrics of gotap serve says with runtime/metrics of tests/prog/measured.go. BEFORE and AFTER are the names
of two pairs of files: NAME.prom, the text of Prometheus, and NAME.json, the program's numbers; between them the
program did what DONE says: "gc=3 stops=5 goroutines=100 syscalls=1000", as in the query of /work. REPORT: gotap report
--json of a trace of the same time. Prints the numbers; exits with 1 at the first that is not as it must be.
"""
import json
import re
import sys

before, after, pid, done = sys.argv[1:5]
done = {k: int(v) for k, v in (word.split('=') for word in done.split())}


def metrics(name):
    ret = {}
    for line in open(name + '.prom'):
        m = re.fullmatch(r'([a-z_]+)(?:\{(.*)\})? (\S+)\n', line)
        if not m:
            continue
        labels = dict(re.findall(r'([a-z_]+)="((?:[^"\\]|\\.)*)"', m[2] or ''))
        if labels.pop('pid', pid) == pid:
            labels.pop('process', None)
            ret[m[1], tuple(sorted(labels.items()))] = float(m[3])
    return ret


was, now = metrics(before), metrics(after)
their_was, theirs = (json.load(open(n + '.json')) for n in (before, after))


def ours(name, **labels):
    key = name, tuple(sorted(labels.items()))
    return now[key] - was.get(key, 0)


def all_ours(name, **labels):
    """By le."""
    key = tuple(sorted(labels.items()))
    return {dict(k[1])['le']: ours(k[0], **dict(k[1])) for k in now
            if k[0] == name and tuple(i for i in k[1] if i[0] != 'le') == key}


def difference(name):
    return theirs[name] - their_was[name]


def histogram(name):
    """Upper limit -> count, of theirs; limits of ours that are not among theirs are in between."""
    h, old = theirs[name], their_was[name]
    return [(h['buckets'][i], h['buckets'][i + 1], c - old['counts'][i]) for i, c in enumerate(h['counts'])]


def must(what, is_so, *numbers):
    print(what, *numbers)
    if not is_so:
        sys.exit(f'metrics_truth.py: {what}: not so: {numbers}')


def count_and_limits(name, theirs_name, slack, **labels):
    """Both have as many, and as many of them below each limit, but for what lies in the bucket beside it."""
    of_theirs = histogram(theirs_name)
    total = sum(c for _, _, c in of_theirs)
    of_ours = all_ours(name, **labels)
    must(f'{name} {labels}: as many', abs(of_ours['+Inf'] - total) <= slack, of_ours['+Inf'], total)
    for le, count in of_ours.items():
        limit = float(le)
        low = sum(c for _, high, c in of_theirs if high <= limit / 1.5)
        most = sum(c for low_, _, c in of_theirs if low_ < limit * 1.5)
        must(f'{name} {labels}: up to {le}', low - slack <= count <= most + slack, low, count, most)


must('nothing was lost', ours('gotap_watch_lost_records_total') == 0)
must('nothing was left out', ours('gotap_watch_unrecorded_seconds_total') == 0 and
     now['gotap_watch_budget_level', ()] == 0)
if 'gc' in done or 'assists' in done:
    cycles = difference('/gc/cycles/total:gc-cycles')
    must('cycles of the collector', ours('gotap_gc_cycles_total') == cycles >= done.get('gc', 0),
         ours('gotap_gc_cycles_total'), cycles)
    count_and_limits('gotap_stop_the_world_seconds_bucket', '/sched/pauses/total/gc:seconds', 1 + cycles // 10, kind='gc')
if 'stops' in done:
    count_and_limits('gotap_stop_the_world_seconds_bucket', '/sched/pauses/total/other:seconds', 3 + done['stops'] // 10,
                     kind='other')
if 'goroutines' in done:
    made = ours('gotap_goroutines_created_total')
    must('goroutines that were made', done['goroutines'] <= made <= done['goroutines'] + 50, made)
if 'syscalls' in done:
    made = ours('gotap_syscalls_total')
    must('system calls', done['syscalls'] <= made <= done['syscalls'] + 100, made)
if 'assists' in done:
    must('mark assists', ours('gotap_gc_assists_total') > 0, ours('gotap_gc_assists_total'))
    # The runtime's is CPU time, ours the time from begin to end, in which the goroutine may wait.
    cpu = difference('/cpu/classes/gc/mark/assist:cpu-seconds')
    must('time of mark assists', ours('gotap_gc_assist_seconds_total') >= 0.5 * cpu,
         ours('gotap_gc_assist_seconds_total'), cpu)
if 'waits' in done:
    # The runtime takes one in eight waits (runtime.gTrackingPeriod), so long ones are compared by their share of time.
    sampled = [(low, high, c) for low, high, c in histogram('/sched/latencies:seconds') if c]
    long_theirs = sum(c for low, _, c in sampled if low >= 2 ** 22 / 1e9)
    of_ours = all_ours('gotap_sched_latency_seconds_bucket')
    long_ours = of_ours['+Inf'] - of_ours['0.004194304']
    must('waits for a P of 4 ms and more, of which the runtime takes one in eight', long_ours > 10 and
         long_ours / 40 <= long_theirs <= long_ours, long_ours, long_theirs)
    # Four goroutines on one P: three wait at each time. What else the program did waits, too, on a busy machine for seconds.
    must('their sum', 2 * done['waits'] / 1000 <= ours('gotap_sched_latency_seconds_sum') <= 4 * done['waits'] / 1000 + 10,
         ours('gotap_sched_latency_seconds_sum'))
states = ('running', 'runnable', 'syscall', 'waiting')
goroutines = sum(now['gotap_process_goroutines', (('state', s),)] for s in states)
# /sched/goroutines has none of the runtime, gotap has; those of a request that was answered since have ended.
must('goroutines', -5 <= goroutines - theirs['/sched/goroutines:goroutines'] <= 12, goroutines,
     theirs['/sched/goroutines:goroutines'])
if len(sys.argv) > 5:
    report = json.load(open(sys.argv[5]))
    cycles = report['gc']['cycles']['count'] + report['gc']['open_cycles']
    must('cycles of the report', abs(ours('gotap_gc_cycles_total') - cycles) <= 1, cycles)
    for kind in 'gc', 'other':
        stops = [v['count'] for k, v in report['stops'].items() if (k[:3] == 'GC ') == (kind == 'gc')]
        must(f'stops of the report: {kind}', abs(all_ours('gotap_stop_the_world_seconds_bucket', kind=kind)['+Inf'] -
                                               sum(stops)) <= 3, sum(stops))
    made = sum(g['created'] for g in report['goroutines'])
    must('goroutines of the report', abs(ours('gotap_goroutines_created_total') - made) <= 50, made)
    waits = report['scheduling_latency']
    must('waits for a P of the report', abs(all_ours('gotap_sched_latency_seconds_bucket')['+Inf'] - waits['count']) <=
         0.1 * waits['count'] + 50, all_ours('gotap_sched_latency_seconds_bucket')['+Inf'], waits['count'])
    must('their sum in the report', abs(ours('gotap_sched_latency_seconds_sum') - waits['sum_ns'] / 1e9) <=
         0.1 * waits['sum_ns'] / 1e9 + 0.01, ours('gotap_sched_latency_seconds_sum'), waits['sum_ns'] / 1e9)
