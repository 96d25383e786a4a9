/* SPDX-License-Identifier: Apache-2.0 */
/* diff: `gotap diff`. diff.c reads and compares the traces; unit.c prints their unit of work. */
#ifndef GOTAP_CMD_DIFF_DIFF_H
#define GOTAP_CMD_DIFF_DIFF_H

#include <stdio.h>

#include "base/json_out.h"
#include "unit/compare.h"

/* Prints the unit of both traces: its numbers, and at most @top causes that changed. */
void diff_put_unit(FILE *f, const struct unit_compared *c, size_t top);
/* Puts the same as the member "unit". */
void diff_json_unit(struct json_out *j, const struct unit_compared *c);

#endif
