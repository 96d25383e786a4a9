// SPDX-License-Identifier: Apache-2.0
/* offsets: see offsets.h. */
#include "target/offsets.h"

#include <errno.h>
#include <string.h>

#include "release/release.h"
#include "target/offsets_table.h"

_Static_assert(sizeof(offsets_by_minor) / sizeof(offsets_by_minor[0]) == RELEASE_NEWEST + 1,
	       "offsets_table.h: run tools/gen-offsets");

/* One static text for each row, so that a caller gets it without owning it. */
static const char *const sources[] = {
#define READ "sources"
#define BUILT "table"
#define RELEASE(minor, how) [minor] = how " of Go 1." #minor,
#define TRAIT(...)
#include "release/release.def"
#undef READ
#undef BUILT
#undef RELEASE
#undef TRAIT
};

int go_offsets_from_table(int minor, struct go_offsets *ret)
{
	if (!release_is_known(minor))
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
	if (!release_is_known(minor) && !assume)
		return error_set(err, -ENOTSUP, "'%s' was built with %s, whose runtime is unknown, "
				 "and has no DWARF data to learn from; --assume-go 1.%d tries the "
				 "nearest that is known", gobin_path(b), gobin_go_version(b),
				 release_nearest(minor));
	minor = release_nearest(minor);
	*source = sources[minor];
	return go_offsets_from_table(minor, ret);
}
