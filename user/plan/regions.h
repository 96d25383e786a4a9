/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regions: the functions of which `--region` records each call: from patterns to points of the
 * plan. In: names with `*` and `?`, and a binary. Out: a row for each function, a point at its
 * begin and one at each of its returns.
 */
#ifndef GOTAP_PLAN_REGIONS_H
#define GOTAP_PLAN_REGIONS_H

#include "plan/plan.h"
#include "region.h"

enum { REGION_PATTERNS_MOST = 32 };	/* of one recording; functions: REGIONS_MOST (region.h) */

/*
 * A name or a pattern that names nothing but functions of the runtime is refused here: a probe
 * there can be hit while no goroutine runs, or while the scheduler holds a lock. NULL, or the
 * text of what is wrong.
 */
const char *region_pattern_wrong(const char *pattern);

/*
 * Adds the points of all functions of @b that one of the @n patterns matches, and a row of
 * plan.regions for each. A function that only a pattern with `*` or `?` matches and that cannot
 * be a region becomes a line of plan.missing. -ENOENT if a pattern matches no function, -ENOTSUP
 * if none of its functions can be a region, -E2BIG if there are more than REGIONS_MOST. The texts
 * of @err name the pattern.
 */
int plan_add_regions(struct plan *p, const struct gobin *b, const char *const *patterns, size_t n,
		     struct error *err);

/*
 * Finds the arguments and results of the regions (--region-args). Those of a function that the
 * DWARF data does not have, or that has none of a type that gotap records, stay unknown: a line
 * of plan.missing says so. -ENOENT if there is no DWARF data.
 */
int plan_region_values(struct plan *p, const struct gobin *b, struct error *err);

#endif
