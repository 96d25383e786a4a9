/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offsets: field offsets of the Go runtime inside a binary. In: the binary.
 * Out: struct go_offsets, from its DWARF data or else, for stripped programs,
 * from the table by Go release (offsets_table.h).
 */
#ifndef GOTAP_TARGET_OFFSETS_H
#define GOTAP_TARGET_OFFSETS_H

#include <stdbool.h>

#include "base/error.h"
#include "gooffsets.h"
#include "target/gobin.h"

/*
 * *@source is "DWARF", "DWARF of its debug file", "table of Go 1.NN" or "sources of Go 1.NN"
 * (static text; tools/gen-offsets says which are which). A release that is not
 * in the table is -ENOTSUP; with @assume, the nearest one below it (or else above)
 * is taken, which is a guess: check g.sched.g == g in the process before using it.
 */
int go_offsets_for(const struct gobin *b, bool assume, struct go_offsets *ret,
		   const char **source, struct error *err);
/* Only the table: offsets of Go 1.@minor; -ENOENT if it is not there. */
int go_offsets_from_table(int minor, struct go_offsets *ret);

#endif
