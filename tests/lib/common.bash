# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Helpers of the bats files. A file begins with
#
#	load lib/common
#	teardown() { stop_targets; }
#
# Everything that a test writes goes to $BATS_TEST_TMPDIR. bats shows a test's output only if it fails; so helpers
# that run something say what they ran and how it ended.

# bats loads this file for each test twice, so that here each process counts, which is why there is none.
CHECKOUT=${BASH_SOURCE[0]%/lib/common.bash}
CHECKOUT=${CHECKOUT%/*/..}
CHECKOUT=${CHECKOUT%/tests}
BUILD=${BUILD:-$CHECKOUT/build}
case $BUILD in /*) ;; *) BUILD=$CHECKOUT/$BUILD ;; esac
GOTAP=${GOTAP:-$BUILD/gotap}

# A folder of this run, for what is looked at once in it.
ONCE=${SHARED_RECORDINGS:-${BATS_RUN_TMPDIR:-}}

# All releases, oldest first, and the one whose reader, validator and runtime are the reference.
ALL_GO=()
while read -r go_release _; do
	[[ $go_release == '#'* ]] || ALL_GO+=("$go_release")
done <"$CHECKOUT/tools/go-releases.txt"
unset go_release
REFERENCE_GO=${ALL_GO[-1]}

# --- running -------------------------------------------------------------------------------------

# Like bats' run, and logs the command, its output and its status. Sets $status, $output and $lines.
run_logged() {
	run "$@"
	printf '$ %s\n' "$*"
	[ -z "$output" ] || printf '%s\n' "$output"
	printf '(status %s)\n' "$status"
}

gotap() { run_logged "$GOTAP" "$@"; }

# Fails with the command's output unless it ends with status 0.
succeeds() {
	run_logged "$@"
	[ "$status" -eq 0 ]
}

fail() {
	printf 'FAILED: %s\n' "$*"
	return 1
}

# explain TEXT: shown even if the test passes. "##" tells it from the output of a test that failed before.
explain() { printf '## %s\n' "${*//$'\n'/$'\n'## }" >&3; }

# contains TEXT: the last run's output has this text somewhere.
contains() { [[ $output == *"$1"* ]] || fail "no '$1' in the output"; }

# matches REGEX: a line of the last run's output matches this extended regular expression.
matches() { grep -Eq -- "$1" <<<"$output" || fail "no line matches '$1'"; }

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
	local deadline=$((${EPOCHREALTIME/./} + $1 * 1000000))
	shift
	until "$@"; do
		[ "${EPOCHREALTIME/./}" -lt "$deadline" ] || fail "still not true: $*" || return
		nap 0.05
	done
}

# nap SECONDS: sleeps without a process, which is what costs most on some virtual machines.
nap() {
	local nothing fifo=$BATS_RUN_TMPDIR/nap
	[ -p "$fifo" ] || mkfifo "$fifo" 2>/dev/null || [ -p "$fifo" ] || { sleep "$1"; return; }
	read -rt "$1" nothing <>"$fifo" || :
}

# alone NAME COMMAND...: runs COMMAND in a subshell, while no other test runs one under the same NAME: to build
# something that several bats files use, which may run at the same time (tests/run).
alone() {
	mkdir -p "$BUILD/locks"
	(
		flock 9
		"${@:2}"
	) 9>"$BUILD/locks/$1"
}

# --- long runs -----------------------------------------------------------------------------------

# A test with the tag "soak" finds more the longer it goes on, or with luck. `make soak` runs it for
# $SOAK seconds, with random numbers from the seed $SOAK_SEED. Elsewhere it is short, and its random
# numbers are the same each time.
SOAK_BEGAN=$EPOCHSECONDS

soaks() { [ -n "${SOAK:-}" ]; }

# A process that bash starts beside itself (& or a pipe) has other random numbers: take them before.
soak_seed() { RANDOM=${SOAK_SEED:-1}; }

# For a test that has no short form.
soak_only() { soaks || skip "takes minutes: make soak"; }

# goes_on ROUNDS DONE: a further round is due. At least one is.
goes_on() {
	if [ "$2" -eq 0 ]; then
		return 0
	elif soaks; then
		[ $((EPOCHSECONDS - SOAK_BEGAN)) -lt "$SOAK" ]
	else
		[ "$2" -lt "$1" ]
	fi
}

