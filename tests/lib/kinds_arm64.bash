# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Kinds of programs for arm64: load after lib/kernel_arm64 and lib/modes. What a test has made with arm64_kind and
# arm64_library runs in a virtual machine (tests/kernel/guest_kinds), as mixed-KIND.

# arm64_cc: sets $CC to the C compiler for arm64, with the libraries of $SYSROOT.
arm64_cc() { export CC="aarch64-linux-gnu-gcc --sysroot=$SYSROOT"; }

# arm64_cgo_prog VERSION NAME [GO FLAG...]: sets $PROG to tests/prog/NAME.go, built for arm64 with cgo, by the system's linker.
arm64_cgo_prog() {
	local version=$1 name=$2
	shift 2
	require_go "$version"
	arm64_cc
	PROG=$BUILD/prog/arm64/cgo$version$([ $# = 0 ] || tr -c 'A-Za-z0-9\n' _ <<<"$*")/$name
	GOARCH=arm64 CGO_ENABLED=1 "$CHECKOUT/tests/prog/build" "$version" "$(dirname "$PROG")" -p "$name" "$@"
}

# arm64_kind NAME: adds $PROG to $KINDS as NAME.
arm64_kind() {
	cp "$PROG" "$BATS_TEST_TMPDIR/$1"
	KINDS+=("$BATS_TEST_TMPDIR/$1")
}

# arm64_library VERSION MODE SUFFIX: sets $PROG to a C program linked with mixed.go, which is built for arm64 with
# -buildmode=MODE; its library, if it is a shared one, lies beside it.
arm64_library() {
	local dir=$BUILD/modes/arm64-go$1-$2
	require_go "$1"
	arm64_cc
	alone "modes-arm64-$1-$2" build_arm64_library "$1" "$dir" "$2" "libmixed.${3:?}"
	PROG=$dir/main
}

# The loader of the machine looks in /lib.
build_arm64_library() {
	local version=$1 dir=$2 mode=$3 library=$4
	! is_newest "$dir/main" || return 0
	mode_sources "$version" "$dir" exported.go
	cd "$dir" || return
	GOARCH=arm64 GOGC=400 CGO_ENABLED=1 GOFLAGS='' GOWORK=off flock "$GO" "$GO" build -buildmode="$mode" '-ldflags=-s -w' -o "$library" ./*.go &&
		$CC -o .main "$MODES/main.c" "$library" -lpthread && mv .main main
}

# kind_is_true NAME [LIMIT...]: launched and attached to, the program of that name was traced as the runtime traced it.
kind_is_true() {
	local how
	for how in "$1" "$1.attached"; do
		step_succeeds "$how"
		method_is uprobe_multi
		contains '"lost": 0'
		contains '"repairs_total": 0'
		views_ok "$GUEST/$how.trace"
		same_as_runtime "$how" "$how" "${@:2}"
	done
}

# same_as_runtime NAME TRACE [LIMIT...]: TRACE.trace is what the runtime wrote as NAME.runtime.trace.
same_as_runtime() {
	run_logged "$ORACLE/diff" "${KERNEL_LIMITS[@]}" -min-stacks 0.9999 "${@:3}" "$GUEST/$1.runtime.trace" "$GUEST/$2.trace"
	[ "$status" -eq 0 ]
}

# death NAME WHAT FUNCTION...: the snapshot and the whole recording say why the program ended, and the stack has these
# functions, one after the other, those that call themselves once.
death() {
	local name=$1 what=$2 report
	shift 2
	step_succeeds "$name"
	report=$(cat "$GUEST/$name.1.trace.json")
	[[ $report == *"$what"* ]] || fail "no '$what': $report"
	[ "$(grep -oE '"main\.[a-z]+ ' <<<"$report" | tr -d '" ' | uniq | paste -sd ' ')" = "$*" ] || fail "not these functions: $report"
	views_ok "$GUEST/$name.1.trace" "$GUEST/$name.whole.trace"
}
