# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Helpers of the tests of --attach inline: load after lib/common and lib/text. lib/record loads it.

# gotap may hold a thread of the target for this long at most; 0.1 ms is usual. Not counted is the time in which the
# thread that holds it had no CPU: because of other real-time threads, or because the hypervisor ran other machines
# (steal).
HELD_NS=50000000

# The steal time of all CPUs since the boot of this machine, in ticks, when this file was loaded.
read -r _ _ _ _ _ _ _ _ STOLEN_BEFORE _ </proc/stat

# stolen_ns: the steal time since then.
stolen_ns() {
	local stolen
	read -r _ _ _ _ _ _ _ _ stolen _ </proc/stat
	echo $(((stolen - STOLEN_BEFORE) * 1000000000 / $(getconf CLK_TCK)))
}

# inline_of FIELD: prints one field of the object "inline" in the last report.
inline_of() { sed -nE 's/.*"inline": \{//; s/"uprobes": \[.*//p' "$REPORT" | sed -nE "s/.*\"$1\": (\"([^\"]*)\"|([^],}]*)).*/\2\3/p"; }

# was_inline: the last recording was by --attach inline, and has left nothing in the target.
was_inline() {
	local state places held waited stolen
	state=$(inline_of state) places=$(inline_of places) held=$(inline_of held_ns) waited=$(inline_of held_waited_ns)
	stolen=$(stolen_ns)
	echo "inline: $state, $places places, $(inline_of stayed) stayed uprobes, held for $held ns, waited for $waited of them"
	is_as_before || return
	! was_too_short "$state" || return 0
	[ "$state" = undone ] || [[ $state == gone && -n $(reported ended) ]] || fail "inline: $state: $(inline_of why)" || return
	[ "$places" -ge 20 ] || fail "inline: at $places places only" || return
	[ $((held - waited - stolen)) -le "$HELD_NS" ] ||
		fail "inline: a thread was held for $held ns, $waited of them without a processor; $stolen were stolen meanwhile"
}

# was_too_short STATE: the program ended, or the recording did within a second, before gotap's code was in the program.
was_too_short() {
	local why
	why=$(inline_of why)
	[[ $1 == off ]] || return
	[[ $why != *"has ended"* && $why != *"No such process"* ]] || return 0
	[[ -z $why || $why == "no thread of process "*" slept in the Go runtime" ]] && awk -v s="$(reported seconds)" 'BEGIN { exit s >= 1 }'
}

# is_as_before [PID]: nothing of gotap's is in the target, if it still runs.
is_as_before() {
	local pid=${1:-${TARGET:-}}
	[ -n "$pid" ] && target_runs "$pid" || return 0
	! memory_of_gotap "$pid" || fail "memory of gotap's is left in process $pid" || return
	[ -z "$(descriptors_of_gotap "$pid")" ] || fail "process $pid has a descriptor of gotap's memory" || return
	text_is_clean "$pid" || ! target_runs "$pid" || fail "the text of process $pid is not as before: $(changes_in "$pid")"
}

# memory_of_gotap PID: prints the mappings there, if any: the shared memory, and code that is of no file.
memory_of_gotap() { grep -E '/memfd:gotap| r-xp [0-9a-f]+ 00:00 0 *$' "/proc/$1/maps" 2>/dev/null; }

# descriptors_of_gotap PID: prints those of the shared memory, if any.
descriptors_of_gotap() { find "/proc/$1/fd" -lname '/memfd:gotap (deleted)' 2>/dev/null || true; }

# inline_runs [PID]: calls of it lead to code of gotap's, and no uprobe of gotap's is at any of them.
inline_runs() {
	local pid=${1:-$TARGET} copy=$BATS_TEST_TMPDIR/text.$BASHPID
	memory_of_gotap "$pid" >/dev/null || return
	text_of "$pid" "$copy"
	# Offset, byte in memory, byte in the file, octal: a breakpoint is 314, a call 350, a test of a flag 200.
	{ cmp -l "$copy" "$copy.file" || true; } | awk '
		BEGIN { length_of[350] = 5; length_of[200] = 7 }
		$1 < behind { changed++; covered += probe; probe = 0; next }
		{ probe = $2 == 314 && $3 in length_of; changed += $2 != 314
		  behind = $1 + (probe ? length_of[$3] : $2 == 314 ? 1 : 4) }
		END { exit !(changed && !covered) }'
}
