# SPDX-License-Identifier: Apache-2.0
# sized: the text of a v2 trace in which the batches that are given with size=? get their sizes. Texts are
# ASCII, other bytes are \xNN.

function number(v,   n) { for (n = 1; v >= 128; v = int(v / 128)) n++; return n }

function size_of(line,   n, i, len, field, fields) {
	if (line ~ /^[ \t]*data=/) {
		sub(/^[^"]*"/, "", line)
		sub(/"$/, "", line)
		gsub(/\\x[0-9a-f][0-9a-f]/, "x", line)
		return number(length(line)) + length(line)
	}
	n = line !~ /^[ \t]*[a-z]+=/
	len = split(line, fields, " ")
	for (i = 1; i <= len; i++)
		if (split(fields[i], field, "=") == 2)
			n += field[2] ~ /^18446744073709551615$/ ? 10 : number(field[2])
	return n
}

function flush(   i) {
	if (head != "") {
		sub(/size=\?/, "size=" size, head)
		print head
	}
	for (i = 1; i <= held; i++)
		print lines[i]
	head = ""
	held = size = 0
}

/^EventBatch / { flush(); head = $0; next }
/^(Trace|EndOfGeneration|ExperimentalBatch)/ { flush(); print; next }
head == "" { print; next }
{ lines[++held] = $0; size += size_of($0) }
END { flush() }
