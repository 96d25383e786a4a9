#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=beside,soak
#
# arm64: values that probes take from frames, from arguments on the stack and from results, in each layout that releases of
# Go have there: `make kernels`. Each program says itself what is right (tests/kernel/guest_values).

load ../lib/common
load ../lib/differential
load ../lib/kernel
load ../lib/kernel_arm64
load ../lib/grpc

setup() {
	oracle "$REFERENCE_GO"
	require_arm64 gotap
	PROGRAMS=()
}

# add NAME VERSION: tests/prog/NAME.go as NAME-VERSION.
add() {
	arm64_prog "$2" "$1" || return
	cp "$PROG" "$BATS_TEST_TMPDIR/$1-$2"
	PROGRAMS+=("$BATS_TEST_TMPDIR/$1-$2")
}

# add_grpc SUITE VERSION
add_grpc() {
	GOARCH=arm64 BUILD=$ARM64 build_grpc "$1" "$2" || return
	cp "$PROG" "$BATS_TEST_TMPDIR/grpc-$2"
	PROGRAMS+=("$BATS_TEST_TMPDIR/grpc-$2")
}

run_guest() { boot_arm64 6.12 neoverse-n1 guest_values "${PROGRAMS[@]}"; }

# whole NAME: nothing of the step's recording is missing, no word of memory was unreadable. Sets $EVENTS.
whole() {
	step_succeeds "$1"
	contains '"lost": 0'
	contains '"repairs_total": 0'
	contains '"unreadable": 0'
	views_ok "$GUEST/$1.trace"
	events_of "$1"
}

# events_of NAME: of its trace.
events_of() {
	EVENTS=$BATS_TEST_TMPDIR/$1.events
	"$GOTAP" text --events --json "$GUEST/$1.trace" >"$EVENTS"
}

judge() { succeeds python3 "$CHECKOUT/tests/lib/$1.py" "${@:2}"; }

# waits_are_right VERSION [UNKNOWN...]: of the goroutines that wait already. Up to Go 1.20 the callers in a stack that has grown
# are not known, as that of selectTen has: the goroutine is not found by its function.
waits_are_right() {
	local name=waits-$1 said=$BATS_TEST_TMPDIR/said
	local -a unknown=()
	[ "$1" != 1.15 ] || unknown=(network)	# another layout of pollDesc
	cp "$GUEST/$name.said" "$said"
	[ "${1#1.}" -ge 21 ] || sed -i '/^main\.selectTen /d' "$said"
	whole "$name"
	judge waits "$said" "$EVENTS" "${unknown[@]}"
	events_of "$name-now"
	judge waits "$said" "$EVENTS" "${@:2}"
}

@test "arm64: what goroutines wait for" {
	local release
	for release in 1.15 1.19 1.24 1.25 1.27; do
		add waits "$release"
	done
	run_guest
	waits_are_right 1.15 network cond
	waits_are_right 1.19 cond
	waits_are_right 1.24 cond
	waits_are_right 1.25 cond
	waits_are_right 1.27
}

# routes_are_right VERSION: also that of a request of which a middleware has made a copy.
routes_are_right() {
	whole "counted-$1"
	"$GOTAP" requests "$GUEST/counted-$1.trace" --json --slowest 1000 |
		jq -r '.slowest[] | "\(.status) \(.name)"' | sort | uniq -c | sed 's/^ *//' | sort >"$BATS_TEST_TMPDIR/routes"
	grep '^[0-9]' "$GUEST/counted-$1.said" | grep -v : | sort | diff "$BATS_TEST_TMPDIR/routes" -
	grep -qx '3 200 GET /copy' "$BATS_TEST_TMPDIR/routes"
}

@test "arm64: routes, statuses and bytes of requests, HTTP/1 and HTTP/2" {
	add counted 1.24
	add counted 1.27
	add requests 1.19
	add requests 1.27
	run_guest
	routes_are_right 1.24
	routes_are_right 1.27
	whole requests-1.27
	judge requests "$GUEST/requests-1.27.said" "$EVENTS" 27
	whole requests-1.19
	judge requests "$GUEST/requests-1.19.said" "$EVENTS" 19
}

@test "arm64: calls of grpc that end, fail, and cannot be begun" {
	add_grpc bullseye 1.15
	add_grpc trixie 1.22
	add_grpc forky 1.27
	run_guest
	whole grpc-1.15
	judge grpc "$GUEST/grpc-1.15.said" "$EVENTS" unended
	whole grpc-1.22
	judge grpc "$GUEST/grpc-1.22.said" "$EVENTS"
	whole grpc-1.27
	judge grpc "$GUEST/grpc-1.27.said" "$EVENTS"
}

# Those of system calls among them, with syscall.Syscall as a frame. The limits are those of tests/oldgo.bats, but for callers in
# stacks that have grown (kinds_arm64.bats).
@test "arm64: stacks of Go 1.15 and 1.19 are those of the runtime" {
	local version
	add mixed 1.15
	add mixed 1.19
	run_guest
	for version in 1.15 1.19; do
		whole "mixed-$version"
		jq -r 'select(.to == "Syscall") | [.stack[].func] | join(" ")' "$EVENTS" >"$BATS_TEST_TMPDIR/syscalls"
		[ "$(wc -l <"$BATS_TEST_TMPDIR/syscalls")" -gt 10 ]
		! grep -E '(^| )([^ ]+) \2( |$)' <(sed 's/runtime.doInit//g' "$BATS_TEST_TMPDIR/syscalls") || fail "a caller of syscall.Syscall twice"
		run_logged "$ORACLE/diff" -min-recall 0.999 -min-precision 0.999 -min-reasons 0.99 -min-stacks 0.7 -min-threads 0.9 \
			-min-proc-recall 0.99 -min-proc-precision 0.9 -margin 20ms "$GUEST/mixed-$version.runtime.trace" "$GUEST/mixed-$version.trace"
		[ "$status" -eq 0 ]
	done
}

@test "arm64: samples in functions without a frame, on the system stack and in the vDSO" {
	local version
	for version in 1.15 1.19 1.24 1.27; do
		add copies "$version"
	done
	run_guest
	for version in 1.15 1.19; do
		whole "copies-$version"
		judge copies "$EVENTS" grown runtime.duffcopy runtime.duffzero
	done
	whole copies-1.24
	judge copies "$EVENTS" runtime.duffcopy runtime.duffzero
	whole copies-1.27
	judge copies "$EVENTS"
}

# died VERSION HOW: the snapshot names the goroutine, its stack and the cause as the runtime prints them. In Go 1.15 the stack
# grows in gopanic after main.copied, and gopanic has no frame pointer from then on (kinds_arm64.bats).
died() {
	local at=$GUEST/dies-$1.$2
	local -a grown=()
	[ "$1 $2" != "1.15 copied" ] || grown=(grown)
	judge same_death "$at/1.trace.json" "$at.said" "$at.alone" "${grown[@]}"
	[ "${1#1.}" -ge 21 ] || grep -qF '"missing_probes": ["runtime.adjustframe"]' "$at.said"
}

@test "arm64: programs that a signal ends" {
	local version how
	for version in 1.15 1.19 1.24 1.27; do
		add dies "$version"
	done
	run_guest
	for version in 1.15 1.19 1.24 1.27; do
		for how in trap nil copied limited; do
			died "$version" "$how"
		done
	done
}