# --- what a test needs ---------------------------------------------------------------------------

require_root() { [ "$(id -u)" -eq 0 ] || skip "needs root"; }

require_tool() {
	local tool
	for tool; do
		command -v "$tool" >/dev/null || skip "needs $tool"
	done
}

# require_kernel 6.6
require_kernel() {
	local release
	release=$(uname -r)
	printf '%s\n%s\n' "$1" "${release%%-*}" | sort -VC || skip "needs kernel $1, this is $release"
}

# Code in a program (--attach inline) reads the time stamp counter, which a machine may not have as its clock (virtual
# machines with kvm-clock): there gotap records with uprobes.
has_inline() { read -r MACHINE_CLOCK </sys/devices/system/clocksource/clocksource0/current_clocksource && [ "$MACHINE_CLOCK" = tsc ]; }
require_inline() { has_inline || skip "no code in programs: the clock of this machine is $MACHINE_CLOCK, not tsc"; }

# require_go VERSION: fetches the release if it is missing and sets $GO to its go command. Skips only where the
# release cannot be had.
require_go() {
	local why
	GO=$CHECKOUT/build/go/go$1/bin/go
	[ -x "$GO" ] || why=$("$CHECKOUT/tools/go-fetch" "$1" 2>&1 >/dev/null) ||
		skip "Go $1 cannot be had: $(tail -n 1 <<<"$why")"
	export GOTOOLCHAIN=local
}

