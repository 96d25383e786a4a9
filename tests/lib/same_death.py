#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does a snapshot's JSON name the goroutine that the runtime names when it prints the panic?

    same_death.py SNAPSHOT.json OUTPUT ALONE [grown]

OUTPUT is what the program printed while it was recorded, ALONE without gotap. grown: the stack may lack its outer frames. Compared are the goroutine, its functions
of package main with their lines, and the message; and the two outputs up to the end of that goroutine's stack.
"""
import json
import re
import sys

MOST = 20  # frames: of a deep stack the runtime and the JSON have only a part


def died(path):
    """From the output of the runtime: the goroutine, its frames of package main, the text up to them, and that without numbers."""
    text = open(path, errors="replace").read()
    found = re.search(r"^goroutine ([1-9]\d*) .*\[(?:running|syscall).*\]:\n((?:\S.*\n\t.*\n)*)", text, re.M)
    assert found, f"{path}: no goroutine died: {text[:2000]}"
    # Wrappers such as main.main.gowrap1, which begin a goroutine, are printed only with GOTRACEBACK=system.
    frames = re.findall(r"^(main\.(?!main\.)\S+)\(.*\)\n\t\S+/(\w+\.go:\d+)", found[2], re.M)
    said = re.search(r"^(?:\t*panic: |fatal error: |SIG)(?:.|\n)*", text[:found.end()], re.M)
    assert said, text[:2000]
    plain = re.sub(r"0x[0-9a-f]+\??|\b(?:goroutine|m=|pid) ?\d+|\{[^}]*\}|\([^)]*\)", "X", said[0])
    return int(found[1]), frames[:MOST], text, plain


def main():
    trigger = json.load(open(sys.argv[1]))["trigger"]
    goroutine, frames, text, plain = died(sys.argv[2])
    assert trigger["goroutine"] == goroutine, (trigger, goroutine)
    stack = [re.fullmatch(r"(\S+) .*?(\w+\.\w+:\d+)", s).groups() for s in trigger["stack"]]
    own = [s for s in stack if s[0].startswith("main.")][:MOST]
    n = min(len(own), len(frames))
    if sys.argv[4:] == ["grown"]:
        assert own == frames[:len(own)], (own, frames)
    else:
        assert own and own[:n] == frames[:n] and (n == MOST or len(own) == len(frames)), (own, frames)
    what = re.fullmatch(rf"goroutine {goroutine}: (.*); the program has ended with exit status 2", trigger["what"])
    assert what, trigger["what"]
    assert what[1] in text or what[1].startswith("signal 5 ") and "SIGTRAP" in text, (what[1], text[:2000])
    assert plain == died(sys.argv[3])[3], (plain, died(sys.argv[3])[3])


main()
