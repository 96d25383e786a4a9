# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What tests/inline.bats, inline_killed.bats and inline_refused.bats share: load after lib/common, lib/record and
# lib/cgroup. Each records with --attach inline, but for what stands behind "uprobes".

setup() {
	require_root
	require_inline
	require_tool dd cmp
	oracle "$REFERENCE_GO"
	TRACE=$BATS_TEST_TMPDIR/x.trace
	leaks >"$BATS_TEST_TMPDIR/leaks"
	ATTACH=inline
}

teardown() {
	[ -z "${TARGET:-}" ] || kill -CONT "$TARGET" 2>/dev/null || true
	stop_targets
	[ -z "${FOLDER:-}" ] || wait_for 60 rmdir "$FOLDER"
	close_place
}

mixed() {
	build_prog "${1:-$REFERENCE_GO}" mixed
	start_target "$PROG" -delay 10h
}

# not_inline PATTERN: no code was put into the program, for a reason like that.
not_inline() {
	[ "$(inline_of state)" = off ]
	# shellcheck disable=SC2053
	[[ $(inline_of why) == $1 ]] || fail "inline: $(inline_of why)"
	is_as_before
}

uprobes() { ATTACH='' "$@"; }

# prober: the pid of the process that holds the probes.
prober() { pgrep -x gotap-prober -P "$RECORDER"; }

# gone PID: no thread of the process runs any more. Its first thread may be a zombie while another one still removes
# breakpoints.
gone() {
	local threads=(/proc/"$1"/task/*)
	! target_runs "$1" || [[ ${#threads[@]} -le 1 && $(awk '{ print $3 }' "/proc/$1/stat" 2>/dev/null) == [ZX] ]]
}

# cleaned_by_the_next: a recording by uprobes takes out what a gotap left that was killed with its prober. The kernel
# removes breakpoints when the last process of the killed gotap has ended, and nothing shows when that is.
cleaned_by_the_next() {
	uprobes recorded "$BATS_TEST_TMPDIR/next.trace" -p "$TARGET" -d 300ms
	# If the prober was killed while it attached, the kernel may leave breakpoints: probes at the same places
	# replace them.
	[ "$(leaks_but "$BATS_TEST_TMPDIR/leaks")" -eq 0 ] || record "$BATS_TEST_TMPDIR/same.trace" -p "$TARGET" -d 1s
	REPORT=$BATS_TEST_TMPDIR/next.trace.json
	wait_for 60 is_as_before
	trace_ok "$BATS_TEST_TMPDIR/next.trace"
}

stop_target_now() {
	kill -STOP "$TARGET"
	wait_for 60 grep -q '^State:.T' "/proc/$TARGET/status"
}