# path_of_tool NAME: prints where that tool of the release of $GO is. From Go 1.25 on "go tool" builds it, and looks at
# all of its sources each time: 0.25 s of CPU time. (The lock is that of tests/prog/build.)
path_of_tool() {
	local known=$ONCE/tool.${GO//\//_}.$1
	[ -s "$known" ] || flock "$GO" "$GO" tool -n "$1" >"$known" || return
	cat "$known"
}

# go_tool NAME ARGUMENT...: runs it.
go_tool() { "$(path_of_tool "$1")" "${@:2}"; }

# require_package PACKAGE SUITE [NAME]: a program of Debian's, unpacked; sets $PACKAGE_ROOT.
require_package() {
	local why
	PACKAGE_ROOT=$CHECKOUT/build/go/pkg/${3:-$1}
	[ -d "$PACKAGE_ROOT" ] ||
		why=$("$CHECKOUT/tools/go-fetch" --package "$1" --suite "$2" --as "${3:-$1}" 2>&1 >/dev/null) ||
		skip "$1 of $2 cannot be had: $(tail -n 1 <<<"$why")"
}

# open_place: sets $PLACE to a folder that every user may enter, with gotap in it. (bats' own folder is for its user,
# and so may be a checkout.) teardown() must call close_place.
open_place() {
	PLACE=$(mktemp -d /var/tmp/gotap-place.XXXXXX)
	chmod 755 "$PLACE"
	install -m 755 "$GOTAP" "$PLACE/gotap"
}

close_place() { [ -z "${PLACE:-}" ] || rm -rf "$PLACE"; }

# --- test programs -------------------------------------------------------------------------------

# build_prog VERSION NAME [GO BUILD FLAG...]: sets $PROG to tests/prog/NAME.go, built. Each set of flags has a
# folder of its own. A run (tests/run, or one call of bats for a file) checks once whether the program is current.
build_prog() {
	local version=$1 name=$2 flags dir looked
	shift 2
	require_go "$version"
	flags=$*
	dir=$BUILD/prog/go$version${flags:+-${flags//[^A-Za-z0-9]/_}}
	looked=$ONCE/prog.${CGO_ENABLED:-}.${dir##*/}.$name
	PROG=$dir/$name
	[ ! -e "$looked" ] || [ ! -x "$PROG" ] || return 0
	"$CHECKOUT/tests/prog/build" "$version" "$dir" -p "$name" "$@" || return
	: >"$looked"
	[ -x "$PROG" ] || skip "$name needs a later Go than $version"
}

# start_target COMMAND...: runs it in the background and waits until it prints "ready". Sets $TARGET to its pid and
# $TARGET_OUT to the file that has its output.
start_target() {
	TARGETS=${TARGETS:-}
	TARGETS_STARTED=$((${TARGETS_STARTED:-0} + 1))
	TARGET_OUT=$BATS_TEST_TMPDIR/target.$BASHPID.$TARGETS_STARTED
	: >"$TARGET_OUT"	# it is read at once
	# bats waits for whoever holds its file descriptor 3.
	"$@" >"$TARGET_OUT" 2>&1 3>&- &
	TARGET=$!
	TARGETS+=" $TARGET"
	printf '$ %s &\n(pid %s)\n' "$*" "$TARGET"
	wait_for 60 target_is_ready_or_gone || return
	target_is_ready || fail "the target ended: $(tail -n 3 "$TARGET_OUT")"
}

target_is_ready() {
	local line
	while IFS= read -r line; do
		[ "$line" != ready ] || return 0
	done <"$TARGET_OUT"
	return 1
}

target_is_ready_or_gone() { target_is_ready || ! target_runs; }

target_runs() { kill -0 "${1:-$TARGET}" 2>/dev/null; }

# catches_hup PID: it catches SIGHUP. Fails if it has ended.
catches_hup() {
	local caught
	caught=$(sed -n 's/^SigCgt:\t/16#/p' "/proc/$1/status" 2>/dev/null)
	((caught & 1))
}

# pauses PID: that gotap has come to the wait of user/cmd/pause.h.
pauses() { catches_hup "$1" && grep -q nanosleep "/proc/$1/wchan"; }

# stop_target [PID]: ends the target started last, or the one given.
stop_target() {
	local pid=${1:-$TARGET}
	kill "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
}

# wait_target: until the target ends by itself. Sets $status.
wait_target() {
	status=0
	wait "$TARGET" || status=$?
	printf 'target %s ended with status %s\n' "$TARGET" "$status"
}

# For teardown.
stop_targets() {
	local pid
	for pid in ${TARGETS:-}; do
		stop_target "$pid"
	done
	TARGETS=
}

# stop_stopped_targets: the same for targets to which a test may have sent SIGSTOP.
stop_stopped_targets() {
	local pid
	for pid in ${TARGETS:-}; do
		kill -CONT "$pid" 2>/dev/null || true
	done
	stop_targets
}

# --- judging traces ------------------------------------------------------------------------------

# oracle VERSION: sets $ORACLE to the folder with the oracles built with that release. A run checks once whether they
# are current, as most tests call this several times.
oracle() {
	local looked=$ONCE/oracle.$1
	require_go "$1"
	ORACLE=$BUILD/oracle/go$1
	[ -e "$looked" ] || { "$CHECKOUT/tests/oracle/build" "$1" "$ORACLE" && : >"$looked"; }
}

# trace_ok FILE...: Go's reader and validator take every event.
trace_ok() {
	oracle "$REFERENCE_GO" && succeeds "$ORACLE/check" "$@"
}

# views_ok FILE...: and so does what the pages of go tool trace compute, which needs more than a valid trace (a
# GOMAXPROCS, say). For every trace that gotap records.
views_ok() {
	oracle "$REFERENCE_GO" && succeeds "$ORACLE/check" -views "$@"
}

# readable_by VERSION FILE...: that release's own reader takes every event.
readable_by() {
	local version=$1
	shift
	oracle "$version" && succeeds "$ORACLE/readcheck" "$@"
}

# same_trace [DIFF FLAG...] RUNTIME.trace GOTAP.trace: gotap saw what the runtime saw.
same_trace() {
	oracle "$REFERENCE_GO" && succeeds "$ORACLE/diff" "$@"
}

# count_of FILE PATTERN: prints how many events there are whose name, as check -counts has it, matches the extended
# regular expression from the start. count_of x.trace 'Go Running->Waiting "chan'
count_of() {
	oracle "$REFERENCE_GO" >&2 || return
	"$ORACLE/check" -counts "$1" | awk -v want="^($2)" '
		$1 == "count" { n = $2; sub(/^count [0-9]+ /, ""); if ($0 ~ want) sum += n }
		END { print sum + 0 }'
}
