# SPDX-License-Identifier: Apache-2.0
#
# Lines of `gotap text --links` in, lines of v1links out: places instead of numbers, no arguments.

{
	place[$1] = substr($2, 2)
	line[NR] = substr($2, 2) " " $3 " " $4 " " $5 " " $6
	for (i = 7; i <= NF; i++) {
		if ($i ~ /^stack=/)
			line[NR] = line[NR] " " $i
		if ($i ~ /^link=/)
			link[NR] = substr($i, 6)
	}
}

END {
	for (i = 1; i <= NR; i++)
		print line[i] (link[i] ? " link=" place[link[i]] : "")
}
