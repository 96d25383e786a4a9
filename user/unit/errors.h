/* SPDX-License-Identifier: Apache-2.0 */
/*
 * errors: how sure the rate and the durations of a unit are, from how much ten equal parts of the
 * trace differ.
 */
#ifndef GOTAP_UNIT_ERRORS_H
#define GOTAP_UNIT_ERRORS_H

#include "unit/lists.h"

/*
 * Returns the standard errors of a list in a trace from @first to @last. Call it while @list->kept
 * is in the order of time. A value is INFINITY if fewer than four parts have enough instances.
 */
struct unit_errors errors_of(const struct unit_list *list, int64_t first, int64_t last);

#endif
