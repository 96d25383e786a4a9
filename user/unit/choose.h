/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose: which of the candidates (lists.h) a user would take for the unit of work of the program,
 * the best first.
 */
#ifndef GOTAP_UNIT_CHOOSE_H
#define GOTAP_UNIT_CHOOSE_H

#include "unit/lists.h"

/* Stores the indexes of at most UNITS_MOST lists in @chosen; returns their number. */
size_t choose_units(const struct unit_lists *l, int64_t wall, size_t chosen[UNITS_MOST]);

#endif
