#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes small ELF files with a Go function table, one for each format, as
first inputs for fuzz_pclntab: fuzz_pclntab_seeds.py DIRECTORY. Real binaries are too
large for a fuzzer to get anywhere; these hold three functions, one of them
with a call inlined, one a wrapper, and moduledata."""

import struct
import sys

BASE = 0x400000
TEXT = BASE + 0x1000


def p32(*v):
    return struct.pack("<%dI" % len(v), *(x & 0xFFFFFFFF for x in v))


def p64(*v):
    return struct.pack("<%dQ" % len(v), *v)


def strings(names):
    out, at = b"", {}
    for n in names:
        at[n] = len(out)
        out += n.encode() + b"\0"
    return out, at


# entry, size, name, funcID, inlined
FUNCS = [
    (0x00, 0x40, "main.main", 0, True),
    (0x40, 0x20, "runtime.deferreturn", 22, False),
    (0x60, 0x80, "main.(*T).M", 22, False),
]
NAMES = ["main.main", "main.inner[go.shape.int]", "runtime.deferreturn", "main.(*T).M"]


def pctab():
    """line, file, sp and inline-index tables, at 1 on."""
    return b"\0" + bytes([22, 16, 2, 48, 0]) + bytes([2, 64, 0]) + bytes([2, 4, 16, 60, 0]) + \
        bytes([0, 16, 2, 16, 1, 32, 0])


PCLN, PCFILE, PCSP, PCINL = 1, 6, 9, 14


def record(fmt, func, at, cu, text, tree, base):
    entry, size, name, fid, inl = func
    ptr = fmt < 18
    head = p64(text + entry) if ptr else p32(entry)
    out = head + p32(at[name], 0, 0, PCSP + base, PCFILE + base, PCLN + base, 3)
    if fmt >= 16:
        out += p32(cu)
    if fmt >= 20:
        out += p32(1)
    out += bytes([fid, 0, 0, 5])
    out += p32(0, 0, PCINL + base if inl else 0)
    which = 4 if fmt == 15 else 3
    if ptr:
        out += b"\0" * (-len(out) % 8)
        return out + b"".join(p64(tree if inl and i == which else 0) for i in range(5))
    return out + b"".join(p32(tree if inl and i == which else -1) for i in range(5))


def inline_tree(fmt, name):
    if fmt >= 20:
        return p32(0, name, 8, 3)
    return struct.pack("<hBBIIII", -1, 0, 0, 0, 7, name, 8)


def index(fmt, records, funcs_off, text):
    out, off = b"", funcs_off
    for f, r in zip(FUNCS, records):
        out += p64(text + f[0], off) if fmt < 18 else p32(f[0], off)
        off += len(r)
    end = FUNCS[-1][0] + FUNCS[-1][1]
    return out + (p64(text + end) if fmt < 18 else p32(end))


def table(fmt, addr, tree_addr, tree_off):
    magic = {15: 0xFFFFFFFB, 16: 0xFFFFFFFA, 18: 0xFFFFFFF0, 20: 0xFFFFFFF1}[fmt]
    names, at = strings(NAMES)
    files = b"main.go\0"
    tree = tree_addr if fmt < 18 else tree_off
    head = p32(magic) + bytes([0, 0, 1, 8]) + p64(len(FUNCS))
    if fmt == 15:
        index_len = 16 * len(FUNCS) + 8 + 8
        text_at = 16 + index_len
        base = text_at + len(names) + len(files)
        shifted = {n: o + text_at for n, o in at.items()}
        recs_at = base + len(pctab()) + (-(base + len(pctab())) % 8)
        recs = [record(fmt, f, shifted, 0, TEXT, tree, base) for f in FUNCS]
        recs = [r + b"\0" * (-len(r) % 8) for r in recs]
        files_at = recs_at + sum(map(len, recs))
        body = head + index(fmt, recs, recs_at, TEXT) + p32(files_at, 0) + names + files
        body += pctab() + b"\0" * (recs_at - base - len(pctab())) + b"".join(recs)
        return body + p32(text_at + len(names), text_at + len(names)), shifted
    head += p64(1) + (p64(TEXT) if fmt >= 18 else b"")
    parts, off = [], len(head) + 40
    recs = [record(fmt, f, at, 0, TEXT, tree, 0) for f in FUNCS]
    recs = [r + b"\0" * (-len(r) % 8) for r in recs]
    width = 16 if fmt < 18 else 8
    funcs = index(fmt, recs, width * len(FUNCS) + 8, TEXT)
    funcs += b"\0" * (width * len(FUNCS) + 8 - len(funcs)) + b"".join(recs)
    for part in (names, p32(0), files, pctab(), funcs):
        parts.append((off, part))
        off += len(part) + (-len(part) % 8)
    head += p64(*(o for o, _ in parts))
    return head + b"".join(p + b"\0" * (-len(p) % 8) for _, p in parts), at


def moduledata(addr, names_at, gofunc):
    words = [0] * 46
    words[0], words[1] = addr, addr + names_at
    words[20], words[21], words[22] = TEXT, TEXT + 0xE0, TEXT
    words[40] = gofunc
    return p64(*words)


def ehdr(kind, phnum, shoff=0, shnum=0):
    return b"\x7fELF" + bytes([2, 1, 1]) + b"\0" * 9 + struct.pack(
        "<HHIQQQIHHHHHH", kind, 62, 1, TEXT, 64, shoff, 0, 64, 56, phnum, 64, shnum,
        shnum - 1 if shnum else 0)


def load(off, addr, size):
    return struct.pack("<IIQQQQQQ", 1, 6, off, addr, addr, size, size, 8)


def plain(addr, data):
    return ehdr(2, 1) + load(120, addr, len(data)) + data


def pie(addr, data):
    """All pointers are 0 in the file and set by relocations, as in a PIE."""
    out, relocations = bytearray(data), b""
    for off in range(0, len(data) - 7, 8):
        value = struct.unpack_from("<Q", data, off)[0]
        if BASE <= value < BASE + 0x20000:
            out[off:off + 8] = b"\0" * 8
            relocations += p64(addr + off, 8, value)
    at, off = addr + len(out), 176 + len(out)
    dynamic = p64(7, at, 8, len(relocations), 0, 0)
    segments = load(176, addr, len(out) + len(relocations)) + struct.pack(
        "<IIQQQQQQ", 2, 6, off + len(relocations), 0, 0, len(dynamic), len(dynamic), 8)
    return ehdr(3, 2) + segments + bytes(out) + relocations + dynamic


def section(name, kind, addr, off, size):
    return struct.pack("<IIQQQQIIQQ", name, kind, 3 if addr else 0, addr, off, size, 0, 0, 8, 0)


def sections(addr, data):
    """.gopclntab and .go.module by name."""
    names = b"\0.gopclntab\0.go.module\0.shstrtab\0"
    off = 120 + len(data)
    module = len(data) - 8 * 46
    headers = section(0, 0, 0, 0, 0) + section(1, 1, addr + 64, 120 + 64, module - 64)
    headers += section(12, 1, addr + module, 120 + module, 8 * 46)
    headers += section(23, 3, 0, off, len(names))
    return ehdr(2, 1, off + len(names), 4) + load(120, addr, len(data)) + data + names + headers


def image(fmt):
    addr = BASE + 0x10000
    body, at = table(fmt, addr, addr - 64, 0)
    tree = inline_tree(fmt, at["main.inner[go.shape.int]"])
    names_at = body.find(b"main.main")
    body += b"\0" * (-len(body) % 8)
    return addr - 64, tree.ljust(64, b"\0") + body + moduledata(addr, names_at, addr - 64)


for fmt in (15, 16, 18, 20):
    for make in (plain, pie, sections):
        with open("%s/go1_%d_%s" % (sys.argv[1], fmt, make.__name__), "wb") as f:
            f.write(make(*image(fmt)))
