# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Checks of traces in the formats before Go 1.22, by the parsers and readers of Go's releases: load after lib/common. $T
# is the test's folder.

FORMATS=(1.8 1.11 1.19 1.21)

# parser VERSION: sets $PARSER to that release's own parser of v1 traces.
parser() {
	local ORACLE
	oracle "$1"
	PARSER=$ORACLE/v1parse
}

# parsers_of FORMAT: sets $PARSERS to releases whose v1 parsers know that header, and $READERS to later releases whose
# readers do.
parsers_of() {
	case $1 in
	1.8 | 1.11) PARSERS=(1.15 1.19 1.21) ;;
	1.19) PARSERS=(1.19 1.21) ;;
	1.21) PARSERS=(1.21) ;;
	esac
	READERS=(1.23 "$REFERENCE_GO")
	[ "$1" != 1.8 ] || READERS=()
}

# v1_ok FORMAT FILE...: gotap check, these parsers and these readers accept all of the files.
v1_ok() {
	local release
	succeeds "$GOTAP" check "${@:2}"
	parsers_of "$1"
	for release in "${PARSERS[@]}"; do
		parser "$release"
		succeeds "$PARSER" "${@:2}"
	done
	for release in "${READERS[@]}"; do
		readable_by "$release" "${@:2}"
	done
}

# same_times V2-TRACE V1-TRACE VERSION: each goroutine has the same times of running, waiting and blocking in both. Each
# step may differ by the units of both clocks, 64 and 32 ns; and the v1 trace begins with two ticks for each goroutine
# that lives.
same_times() {
	local living
	living=$("$GOTAP" text "$1" | awk '/^EventBatch gen=2 / { exit } /^GoStatus/ { n++ } END { print n }')
	oracle "$REFERENCE_GO"
	parser "$3"
	"$PARSER" -goroutines "$2" >"$T/v1.times"
	"$ORACLE/v1sum" "$1" "$(sed -n '1s/.*span=//p' "$T/v1.times")" >"$T/v2.times"
	sed -i 1d "$T/v1.times"
	run_logged awk -v begin="$((64 * living + 1000))" '
		function off(a, b) { return a > b ? a - b : b - a }
		NR == FNR { known[$1] = $0; next }
		{
			goroutines++
			if (split(known[$1], v2) < 7) { print "only in v1: " $0; bad++; next }
			for (i = 2; i <= 6; i++)
				if (off($i, v2[i]) > begin + 200 * v2[7]) { print "v2 " known[$1] "; v1 " $0; bad++ }
		}
		END { print goroutines " goroutines, " bad + 0 " differences"; exit bad || goroutines < 5 }' "$T/v2.times" "$T/v1.times"
	[ "$status" -eq 0 ]
}
