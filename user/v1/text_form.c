// SPDX-License-Identifier: Apache-2.0
/* text_form: see text_form.h. Makes the names on the lines from the shapes of a format. */
#include "v1/text_form.h"

#include <stdio.h>
#include <string.h>

static void add_names(char *list, const char *names)
{
	size_t n = strlen(list);

	if (*names)
		snprintf(list + n, V1_MAX_NAMES - n, n ? " %s" : "%s", names);
}

void v1_text_names_init(struct v1_text_names *names, const struct v1_format *f)
{
	static const char *const deltas[] = { "", "dt", "dseq dt" };
	unsigned int type;

	memset(names, 0, sizeof(*names));
	for (type = 0; type < V1_TYPES; type++) {
		const struct v1_spec *s = f->spec[type];

		if (!s)
			continue;
		add_names(names->of[type], deltas[v1_deltas(f, type)]);
		add_names(names->of[type], s->args);
		add_names(names->of[type], s->stack ? "stack" : "");
	}
}
