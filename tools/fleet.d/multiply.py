#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""multiply.py GOTAP TO BYTES TRACE...

Makes a folder TO of at least BYTES bytes of tables of these traces, which gotap recorded: as if each recording had been made on 20
hosts, and again on as many days as it takes. For a copy the time of day in the first clock of the trace is another one, by
days and nanoseconds, so that `gotap tables` gives it ids of its own; all else is that of the recording. Two run at a time. Prints the
recordings, files, bytes and rows of goroutine_state.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import threading

HOSTS = 20
DAY = 86400
BEGIN = 1 << 16		# of a trace, which makes its id


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class Trace:
    """A trace, and where the seconds of its first clock are, before its nanoseconds."""

    def __init__(self, path):
        self.name = re.sub(r'\.trace$', '', os.path.basename(path)).split('.')[0]
        with open(path, 'rb') as file:
            self.data = file.read()
        # The recording ended when the file was written.
        end = int(os.path.getmtime(path))
        found = [(self.data[:BEGIN].find(varint(s)), s) for s in range(end - 300, end + 1)]
        self.at, self.seconds = min(f for f in found if f[0] >= 0)

    def copy(self, number):
        """On another day for each HOSTS copies, and up to 127 ns earlier or later."""
        data = bytearray(self.data)
        seconds = varint(self.seconds - number // HOSTS * DAY)
        data[self.at:self.at + len(seconds)] = seconds
        at = self.at + len(seconds)
        data[at] = data[at] & 0x80 | number % HOSTS
        return bytes(data)


def tables(gotap, trace, number, to):
    path = f'{to}/.{trace.name}-{number}.trace'
    with open(path, 'wb') as file:
        file.write(trace.copy(number))
    try:
        done = subprocess.run([gotap, 'tables', '--json', '--host', f'host-{number % HOSTS}', '--service', trace.name, path, '-o', to],
                              capture_output=True, text=True, check=True)
    finally:
        os.remove(path)
    return json.loads(done.stdout)


def main():
    gotap, to, wanted, paths = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4:]
    os.makedirs(to, exist_ok=True)
    traces = [Trace(path) for path in paths]
    sums, ids, lock = [0, 0, 0, 0], set(), threading.Lock()

    def make(number):
        for trace in traces:
            if sums[2] >= wanted:
                return
            manifest = tables(gotap, trace, number, to)
            with lock:
                assert manifest['trace']['trace_id'] not in ids
                ids.add(manifest['trace']['trace_id'])
                sums[0] += 1
                sums[1] += len(manifest['files'])
                sums[2] += sum(file['bytes'] for file in manifest['files'])
                sums[3] += sum(file['rows'] for file in manifest['files'] if file['table'] == 'goroutine_state')

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        number = 0
        while sums[2] < wanted:
            list(pool.map(make, (number, number + 1)))
            number += 2
    print(*sums)


main()
