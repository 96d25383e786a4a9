#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside
#
# tests/strangers: programs that are slow for a reason, or healthy, each with the truth about it. Whether
# gotap finds that truth is a score (tests/strangers/judge), not a test. Here: the truth agrees with the
# programs, and the judge tells a hit from a miss.

load lib/common

JUDGE=$CHECKOUT/tests/strangers/judge

@test "each program has a truth, and each function and line of a truth is in its program" {
	"$JUDGE" --check
	[ "$(cat "$CHECKOUT"/tests/strangers/TRUTH.tsv "$CHECKOUT"/tests/strangers/held/TRUTH.tsv |
		grep -vc '^#')" -eq 42 ]
}

# judged NAME JSON: prints the row of the judge for the program, with JSON as the report
judged() {
	cd "$BATS_TEST_TMPDIR"
	printf '#!/bin/sh\ncat <<"END"\n%s\nEND\n' "$2" >gotap
	chmod +x gotap
	succeeds "$JUDGE" --gotap ./gotap --again . "$1"
}

@test "a sentence is a hit if it names a function of the cause, and no hit if a name only begins so" {
	judged chainsleep '{"findings": [{"text": "main.settlePayment (main.go:1) sleeps"}]}'
	matches '^chainsleep +sick +inline +hit +1 +- '
	judged chainsleep '{"findings": [{"text": "main.settlePaymentLate and main.settlePayment.func1"}]}'
	matches '^chainsleep +sick +inline +MISS +- +- '
	line=$(grep -n 'time.Sleep(15' "$CHECKOUT/tests/strangers/chainsleep/main.go" | cut -d : -f 1)
	judged chainsleep '{"findings": [{"text": "a"}, {"text": "b", "function": "main.settlePayment", "line": '"$line"'}]}'
	matches '^chainsleep +sick +inline +hit +2 +2 '
	judged chainsleep '{"findings": [{"text": "a"}, {"text": "b"}, {"text": "c"}, {"text": "main.settlePayment"}]}'
	matches '^chainsleep +sick +inline +MISS '
}

@test "a healthy program is a hit if there is no finding; answer comes before findings" {
	judged okcache '{"findings": []}'
	matches '^okcache +healthy +inline +hit +0 '
	judged okcache '{"findings": [{"text": "main.f waits"}]}'
	matches '^okcache +healthy +inline +MISS +1 '
	judged okcache '{"findings": [{"text": "x"}], "answer": [{"kind": "unit", "text": "main.(*cache).handleKey"}]}'
	matches '^okcache +healthy +inline +hit +0 +1 '
	judged okcache '{"findings": [], "answer": [{"kind": "rest", "text": "x"}, {"kind": "finding", "text": "y"}]}'
	matches '^okcache +healthy +inline +MISS +1 '
}
