// SPDX-License-Identifier: Apache-2.0
/* findings_verdict: adds the finding of a family to the list of findings (findings.h). */
#include <stdlib.h>

#include "base/units.h"
#include "report/findings.h"

double findings_wall(const struct findings *f)
{
	int64_t wall = f->last - f->first - f->gaps;

	return wall > 0 ? (double)wall : 1;
}

void findings_time(struct buf *text, double ns)
{
	struct unit_scaled u = unit_scale(ns);

	buf_printf(text, u.value < 9.95 ? "%.1f %s" : "%.0f %s", u.value, u.name);
}

void findings_add(struct findings *f, const struct verdict *v, struct buf *text)
{
	struct finding *found = vec_push(&f->list, sizeof(*found));
	struct place p = findings_place(f, v->place);
	size_t n = v->goroutines ? v->goroutines->n : 0, i;

	*found = (struct finding){
		.kind = v->kind,
		.text = xstrndup((char *)text->data, text->len),
		.function = p.func,
		.file = p.file,
		.line = p.line,
		.seconds = v->ns / 1e9,
		.goroutines = n ? xcalloc(n, sizeof(uint64_t)) : NULL,
		.ngoroutines = n,
		.from = v->from - f->first,
		.to = v->to - f->first,
	};
	for (i = 0; i < n; i++)
		found->goroutines[i] = v->goroutines->ids[i];
	buf_free(text);
}
