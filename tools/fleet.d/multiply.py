#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""multiply.py FROM TO BYTES [HOSTS]

Makes a folder TO of at least BYTES bytes of tables from those of real recordings in FROM: as if each recording had been made on
HOSTS hosts (default 20), and again on as many days as it takes. A copy has another trace_id, which joins need, in its name and in
its rows; its times, and all else, are those of the recording. The checksums of pages are those of the original: DuckDB
does not look at them. Prints the recordings, files and bytes.
"""
import datetime
import os
import random
import struct
import sys

MASK = (1 << 56) - 1


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def forms(trace_id):
    """A trace_id as PLAIN and statistics have it, and as the first value of DELTA_BINARY_PACKED."""
    return struct.pack('<q', trace_id), varint(trace_id << 1)


def recordings(top):
    """{name without .parquet: [(table, service, date, path)]}"""
    found = {}
    for folder, _, files in os.walk(top):
        for file in files:
            if file.endswith('.parquet'):
                path = os.path.join(folder, file)
                table, _, service, date = os.path.relpath(folder, top).split('/')
                found.setdefault(file[:-len('.parquet')], []).append((table, service, date.split('=')[1], path))
    return found


def copy(name, files, to, host, days):
    """One recording more. The new id has as many bytes in each form."""
    old = int(name.rsplit('-', 1)[1], 16)
    new = old & ~MASK | random.getrandbits(56) & MASK | 1 << 50
    size = 0
    for table, service, date, path in files:
        day = datetime.date.fromisoformat(date) - datetime.timedelta(days=days)
        folder = f'{to}/{table}/host={host}/{service}/date={day}'
        os.makedirs(folder, exist_ok=True)
        with open(path, 'rb') as file:
            data = file.read()
        for a, b in zip(forms(old), forms(new)):
            assert len(a) == len(b)
            data = data.replace(a, b)
        with open(f'{folder}/{name.rsplit("-", 1)[0]}-{new:016x}.parquet', 'wb') as file:
            file.write(data)
        size += len(data)
    return size


def main():
    top, to, wanted = sys.argv[1], sys.argv[2], int(float(sys.argv[3]))
    hosts = int(sys.argv[4]) if len(sys.argv) > 4 else 20
    random.seed(1)
    sources = sorted(recordings(top).items())
    size = made = files = 0
    while size < wanted:
        for name, parts in sources:
            size += copy(name, parts, to, f'host-{made // len(sources) % hosts}', made // len(sources) // hosts)
            files += len(parts)
            made += 1
            if size >= wanted:
                break
    print(made, files, size)


main()
