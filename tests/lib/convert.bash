# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Helpers of the bats files that convert v2 traces, or make some from text: load after lib/common.

# converts ARGUMENT...: gotap convert gives a good trace, $NEW.
converts() { succeeds "$GOTAP" convert "$@" -o "$NEW" && trace_ok "$NEW"; }

# trace_of NAME: the text on standard input, in which batches may have size=?, as $BATS_TEST_TMPDIR/NAME.trace.
trace_of() {
	awk -f "$CHECKOUT/tests/lib/sized.awk" >"$BATS_TEST_TMPDIR/$1.txt"
	succeeds "$GOTAP" wire "$BATS_TEST_TMPDIR/$1.txt" -o "$BATS_TEST_TMPDIR/$1.trace"
}

# tables GENERATION TIME [TEXT...]: prints its clock, of one tick a nanosecond, and these texts as strings 1, 2, ...
tables() {
	local batch="EventBatch gen=$1 m=18446744073709551615 time=$2 size=?" id=0 text
	printf '%s\nFrequency freq=1000000000\n' "$batch"
	[ $# -le 2 ] || printf '%s\nStrings\n' "$batch"
	for text in "${@:3}"; do
		printf 'String id=%d\n\tdata="%s"\n' $((++id)) "$text"
	done
}
