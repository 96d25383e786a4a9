# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The failures of a run of tests/run, and the second run of each. A test that failed once and passed
# when it ran alone is flaky: it is named, with both outputs, and does not make the run fail. What
# failed is either a test of a bats file, which runs again by its name, or a file: a unit test, and
# a bats file that crashed or hung.

# The Nth failure: its file; the number of the test there, or nothing; its name, or what else to say
# of it; what the file printed.
failure_files=()
failure_numbers=()
failure_texts=()
failure_outputs=()
# What the second run of the Nth failure printed, if there was one.
failure_again=()
flaky=()

# More failures than this have a common cause, which a second run of each would only repeat.
readonly RETRY_MOST=20
# One test may take this long in its second run (s).
readonly RETRY_ONE=600
readonly RETRY_LINES=40 RETRY_COLUMNS=500

# failure_add FILE NUMBER TEXT: $output has the file's output.
failure_add() {
	failure_files+=("$1")
	failure_texts+=("$3")
	failure_outputs+=("${output:-/dev/null}")
	failure_again+=("")
	failure_numbers+=("$2")
}

# retry_is_whole N: it is the whole file that runs again: also where bats could not set it up.
retry_is_whole() {
	[[ ${failure_files[$1]} != *.bats || -z ${failure_numbers[$1]} || ${failure_texts[$1]} =~ ^(setup|teardown)_file\ failed ]]
}

