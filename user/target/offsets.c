// SPDX-License-Identifier: Apache-2.0
/* offsets: see offsets.h. */
#include "target/offsets.h"

#include <errno.h>
#include <string.h>

#include "target/offsets_table.h"

enum { NROWS = sizeof(offsets_by_minor) / sizeof(offsets_by_minor[0]) };

/* One text for each row, so that a source can be handed out without owning it. */
static const char *const sources[] = {
	[15] = "table of Go 1.15", [16] = "sources of Go 1.16", [17] = "sources of Go 1.17",
	[18] = "sources of Go 1.18", [19] = "table of Go 1.19", [20] = "sources of Go 1.20",
	[21] = "table of Go 1.21", [22] = "table of Go 1.22", [23] = "table of Go 1.23",
	[24] = "table of Go 1.24", [25] = "table of Go 1.25", [26] = "table of Go 1.26",
	[27] = "table of Go 1.27",
};

enum { NSOURCES = sizeof(sources) / sizeof(sources[0]) };

/* Of g's fields only stack.lo lies at 0, so an empty row has 0 for g.m. */
static bool has_row(int minor)
{
	return minor >= 0 && minor < NROWS && offsets_by_minor[minor].g_m && minor < NSOURCES &&
	       sources[minor];
}

static int nearest_row(int minor)
{
	int i, last = NSOURCES - 1;

	for (i = minor < last ? minor : last; i > 0; i--) {
		if (has_row(i))
			return i;
	}
	for (i = 0; i < last && !has_row(i); i++)
		;
	return i;
}

bool go_release_is_tested(int minor)
{
	return has_row(minor) && strncmp(sources[minor], "sources", 7);
}

int go_offsets_from_table(int minor, struct go_offsets *ret)
{
	if (!has_row(minor))
		return -ENOENT;
	*ret = offsets_by_minor[minor];
	return 0;
}

int go_offsets_for(const struct gobin *b, bool assume, struct go_offsets *ret,
		   const char **source, struct error *err)
{
	int minor = gobin_go_minor(b);

	if (!gobin_dwarf_offsets(b, ret, err)) {
		*source = gobin_has_dwarf(b) ? "DWARF" : "DWARF of its debug file";
		return 0;
	}
	if (!has_row(minor) && !assume)
		return error_set(err, -ENOTSUP, "'%s' was built with %s, whose runtime is unknown, "
				 "and has no DWARF data to learn from; --assume-go 1.%d tries the "
				 "nearest that is known", gobin_path(b), gobin_go_version(b),
				 nearest_row(minor));
	if (!has_row(minor))
		minor = nearest_row(minor);
	*source = sources[minor];
	return go_offsets_from_table(minor, ret);
}
