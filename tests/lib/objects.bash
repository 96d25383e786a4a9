# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Judges of group objects: load after lib/common. $SAID is what tests/prog/objects.go has printed, $RECORDS the output of
# `gotap records` of its spool file.

# From "TIME TID OBJECT_ALLOC address=A bytes=N type=T" to "A N NAME", NAME "-" without a type.
allocated() {
	sed -n 's/^[0-9]* [0-9]* OBJECT_TYPE type=\([^ ]*\) .*bytes=[0-9]* "\(.*\)" ""$/type \1 \2/p' "$RECORDS" |
		awk 'NR == FNR { name[$2] = $3; next }
			$3 == "OBJECT_ALLOC" { for (i = 4; i <= 6; i++) sub(/^[a-z]*=/, "", $i)
				print $4, $5, $6 == "0" ? "-" : name[$6] }' - "$RECORDS"
}

# Each object that the program says it made is there once, with its type, and no other of the program's own types.
same_as_said() {
	awk '$1 == "object" { print $2, $3 }' "$SAID" | sort >"$BATS_TEST_TMPDIR/made"
	allocated | awk '{ print $1, $3 }' | sort >"$BATS_TEST_TMPDIR/seen"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/made")" -eq 6000 ]
	comm -23 "$BATS_TEST_TMPDIR/made" "$BATS_TEST_TMPDIR/seen" >"$BATS_TEST_TMPDIR/unseen"
	[ ! -s "$BATS_TEST_TMPDIR/unseen" ] || fail "not seen: $(head -3 "$BATS_TEST_TMPDIR/unseen")"
	comm -13 "$BATS_TEST_TMPDIR/made" "$BATS_TEST_TMPDIR/seen" | grep -E ' \*?main\.(plain|linked)$' >"$BATS_TEST_TMPDIR/more" || true
	[ ! -s "$BATS_TEST_TMPDIR/more" ] || fail "not made: $(head -3 "$BATS_TEST_TMPDIR/more")"
}

HEX='function hex(s,  i, n) { for (i = 3; i <= length(s); i++) n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1; return n }
	function key(n) { return sprintf("%.0f", n) }
	function word(s) { sub(/^[a-z]*=/, "", s); return s }
	function fail(s) { print s; failed = 1; exit 1 }'

# A slot is taken and given back in turns, and of each size as many times as MemStats says, the runtime's own objects
# included. Those that were taken while it counted (a new thread's runtime.m) may be missing there. An object with
# pointers of more than 512 bytes has its type in the slot's first word and begins behind that.
same_as_counted() {
	awk "$HEX"'
		NR == FNR && $1 == "class" { allocs[$2] = $3; frees[$2] = $4 }
		NR == FNR { next }
		$3 == "OBJECT_TYPE" && /"main.before"/ { before = word($4) }
		$3 == "OBJECT_TYPE" && /"main.after"/ { after = word($4) }
		$3 == "OBJECT_ALLOC" {
			addr = hex(word($4)); size = word($5)
			if (size < 1024) fail("small: " $0)
			if (addr % 128 != 0 && addr % 128 != 8) fail("no slot: " $0)
			slot = key(addr - addr % 128)
			if (slot in taken) fail("taken twice: " $0)
			taken[slot]
			seen[size]++
			if (size == 65536) marks[++nmarks] = word($6)
			for (c in allocs) if (nmarks == 0) least[c] = seen[c] + 0; else if (nmarks == 1) most[c] = seen[c] + 0
		}
		$3 == "OBJECT_FREE" {
			addr = hex(word($4)); size = word($5); bits = hex(word($6))
			for (; bits; bits = int(bits / 2)) {
				if (bits % 2) {
					if (!(key(addr) in taken)) fail("never taken: " $0)
					delete taken[key(addr)]
					freed[size]++
				}
				addr += size
			}
		}
		END {
			if (failed) exit 1
			if (nmarks != 2 || marks[1] != before || marks[2] != after) fail("no marks")
			for (c in allocs) {
				n += allocs[c]
				if (least[c] > allocs[c] || most[c] < allocs[c]) fail("class " c ": " allocs[c] " allocated, not " least[c] " to " most[c])
				if (freed[c] + 0 != frees[c]) fail("class " c ": " frees[c] " freed, not " freed[c])
			}
			if (n < 4000) fail("too few: " n)
		}' "$SAID" "$RECORDS"
}
