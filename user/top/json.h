/* SPDX-License-Identifier: Apache-2.0 */
/* json: writes a sample as one line of JSON, for `gotap top --json`. docs/top.md has the fields. */
#ifndef GOTAP_TOP_JSON_H
#define GOTAP_TOP_JSON_H

#include <stdio.h>

#include "top/ui.h"
#include "top/view.h"

/* A version can get further fields, but the meaning of a field never changes. */
enum { TOP_JSON_VERSION = 1 };

/* Writes the sample as one line to @f. Its rows are those that @u shows, in the same order. */
void top_json(const struct view *v, const struct ui *u, const struct top_sample *s, FILE *f);

#endif
