# SPDX-License-Identifier: Apache-2.0
#
# What the files about `gotap report` share.

# same_pages TRACE: the report's numbers are those of the pages of go tool trace, and close; what was compared is in $output.
same_pages() {
	oracle "$REFERENCE_GO"
	"$GOTAP" report --json "$1" >"$BATS_TEST_TMPDIR/report.json" || return
	succeeds "$ORACLE/report" "$1" "$BATS_TEST_TMPDIR/report.json"
}
