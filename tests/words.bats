#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# The words that users see are those of docs/glossary.md.

load lib/common

# user_texts REGEX: prints the string literals of the sources that match, each behind its file.
user_texts() {
	python3 - "$1" "$CHECKOUT/user" <<-'EOF_'
	import os, re, sys
	want, root = re.compile(sys.argv[1]), sys.argv[2]
	literal = re.compile(r'"(?:[^"\\\n]|\\.)*"')
	for folder, _, names in os.walk(root):
	    for name in sorted(names):
	        if not name.endswith((".c", ".def")):
	            continue
	        text = open(os.path.join(folder, name), encoding="utf-8").read()
	        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
	        # Literals that stand side by side are one text.
	        for run in re.findall(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:PRI\w+\s*)?"(?:[^"\\\n]|\\.)*")*', text):
	            text_of = "".join(x[1:-1] for x in literal.findall(run))
	            if want.search(text_of):
	                print(os.path.join(folder, name)[len(root) + 1:] + ":", text_of[:200])
	EOF_
}

# Words that earlier versions used in place of a standard term: intervals and waits were stays, a lock was let go of, what
# is released was given away, an unblocked goroutine was ended in its wait, a futile wake-up was one for nothing.
@test "no text of a user has a private word in place of a term of the glossary" {
	local found
	found=$(user_texts '\b(stays? (in|of|on|are|were)|%s stays\b|lets? go of|wake-ups? (for|that led to) nothing|its P taken|who held it|[0-9s] else$)'
		user_texts '\b(tells? (what|when|whether|how)|speaks? of|has told)\b')
	[ -z "$found" ] || fail "$found"
}

@test "the glossary has the states of threads, of goroutines and the kinds of findings' causes that answers print" {
	local word
	for word in running runnable blocked 'in a system call' preempted throttled 'waiting for a CPU' 'critical path' 'unit of work' \
		unattributed 'other causes' 'lost time' lost repair 'not recorded' 'futile wake-up' holds releases contention STW 'mark assist'; do
		grep -Eq "^\| [^|]*\b$word\b" "$CHECKOUT/docs/glossary.md" || fail "$word"
	done
}
