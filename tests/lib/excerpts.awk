# SPDX-License-Identifier: Apache-2.0
#
# awk -v file=NAME -f tests/lib/excerpts.awk: of what a test file printed (TAP), each failure with
# the lines that decide, some 30 at most: the last of those ahead of its result, where unit tests
# say what failed and bats tests explain (in lines "## ..."); where bats says that it failed; and
# the last of its output. Of a file that failed while no test of it did, its last lines. With -v
# number=N only the failure of that test is shown.

BEGIN {
	AHEAD = 8
	PLACE = 7
	LAST = 15
	WIDTH = 2000
}

# Prints lines[from] and on, up to lines[to - 1].
function show(lines, from, to) {
	for (from = from < 0 ? 0 : from; from < to; from++)
		print "    " lines[from]
}

# The place ends with the line of the command: "#   `command' failed".
function length_of_place(    i) {
	for (i = 0; i < n && i < PLACE; i++)
		if (output[i] ~ /^#   `.*' failed/)
			return i + 1
	return 0
}

function finish(    place, rest) {
	if (!failing)
		return
	place = length_of_place()
	rest = n - LAST > place ? n - LAST : place
	show(output, 0, place)
	if (rest > place)
		print "    # ..."
	show(output, rest, n)
	failing = 0
}

/^(not )?ok +[0-9]/ {
	finish()
	if (/^not/ && (number == "" || $3 == number)) {
		print "FAILED   " file ": " $0
		show(ahead, nahead - AHEAD, nahead)
		failing = failures = 1
	}
	n = nahead = 0
	next
}

/^1\.\.[0-9]+$/ { next }

!failing || /^## / { ahead[nahead++] = substr($0, 1, WIDTH); next }

{ output[n++] = substr($0, 1, WIDTH) }

END {
	finish()
	if (!failures) {
		print "FAILED   " file
		show(ahead, nahead - LAST, nahead)
	}
}
