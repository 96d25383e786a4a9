# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The differential test: the program of the test (tests/prog/mixed.go) writes its own runtime/trace while gotap records
# it, and the two are held against each other. Load after lib/common and lib/record; needs an oracle.

# Times: on a loaded machine one transition in a hundred and more has another program on its CPU between the two readings
# of the clock; not one in ten.
LIMITS=(-min-recall 0.999 -min-precision 0.999 -min-reasons 0.999 -min-stacks 0.99
	-min-proc-recall 0.999 -min-proc-precision 0.999 -max-p90 50us)

# What of diff's report is worth reading every time: the totals, what differs, and the verdict.
findings() {
	awk '/^result/ { print; exit }
		/^(all|window)/ || /^(Go|Proc)[A-Z].* [0-9]?[0-9]\.[0-9]+%/ { print; next }
		/^different/ { rest = 1 }
		rest && NF && told++ < 35' <<<"$output"
}

# compare LABEL PROCS [RECORD ARGUMENT...]: $PROG with that GOMAXPROCS.
compare() {
	local theirs=$BATS_TEST_TMPDIR/$2-runtime.trace ours=$BATS_TEST_TMPDIR/$2-gotap.trace
	GOMAXPROCS=$2 start_target "$PROG" -trace "$theirs" -await "$ours.partial" -delay 100ms -dur 700ms -tail 50ms
	recorded "$ours" "${@:3}" -p "$TARGET"
	wait_target
	views_ok "$ours"
	run_logged "$ORACLE/diff" "${LIMITS[@]}" "$theirs" "$ours"
	explain "$1, GOMAXPROCS=$2
$(findings)"
	[ "$status" -eq 0 ]
}
