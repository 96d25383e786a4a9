/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offsets: field offsets of the Go runtime inside a binary. In: the binary. Out: struct go_offsets,
 * from its DWARF data or, for stripped programs, from the table by Go release (offsets_table.h).
 */
#ifndef GOTAP_TARGET_OFFSETS_H
#define GOTAP_TARGET_OFFSETS_H

#include <stdbool.h>

#include "base/error.h"
#include "gooffsets.h"
#include "target/gobin.h"

/*
 * Fills @ret. *@source is static text: "DWARF", "DWARF of its debug file", "table of Go 1.NN" or
 * "sources of Go 1.NN" (tools/gen-offsets says which rows come from sources). -ENOTSUP for a
 * release that is not in the table. With @assume the nearest release below it, or if there is none
 * above it, is taken: that is a guess, and the caller must check g.sched.g == g in the process
 * before it uses the offsets.
 */
int go_offsets_for(const struct gobin *b, bool assume, struct go_offsets *ret,
		   const char **source, struct error *err);
/* Fills @ret from the table only, for Go 1.@minor; -ENOENT if the table has no such row. */
int go_offsets_from_table(int minor, struct go_offsets *ret);

#endif
