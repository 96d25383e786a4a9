/* SPDX-License-Identifier: Apache-2.0 */
/*
 * composition: the parts of the time of a unit of work, for people and for programs: `gotap func`
 * and `gotap requests`, which show it below their numbers.
 */
#ifndef GOTAP_CMD_COMPOSITION_H
#define GOTAP_CMD_COMPOSITION_H

#include <stdio.h>

#include "base/json_out.h"
#include "unit/unit.h"

/* Prints the sentences about @u, wrapped and two columns in. */
void composition_put(const struct unit *u, FILE *f);
/*
 * Adds "causes" and "unattributed" to the open object; @u NULL: an empty array and null. With
 * @slow each cause has "slow_ns", by which the slowest 1 % differ.
 */
void composition_json(struct json_out *j, const struct unit *u, bool slow);

#endif
