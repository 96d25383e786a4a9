#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# bench.sh GOTAP READFUZZ TRACE: CPU time and peak memory of text, wire and check beside Go's own, the best of five
# runs each, and the ratios.
set -eu
gotap=$1 readfuzz=$2 trace=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# best COMMAND...: prints user+system seconds and KiB of the quickest of five runs.
best() {
	for _ in 1 2 3 4 5; do
		/usr/bin/time -o "$dir/time" -f '%U %S %M' "$@" >/dev/null
		awk '{ printf "%.2f %d\n", $1 + $2, $3 }' "$dir/time"
	done | sort -n | head -n 1
}

# compare NAME GO-TIME-AND-MEMORY OURS
compare() {
	printf '%s %s %s\n' "$1" "$2" "$3" | awk '{
		printf "%-26s Go %5.2f s %6d KiB   gotap %5.2f s %6d KiB   %5.1f times as fast, 1/%.1f of the memory\n",
			$1, $2, $3, $4, $5, $2 / ($4 > 0 ? $4 : 0.01), $3 / $5 }'
}

"$gotap" text "$trace" -o "$dir/trace.txt"
compare text "$(best "$readfuzz" text "$trace")" "$(best "$gotap" text "$trace")"
compare wire "$(best "$readfuzz" wire "$dir/trace.txt")" "$(best "$gotap" wire "$dir/trace.txt" -o /dev/null)"
read=$(best "$readfuzz" read "$trace")
compare read:check-lenient "$read" "$(best "$gotap" check --lenient "$trace")"
compare read:check "$read" "$(best "$gotap" check "$trace")"
compare read+validate:check "$(best "$readfuzz" verdict "$trace")" "$(best "$gotap" check "$trace")"
