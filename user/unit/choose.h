/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose: which of the candidates (lists.h) a user would take for the unit of work of the program,
 * the best first.
 */
#ifndef GOTAP_UNIT_CHOOSE_H
#define GOTAP_UNIT_CHOOSE_H

#include "unit/lists.h"

/*
 * Stores the indexes of at most UNITS_MOST lists in @chosen; returns their number. @name: the first
 * one is of that function or type; NULL: of any. Returns 0 if there is none of @name.
 */
size_t choose_units(const struct unit_lists *l, int64_t wall, const char *name,
		    size_t chosen[UNITS_MOST]);
/*
 * Likewise at most UNITS_ROUTES lists of requests that the program serves, those with the most time
 * first.
 */
size_t choose_routes(const struct unit_lists *l, size_t chosen[UNITS_ROUTES]);
/*
 * Returns the index of the best list of the same kind, function and handler as @like, which may be
 * of another trace; @l->lists.len: there is none.
 */
size_t choose_alike(const struct unit_lists *l, const struct unit_list *like);

#endif
