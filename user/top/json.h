/* SPDX-License-Identifier: Apache-2.0 */
/* json: a sample as one line of JSON (docs/top.md has the fields). Used by `gotap top --json`. */
#ifndef GOTAP_TOP_JSON_H
#define GOTAP_TOP_JSON_H

#include <stdio.h>

#include "top/ui.h"
#include "top/view.h"

/* Fields may be added in a version, and none changes its meaning. */
enum { TOP_JSON_VERSION = 1 };

/* Writes the sample as one line to @f, with the rows that @u shows, in its order. */
void top_json(const struct view *v, const struct ui *u, const struct top_sample *s, FILE *f);

#endif
