// SPDX-License-Identifier: Apache-2.0
/* findings: the list of what `gotap doctor` has found. See doctor.h. */
#include <stdarg.h>
#include <stdio.h>

#include "cmd/doctor/doctor.h"

struct finding *doctor_add(struct doctor *d, enum level level, const char *area,
			   const char *name, const char *fmt, ...)
{
	struct finding *f = vec_push(&d->findings, sizeof(*f));
	va_list ap;

	f->level = level;
	f->area = area;
	f->name = name;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	return f;
}

const struct finding *doctor_obstacle(const struct doctor *d)
{
	size_t i;

	for (i = 0; i < d->findings.len; i++) {
		const struct finding *f = vec_at(&d->findings, struct finding, i);

		if (f->level == LEVEL_FAIL)
			return f;
	}
	return NULL;
}
