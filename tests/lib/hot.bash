# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Profiles for builds with -pgo in which chosen calls of the runtime are hot (tests/pgo/hot.go). Load after lib/common.

# Every call of casgstatus that gotap needs, and calls of what it probes where a probe in the caller does as well.
HOT=(execute:casgstatus park_m:casgstatus ready:casgstatus goschedImpl:casgstatus goyield_m:casgstatus
	gdestroy:casgstatus newproc1:casgstatus injectglist:casgstatus findRunnable:casgstatus
	findRunnableGCWorker:casgstatus reentersyscall:casgstatus entersyscallblock:casgstatus exitsyscall:casgstatus
	exitsyscall0:casgstatus exitsyscallNoP:casgstatus newstack:casgstatus
	entersyscall:reentersyscall acquirep:acquirepNoTrace goexit0:gdestroy gosched_m:goschedImpl
	gopreempt_m:goschedImpl goschedguarded_m:goschedImpl newproc.func:newproc1 newproc.func:runqput ready:runqput
	exitsyscall:exitsyscallfast findRunnable:findRunnableGCWorker findRunnable:releasep newstack:preemptPark
	refill:update allocLarge:update gcAssistAlloc.func:gcAssistAlloc1)

# hot_profile VERSION CALLER:CALLEE...: sets $PROFILE to a profile in which these calls are hot, of $PACKAGE (runtime).
hot_profile() {
	local hot=$BUILD/pgo/go$1/hot version=$1
	shift
	require_go "$version"
	mkdir -p "${hot%/*}"
	[ "$hot" -nt "$CHECKOUT/tests/pgo/hot.go" ] ||
		GOFLAGS='' GOWORK=off "$GO" build -o "$hot" "$CHECKOUT/tests/pgo/hot.go"
	# The build of a program asks for its flags, not for the profile's content: another profile, another name.
	PROFILE=$BUILD/pgo/go$version/$(cksum <<<"$PACKAGE $*" | tr ' ' -).pprof
	succeeds "$hot" "$PROFILE" "$("$GO" env GOROOT)/src/${PACKAGE:-runtime}" "$@"
}
