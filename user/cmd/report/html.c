// SPDX-License-Identifier: Apache-2.0
/* html: the report as a page: its JSON, and the timeline of html/. See report.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "files/output.h"
#include "cmd/report/parts.h"

/* Where findings point to, and the slowest instances of units, on the clock of the trace. */
static void add_places(const struct trace_report *r, struct vec *places)
{
	const struct units *units = *vec_at(&r->units, struct units *, 0);
	size_t i;

	for (i = 0; i < r->findings.len; i++) {
		const struct trace_finding *tf = vec_at(&r->findings, struct trace_finding, i);
		const struct finding *f = tf->finding;
		int64_t first = vec_at(&r->tables->traces, struct trace_row, tf->trace)->first;

		*(struct html_place *)vec_push(places, sizeof(struct html_place)) =
			(struct html_place){ first + f->from, first + f->to,
					     f->ngoroutines ? f->goroutines[0] : TRACEV2_NO_ID };
	}
	for (i = 0; i < units_count(units); i++) {
		const struct unit *u = units_at(units, i);

		*(struct html_place *)vec_push(places, sizeof(struct html_place)) =
			(struct html_place){ u->slowest.from, u->slowest.from + u->slowest.ns,
					     u->slowest_g };
	}
}

/* Returns the text that @put writes, which the caller frees; NULL: errno says why not. */
static char *html_text(const struct trace_report *r,
		       void (*put)(const struct trace_report *r, FILE *f))
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	put(r, f);
	fclose(f);
	return text;
}

static int write_page(const struct trace_report *r, int fd, struct error *err)
{
	const struct trace_row *trace = vec_at(&r->tables->traces, struct trace_row, 0);
	_cleanup_free_ char *json = html_text(r, trace_report_json);
	_cleanup_free_ char *units = html_text(r, report_page_units);
	struct vec places = {0};
	int ret;

	if (!json || !units)
		return error_set(err, -errno, "cannot keep the report: %s", strerror(errno));
	add_places(r, &places);
	ret = html_write(r->html, fd,
			 &(struct html_about){
				 .file = trace->name,
				 .version = r->version,
				 .report = json,
				 .units = units,
				 .places = places.data,
				 .nplaces = places.len,
				 .damage = r->fault.code ? r->fault.text : NULL,
			 },
			 err);
	vec_free(&places);
	return ret;
}

int trace_report_html(const struct trace_report *r, const struct output *out, struct error *err)
{
	int ret = output_begin(out, err);

	return ret ? ret : write_page(r, out->fd, err);
}