# retry_chosen FILE: prints the line of each test of the file that ran, by the tags that were asked for. A test without
# any has only those of its file.
retry_chosen() {
	awk -v wanted="${tags[*]}" -v all="$filter" '
		sub(/^# bats file_tags=/, "") { in_file = "," $0 }
		sub(/^# bats test_tags=/, "") { in_test = "," $0 }
		/^[[:blank:]]*@test[[:blank:]]/ {
			has = in_file in_test ","; in_test = ""; n = split(wanted, tag, " ")
			chosen = n == 0 && (all != "" || !index(has, ",soak-only,"))
			for (i = 1; i <= n; i++) chosen = chosen || index(has, "," tag[i] ",")
			if (chosen) print
		}' "$1"
}

# retry_name FILE NUMBER: prints the name of that test as the file has it, where a "$" is not
# expanded: with this bats compares what it is asked for.
retry_name() {
	retry_chosen "$1" | sed -nE "s/^[[:blank:]]*@test[[:blank:]]+[\"']?(.*[^[:blank:]])[[:blank:]]+\{.*/\1/; T; s/[\"']\$//p" |
		grep -E -- "${filter:-^}" | sed -n "$2p"
}

# retry_command N: prints the command, an argument a line.
retry_command() {
	local name
	if retry_is_whole "$1"; then
		command_for "${failure_files[$1]}"
	else
		name=$(retry_name "${failure_files[$1]}" "${failure_numbers[$1]}" | sed 's/[][\.*^$+?(){}|]/\\&/g')
		printf '%s\n' bats --tap --timing --filter "^$name\$" "${failure_files[$1]}"
	fi
}

# retry_passed FILE: by what the second run printed, as many tests passed as it planned. One that
# was skipped proves nothing.
retry_passed() {
	local planned passes
	planned=$(sed -nE 's/^1\.\.([0-9]+)$/\1/p' "$1" | tail -n 1)
	passes=$(grep -E '^ok ' "$1" | grep -Evc '# [Ss][Kk][Ii][Pp]')
	! grep -q '^not ok' "$1" || return
	[ "$passes" -gt 0 ] || return
	[ -z "$planned" ] || [ "$(grep -c '^ok ' "$1")" -eq "$planned" ] || return
	grep -q "^${ENDED}0," "$1"
}

# retry_earlier N: prints where the output of the second run of its file is, if another failure had
# that file run again.
retry_earlier() {
	local n
	retry_is_whole "$1" || return
	for ((n = 0; n < $1; n++)); do
		[ "${failure_files[n]}" = "${failure_files[$1]}" ] && retry_is_whole "$n" && echo "${failure_again[n]}" && return
	done
	return 1
}

# retry_one N SECONDS: runs the Nth failure again. True if it passed.
retry_one() {
	local command
	if failure_again[$1]=$(retry_earlier "$1"); then
		retry_passed "${failure_again[$1]}"
		return
	fi
	failure_again[$1]=$(mktemp "$work/again.XXXXXX")
	mapfile -t command < <(retry_command "$1")
	printf '# again: %s: %s\n' "${failure_files[$1]}" "${failure_texts[$1]}"
	exec 4< <(produce "$2" "${command[@]}")
	stream=$!
	sed '/^$/d' <&4 >"${failure_again[$1]}"
	stream=
	retry_passed "${failure_again[$1]}"
}

# failures_retry SECONDS: so long in all; 0 is none.
failures_retry() {
	local n count=${#failure_texts[@]} until=$((EPOCHSECONDS + $1)) seconds
	[ "$1" -gt 0 ] && [ "$count" -gt 0 ] || return 0
	[ "$count" -le "$RETRY_MOST" ] || { printf '# %d failures: too many to run each again\n' "$count"; return; }
	for ((n = 0; n < count; n++)); do
		seconds=$(at_most $((until - EPOCHSECONDS < RETRY_ONE ? until - EPOCHSECONDS : RETRY_ONE)))
		[ "$seconds" -gt 0 ] || { printf '# no time is left to run the other failures again\n'; return; }
		! retry_one "$n" "$seconds" || retry_forgive "$n"
	done
}

# retry_forgive N: the Nth failure is flaky. A file counts with the tests that its first run did not
# come to.
retry_forgive() {
	local tests=1
	flaky+=("$1")
	[ -n "${failure_numbers[$1]}" ] ||
		tests=$(($(grep -c '^ok ' "${failure_again[$1]}") - $(grep -c '^ok ' "${failure_outputs[$1]}")))
	passed=$((passed + (tests > 0 ? tests : 0)))
}

# failure_excerpt N: the lines that decide.
failure_excerpt() {
	awk -v file="${failure_files[$1]}" -v number="${failure_numbers[$1]}" -f tests/lib/excerpts.awk "${failure_outputs[$1]}"
}

# failure_ending FILE: the end of what a second run printed.
failure_ending() { tail -n "$RETRY_LINES" "$1" | cut -c "-$RETRY_COLUMNS" | sed 's/^/    /'; }

flaky_show() {
	local n
	for n; do
		printf 'flaky: %s: %s\n' "${failure_files[n]}" "${failure_texts[n]}"
		printf '  failed, with the others:\n'
		failure_excerpt "$n" | cut -c "-$RETRY_COLUMNS" | head -n "$RETRY_LINES" | sed 's/^/  /'
		printf '  passed, alone:\n'
		failure_ending "${failure_again[n]}" | sed 's/^/  /'
	done
}

# failures_failed: prints the numbers of those that are not flaky.
failures_failed() {
	local n
	for n in "${!failure_texts[@]}"; do
		[[ " ${flaky[*]} " == *" $n "* ]] || printf '%s\n' "$n"
	done
}

failed_show() {
	local n
	for n; do
		[ ! -s "${failure_outputs[n]}" ] || failure_excerpt "$n"
		[ -z "${failure_again[n]}" ] || { printf '  and again, alone:\n'; failure_ending "${failure_again[n]}"; }
	done | head -n 400
	printf '\n'
}

# failures_show: all of them, and the names once more at the end. Sets $failed to how many count.
failures_show() {
	local n real
	mapfile -t real < <(failures_failed)
	failed=${#real[@]}
	[ ${#flaky[@]} -eq 0 ] || flaky_show "${flaky[@]}"
	[ "$failed" -eq 0 ] || failed_show "${real[@]}"
	[ ${#flaky[@]} -eq 0 ] || printf '# flaky: %d, named above\n' ${#flaky[@]}
	for n in "${real[@]}"; do
		printf 'FAILED   %s: %s\n' "${failure_files[n]}" "${failure_texts[n]}"
	done
}
