/* SPDX-License-Identifier: Apache-2.0 */
/* causes: what the time of a unit consists of, from the sums of its paths, in words. */
#ifndef GOTAP_UNIT_CAUSES_H
#define GOTAP_UNIT_CAUSES_H

#include "unit/unit.h"

/* Fills @u->causes from @u->groups. @stacks are those of the paths. */
void unit_explain(struct unit *u, const struct stack_set *stacks);
/* Does a step of this kind (enum step_kind) say how its time was spent? */
bool unit_cause_is_known(uint8_t kind);

#endif
