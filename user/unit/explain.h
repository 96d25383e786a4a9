/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain: joins the findings (report/finding.h) and the units of a trace: a finding of some kinds
 * explains causes on the path of a unit. The other kinds are about no part of a path: goroutines
 * that leak or are stuck, futile wake-ups, and what the machine does.
 */
#ifndef GOTAP_UNIT_EXPLAIN_H
#define GOTAP_UNIT_EXPLAIN_H

#include "report/finding.h"
#include "unit/unit.h"

/* Gives the causes of @u that finding number @number explains to it, unless they have another. */
void explain_unit(struct unit *u, const struct finding *f, size_t number);

#endif
