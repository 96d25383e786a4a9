// SPDX-License-Identifier: Apache-2.0
/* html: the report as a page: its JSON, and the timeline of html/. See report.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files/output.h"
#include "cmd/report/report.h"

/* Where findings point to, on the clock of the trace. */
static void add_places(const struct trace_report *r, struct vec *places)
{
	size_t i;

	for (i = 0; i < r->findings.len; i++) {
		const struct trace_finding *tf = vec_at(&r->findings, struct trace_finding, i);
		const struct finding *f = tf->finding;
		int64_t first = vec_at(&r->tables->traces, struct trace_row, tf->trace)->first;

		*(struct html_place *)vec_push(places, sizeof(struct html_place)) =
			(struct html_place){ first + f->from, first + f->to,
					     f->ngoroutines ? f->goroutines[0] : TRACEV2_NO_ID };
	}
}

static int write_page(const struct trace_report *r, int fd, struct error *err)
{
	const struct trace_row *trace = vec_at(&r->tables->traces, struct trace_row, 0);
	struct vec places = {0};
	char *json = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&json, &n);
	int ret;

	if (!f)
		return error_set(err, -errno, "cannot keep the report: %s", strerror(errno));
	trace_report_json(r, f);
	fclose(f);
	add_places(r, &places);
	ret = html_write(r->html, fd,
			 &(struct html_about){
				 .file = trace->name,
				 .version = r->version,
				 .report = json,
				 .report_len = n,
				 .places = places.data,
				 .nplaces = places.len,
				 .damage = r->fault.code ? r->fault.text : NULL,
			 },
			 err);
	vec_free(&places);
	free(json);
	return ret;
}

int trace_report_html(const struct trace_report *r, const struct output *out, struct error *err)
{
	int ret = output_begin(out, err);

	return ret ? ret : write_page(r, out->fd, err);
}
