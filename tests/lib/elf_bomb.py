#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""elf_bomb.py IN OUT: a copy of the Go program IN, of which each section of DWARF data is replaced by one that takes long
to read: compressed, it inflates to 300 MB more."""
import struct
import sys
import zlib

MORE = 300 << 20
COMPRESSED = 0x800
HEADER, SECTION = "<IIQQ", "<IIQQQQIIQQ"

data = bytearray(open(sys.argv[1], "rb").read())
table, = struct.unpack_from("<Q", data, 40)
size, count, names_index = struct.unpack_from("<HHH", data, 58)
sections = [list(struct.unpack_from(SECTION, data, table + i * size)) for i in range(count)]
names = sections[names_index][4]


def name(section):
    start = names + section[0]
    return data[start:data.index(0, start)].decode()


def content(section):
    raw = bytes(data[section[4]:section[4] + section[5]])
    if section[2] & COMPRESSED:
        return zlib.decompress(raw[struct.calcsize(HEADER):])
    return raw


for section in sections:
    if not name(section).startswith((".debug_", ".zdebug_")):
        continue
    raw = content(section) + bytes(MORE)
    body = struct.pack(HEADER, 1, 0, len(raw), 1) + zlib.compress(raw, 1)
    section[2] |= COMPRESSED
    section[4], section[5] = len(data), len(body)
    data += body + bytes(-len(body) % 16)
for i, section in enumerate(sections):
    struct.pack_into(SECTION, data, table + i * size, *section)
open(sys.argv[2], "wb").write(data)
