/* SPDX-License-Identifier: Apache-2.0 */
/* whatif: the answer of `gotap whatif` as text (text.c) and as JSON (json.c). */
#ifndef GOTAP_CMD_WHATIF_H
#define GOTAP_CMD_WHATIF_H

#include <stdio.h>

#include "whatif/whatif.h"

void whatif_text(FILE *f, const struct whatif_answer *a, const char *trace);
void whatif_json(FILE *f, const struct whatif_answer *a, const char *trace);

#endif
