/* SPDX-License-Identifier: Apache-2.0 */
/*
 * func_values: the arguments and results of functions, and where they are when a function begins
 * and when it returns. In: DWARF data, read by libdw in a process without rights
 * (base/isolated.h). Out: the values of simple types: integers, booleans, strings, errors.
 *
 * The places follow from the types (cmd/compile/abi-internal.md): since Go 1.17 a value goes into
 * integer registers, if enough of them are left for all of it, else onto the stack; up to 1.16
 * all are on the stack. Location lists of DWARF data have them for arguments, but not for
 * results.
 */
#ifndef GOTAP_TARGET_FUNC_VALUES_H
#define GOTAP_TARGET_FUNC_VALUES_H

#include "base/error.h"
#include "region.h"
#include "target/gobin.h"

struct func_values {
	/* the DWARF data has the function */
	unsigned char known;
	unsigned char nargs, nresults;
	unsigned char left_out;		/* values of other types, or beyond REGION_VALUES */
	struct region_value args[REGION_VALUES], results[REGION_VALUES];
};

/*
 * Fills @ret[i] for each of the @n functions @names, which are names of symbols. -ENOENT with a
 * text if the binary has no DWARF data. The content of @ret is checked.
 */
int func_values_read(const struct gobin *b, const char *const *names, size_t n,
		     struct func_values *ret, struct error *err);

#endif
