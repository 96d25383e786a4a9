#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bpf_stacks.py OBJECT

Prints how much stack functions of a BPF object take with those that they call, the ten that take most, as the verifier of Linux
6.1 counts (check_max_stack_depth: each frame is rounded up to 32 bytes). Status 1 if one is beyond MAX_BPF_STACK.
"""

import struct
import sys

LIMIT, ROUND = 512, 32
FRAME_POINTER = 10
LD_IMM64, CALL, MOV64_X, ADD64_K = 0x18, 0x85, 0xbf, 0x07
LOAD, STORE_K, STORE_X = 1, 2, 3  # classes of instructions with an address
PSEUDO_CALL, PSEUDO_FUNC = 1, 4
STT_FUNC, STT_SECTION, SHT_SYMTAB, SHT_REL, SHF_EXECINSTR = 2, 3, 2, 9, 4


def sections_of(data):
    start, = struct.unpack_from('<Q', data, 0x28)
    size, count = struct.unpack_from('<HH', data, 0x3a)
    return [struct.unpack_from('<IIQQQQIIQQ', data, start + i * size) for i in range(count)]


def name_at(data, strings, at):
    begin = strings[4] + at
    return data[begin:data.index(b'\0', begin)].decode()


class Function:
    def __init__(self, name):
        self.name, self.frame, self.calls = name, 0, set()

    def read(self, code, target_of):
        """target_of(offset, instruction) names the function that an instruction refers to, or None."""
        copies = {}
        for at in range(0, len(code), 8):
            op, regs, off, imm = struct.unpack_from('<BBhi', code, at)
            dst, src = regs & 15, regs >> 4
            if op == MOV64_X and src == FRAME_POINTER:
                copies[dst] = True
                continue
            if op == ADD64_K and copies.pop(dst, False):
                self.frame = max(self.frame, -imm)
                continue
            copies.pop(dst, None)
            base = src if op & 7 == LOAD else dst if op & 7 in (STORE_K, STORE_X) else None
            if base == FRAME_POINTER:
                self.frame = max(self.frame, -off)
            if op in (CALL, LD_IMM64):
                target = target_of(at, src, imm)
                if target:
                    self.calls.add(target)


def functions_of(data):
    sections = sections_of(data)
    symtab = next(s for s in sections if s[1] == SHT_SYMTAB)
    strings = sections[symtab[6]]
    symbols = [struct.unpack_from('<IBBHQQ', data, symtab[4] + i * 24) for i in range(symtab[5] // 24)]
    by_place = {(s[3], s[4]): name_at(data, strings, s[0]) for s in symbols if s[1] & 15 == STT_FUNC}
    found = {}
    for index, section in enumerate(sections):
        if not section[2] & SHF_EXECINSTR:
            continue
        relocated = {}
        for rel in (s for s in sections if s[1] == SHT_REL and s[7] == index):
            for i in range(rel[5] // 16):
                offset, info = struct.unpack_from('<QQ', data, rel[4] + i * 16)
                relocated[offset] = symbols[info >> 32]
        for _, kind, _, where, value, size in symbols:
            if kind & 15 != STT_FUNC or where != index:
                continue

            def target_of(at, src, imm, begin=value, index=index, relocated=relocated):
                symbol = relocated.get(begin + at)
                if symbol and symbol[1] & 15 == STT_FUNC:
                    return by_place[symbol[3], symbol[4]]
                if symbol and symbol[1] & 15 == STT_SECTION:
                    # of a call the number counts instructions, from the one behind it on
                    place = (imm + 1) * 8 if src == PSEUDO_CALL else imm
                    return by_place.get((symbol[3], place))
                if not symbol and src == PSEUDO_CALL:
                    return by_place.get((index, begin + at + 8 + imm * 8))
                return None

            function = found.setdefault(by_place[index, value], Function(by_place[index, value]))
            function.read(data[section[4] + value:section[4] + value + size], target_of)
    return found


def deepest(functions, name):
    """The names and frames of the calls that take most."""
    function = functions[name]
    frame = (max(function.frame, 1) + ROUND - 1) // ROUND * ROUND
    below = max((deepest(functions, call) for call in function.calls), key=lambda calls: sum(f for _, f in calls), default=[])
    return [(name, frame)] + below


def main():
    with open(sys.argv[1], 'rb') as file:
        functions = functions_of(file.read())
    chains = sorted((deepest(functions, name) for name in functions), key=lambda calls: -sum(f for _, f in calls))
    for calls in chains[:10]:
        print(sum(frame for _, frame in calls), ' '.join(f'{name}:{frame}' for name, frame in calls))
    called = sum(len(f.calls) for f in functions.values())
    print(f'{len(functions)} functions, {called} calls')
    return 1 if sum(frame for _, frame in chains[0]) > LIMIT else 0


if __name__ == '__main__':
    sys.exit(main())
