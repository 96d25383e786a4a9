#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# bats file_tags=alone
#
# What gotap text --events takes: memory, whatever the length of the trace, and CPU time beside go tool trace.

load lib/common

# generations N: a trace of N equal generations of 6000 events (so that sizes of batches are known), as $TRACE
generations() {
	TRACE=$BATS_TEST_TMPDIR/$1.trace
	awk -v n="$1" 'BEGIN {
		print "Trace Go1.26"
		for (gen = 1; gen <= n; gen++) {
			time = 1000000000 + gen * 1000000
			none = "EventBatch gen=" gen " m=18446744073709551615 time=" time " size="
			print none "20\nSync\nFrequency freq=1000000000"
			print "ClockSnapshot dt=1 mono=" time " sec=1700000001 nsec=5"
			print "EventBatch gen=" gen " m=7 time=" time " size=" 9 + 6 * 6000
			print "ProcStatus dt=1 p=0 pstatus=1\nGoStatus dt=1 g=1 m=7 gstatus=2"
			for (i = 0; i < 6000; i++)
				print "UserLog dt=1 task=0 key_string=1 value_string=2 stack=1"
			print none "9\nStacks\nStack id=1 nframes=1\n\tpc=4096 func=1 file=2 line=12"
			print none "21\nStrings\nString id=1\n\tdata=\"main.f\"\nString id=2\n\tdata=\"/main.go\""
			print "EndOfGeneration"
		}
	}' | "$GOTAP" wire - -o "$TRACE"
}

# peak_at_end ARGUMENTS...: PEAK, the most memory in KiB that gotap had in use, as it says itself shortly before the end
# of what it prints. The peak that wait4() gives has that of who started it.
peak_at_end() {
	PEAK=$(python3 - "$GOTAP" "$@" <<-'EOP'
		import subprocess, sys
		total = len(subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True).stdout)
		p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, bufsize=0)
		left = total - (1 << 20)  # more than its buffer and the pipe hold: it is still there
		while left > 0:
		    left -= len(p.stdout.read(min(left, 1 << 16)))
		status = open(f"/proc/{p.pid}/status").read()
		print(status.split("VmHWM:")[1].split()[0])
		p.stdout.close()
		p.wait()
	EOP
	)
	echo "peak of $*: $PEAK KiB"
}

@test "a trace that is ten times as long takes no more memory" {
	local size form
	for form in --absolute --json; do
		generations 10
		peak_at_end text --events "$form" "$TRACE"
		size=$PEAK
		generations 100
		peak_at_end text --events "$form" "$TRACE"
		[ "$PEAK" -le $((size * 13 / 10)) ]
	done
}

# cpu_ms COMMAND...: CPU, what it took of a CPU
cpu_ms() {
	local took TIMEFORMAT='%U %S'
	took=$({ time "$@" >/dev/null; } 2>&1)
	CPU=$(awk '{ print int(($1 + $2) * 1000) }' <<<"$took")
	echo "CPU of $*: $CPU ms"
}

# Measured on 134 MB: 3.0 s against 100 s.
@test "events are shown with a third of the CPU time of go tool trace -d=parsed at most" {
	local ours trace=$BATS_TEST_TMPDIR/t.trace
	build_prog "$REFERENCE_GO" mixed
	"$PROG" -trace "$trace" -delay 20ms -dur 1s -rounds 1500 -tail 0 >/dev/null
	# its first run builds it
	"$GO" tool trace -d=footprint "$CHECKOUT/tests/vectors/ok_minimal_26.trace" >/dev/null
	cpu_ms "$GOTAP" text --events "$trace"
	ours=$CPU
	cpu_ms "$GO" tool trace -d=parsed "$trace"
	[ $((3 * ours)) -le "$CPU" ]
}
