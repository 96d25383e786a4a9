#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=alone
#
# tools/bench: that it measures, not what.

load lib/common

setup() {
	require_root
	require_tool wrk clang
	export BUILD
	DOC=$BATS_TEST_TMPDIR/measurements.md
	PAGE=$BATS_TEST_TMPDIR/performance.md
	cp "$CHECKOUT/docs/measurements.md" "$DOC"
	cp "$CHECKOUT/docs/performance.md" "$PAGE"
}

# column TABLE N: the cells of a column below the head, of the table that one of the documents has under that name.
column() {
	awk -v begin="<!-- bench $1 -->" -v n="$2" -F ' *[|] *' '
		$0 == begin { inside = 1; next }
		/<!-- end -->/ { inside = 0 }
		inside && NF > 2 && ++line > 2 { print $(n + 1) }' "$DOC" "$PAGE"
}

# Every number of the cells on stdin is one, and in the range.
all_within() {
	awk -v least="$1" -v most="$2" '
		{ if ($1 !~ /^-?[0-9.]+$/ || $1 < least || $1 > most) { print "not between:", $0; bad = 1 } n++ }
		END { exit bad || !n }'
}

@test "one workload, all tracers: every cell is a number that can be true" {
	require_inline
	succeeds "$CHECKOUT/tools/bench" --quick --programs pingpong --doc "$DOC" a
	[ "$(column a1 1)" = ping-pong ]
	column a1 2 | all_within 10 100000	# ns of a round trip
	column a1 3 | all_within 5 9		# records of a round trip
	column a1 4 | all_within 100 1000000
	for tracer in 5 7 8 9 10; do
		column a1 $tracer | all_within 0.5 50	# gotap costs about what probes cost, or more
	done
	column a1 6 | all_within 0 0.5		# with code in the program, a fraction
	column a1 11 | all_within 0 5		# the runtime's own tracer
	column a2 3 | all_within -10000 100000
	column a4 2 | all_within 0 1000		# ns of a record with --attach inline
	column a4 3 | all_within 0 0.5
	column a4 4 | all_within 0 50
	column a4 5 | all_within 0 100
	column a4 6 | all_within 0 0
}

# cell TABLE ROW N: one cell of it.
cell() { paste -d '|' <(column "$1" 1) <(column "$1" "$3") | sed -n "s/^$2|//p"; }

# The throughput of one short window depends on the machine, so that only facts are compared: the probes make records, a
# budget of none leaves nothing out, and code in the program leaves nothing behind, which the bench itself checks.
@test "a server with TLS and JSON, all tracers: rows of all, and the table that users see first" {
	local tracer
	require_inline
	succeeds "$CHECKOUT/tools/bench" --quick --programs tls --doc "$DOC" --doc "$PAGE" a
	for tracer in 'empty probes' gotap 'gotap, no budget' 'gotap, inline' 'gotap, inline, no budget' runtime/trace; do
		column a6 1 | grep -Fx "$tracer"
	done
	column a6 2 | all_within 0 1000		# throughput
	column a6 3 | all_within 0 1000		# over runtime/trace
	column a6 4 | all_within 0 1000	# CPU of a request
	for tracer in 'gotap, no budget' 'gotap, inline, no budget'; do
		cell a6 "$tracer" 6 | all_within 1 1000000000	# ns of gotap's CPU of a request
		cell a6 "$tracer" 8 | all_within 3 10000	# records of a request
		cell a6 "$tracer" 9 | all_within 0 100		# lost
		cell a6 "$tracer" 11 | all_within 0 0		# time left out
		[ "$(cell a6 "$tracer" 12)" = whole ]
	done
	[ "$(column price 1 | head -n 1)" = '`runtime/trace`, in the program' ]
	column price 2 | all_within 0 1000
	column a5 1 | grep -Fx 'gotap, inline'	# another server keeps its own
}

@test "names of addresses, and the document keeps what was not measured" {
	before=$(column a1 1)
	succeeds "$CHECKOUT/tools/bench" --quick --doc "$DOC" d
	[ "$(column d1 1 | head -n 1)" = "small, at work" ]
	column d1 3 | all_within 1 30000
	column d1 5 | all_within 0 30000
	column d2 4 | all_within 0 100000
	[ "$(column a1 1)" = "$before" ]
}

@test "reading traces beside Go's own packages" {
	succeeds "$CHECKOUT/tools/bench" --quick --doc "$DOC" f
	[ "$(column f1 2 | grep -c '^all events read; check$')" -eq 2 ]
	column f1 3 | all_within 1 100000
	column f1 4 | all_within 1 100000
	column f1 5 | all_within 0.01 1000
	column f1 7 | all_within 1 1000
}

@test "triggers, beside the same without" {
	succeeds "$CHECKOUT/tools/bench" --quick --doc "$DOC" i
	[ "$(column i1 1 | paste -sd ' ')" = '0 1 3 12' ]
	column i1 2 | all_within 1 10000
	column i1 4 | all_within 0.5 10
}

@test "operations of requests, with their group and without" {
	require_inline
	PAGE=$BATS_TEST_TMPDIR/requests.md
	cp "$CHECKOUT/docs/requests.md" "$PAGE"
	succeeds "$CHECKOUT/tools/bench" --quick --programs mux,query --doc "$PAGE" l
	[ "$(column requests 2 | paste -sd ' ')" = '`+http` `+sql`' ]
	column requests 3 | all_within 0.1 10000	# us of the program
	for price in 4 5 7 8; do
		column requests $price | all_within -10000 10000
	done
}

# The bounds are those of today and a tenth: a change that makes a record dearer by more says so here.
@test "instructions per record: each part has some, no more than it may, and twice the same number" {
	command -v valgrind >/dev/null || skip "there is no valgrind"
	succeeds "$CHECKOUT/tools/bench" --no-doc k
	first=$output
	grep -Eq '^\| merge \| [0-9]+\.[0-9] \|$' <<<"$first"
	for part in rings checks budget merge 'loop and goids' model writer; do
		[ "$(awk -F ' *[|] *' -v part="$part" '$2 == part { print ($3 >= 1) }' <<<"$first")" = 1 ]
	done
	[ "$(awk -F ' *[|] *' '/\.[0-9] / { n[$2] = $3 }
		END { print (n["rings"] + n["checks"] + n["budget"] <= 100 && n["all"] <= 550) }' <<<"$first")" = 1 ]
	[ "$(awk -F ' *[|] *' '/\.[0-9] / { if ($2 == "all") all = $3; else sum += $3 }
		END { print (all > 100 && sum > all - 1 && sum < all + 1) }' <<<"$first")" = 1 ]
	succeeds "$CHECKOUT/tools/bench.d/instructions" "$CHECKOUT/build/bench/load"
	[ "$output" = "$first" ]
}

@test "a part that is not there, and no root" {
	run_logged "$CHECKOUT/tools/bench" --quick z
	[ "$status" -eq 1 ]
	contains "'z' is neither an option nor a part"
	run_logged setpriv --reuid 65534 --clear-groups "$CHECKOUT/tools/bench" --quick a
	[ "$status" -eq 1 ]
	contains "needs root"
}
