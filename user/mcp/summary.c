// SPDX-License-Identifier: Apache-2.0
/*
 * summary: see summary.h. The table says which texts and numbers of an answer are worth a line;
 * what they mean is in its schema.
 */
#include "mcp/summary.h"

#include <string.h>

#include "base/vec.h"

enum { SUMMARY_LINES = 12 };

/* A line for each item of .list with its members; without .list one line for the answer itself. */
static const struct summary_row {
	const char *tool, *list;
	const char *members[8];
} summary_rows[] = {
	{ "ps", "processes", { "pid", "exe", "go", "goroutines", "cpu_percent", "traceable" } },
	{ "doctor", NULL, { "traceable", "obstacle", "reason", "remedy" } },
	{ "stacks", NULL, { "pid", "go" } },
	{ "stacks", "groups", { "count", "stack_known" } },
	{ "heap", NULL, { "pid", "kind", "rate", "moment", "total" } },
	{ "heap", "functions",
	  { "function", "flat_bytes", "cum_bytes", "objects", "flat_ns", "cum_ns", "events" } },
	{ "top", NULL, { "pid", "recorded_seconds", "cpu_percent", "goroutines" } },
	{ "top", "blocked", { "reason", "now", "seconds" } },
	{ "record",
	  NULL,
	  { "output", "seconds", "lost", "stacks_lost", "repairs_total", "unrecorded_seconds" } },
	{ "report", "answer", { "text" } },
	{ "requests", "routes", { "name", "count", "failed", "p50_ns", "p99_ns" } },
	{ "why", NULL, { "of", "name", "goroutine", "ns", "step_count" } },
	{ "diff", "changes", { "text" } },
	{ "whatif", "refused", { "text" } },
	{ "whatif", "predictions", { "change", "name", "shorter", "per_second" } },
	{ "profile", NULL, { "type", "unit", "total" } },
	{ "profile", "functions", { "function", "self", "total" } },
	{ "check", "traces", { "file", "ok", "events" } },
	{ "traces", "traces", { "name", "bytes", "modified" } },
};

static void summary_put(struct buf *out, struct json_object *of, const struct summary_row *row)
{
	bool alone = !row->members[1], any = false;
	struct json_object *value;
	size_t i;

	for (i = 0; i < sizeof(row->members) / sizeof(*row->members) && row->members[i]; i++) {
		if (!json_object_object_get_ex(of, row->members[i], &value) || !value ||
		    json_object_is_type(value, json_type_array))
			continue;
		if (!alone)
			buf_printf(out, "%s%s ", any ? ", " : "", row->members[i]);
		buf_printf(out, "%s",
			   json_object_is_type(value, json_type_string) ?
				   json_object_get_string(value) :
				   json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN));
		any = true;
	}
	if (any)
		buf_add_byte(out, '\n');
}

static void summary_put_list(struct buf *out, struct json_object *list,
			     const struct summary_row *row)
{
	size_t i, n = json_object_array_length(list);

	for (i = 0; i < n && i < SUMMARY_LINES; i++)
		summary_put(out, json_object_array_get_idx(list, i), row);
	if (n > SUMMARY_LINES)
		buf_printf(out, "... and %zu more of %s\n", n - SUMMARY_LINES, row->list);
}

/* Losses that are 0 everywhere need no line. */
static void summary_put_losses(struct buf *out, struct json_object *envelope)
{
	static const struct summary_row row = { NULL,
						"losses",
						{ "trace", "known", "lost_records", "lost_stacks",
						  "repairs", "unrecorded_seconds", "probes_percent",
						  "gotap_percent" } };
	struct json_object *list;

	if (json_object_object_get_ex(envelope, "losses", &list) &&
	    json_object_array_length(list)) {
		buf_printf(out, "Losses and cost:\n");
		summary_put_list(out, list, &row);
	}
}

static void summary_put_messages(struct buf *out, struct json_object *envelope)
{
	struct json_object *list;
	size_t i;

	json_object_object_get_ex(envelope, "messages", &list);
	for (i = 0; i < json_object_array_length(list) && i < SUMMARY_LINES; i++)
		buf_printf(out, "%s\n", json_object_get_string(json_object_array_get_idx(list, i)));
}

char *summary_of(const struct tool *tool, struct json_object *answer, struct json_object *envelope)
{
	struct json_object *list;
	struct buf out = {0};
	size_t i;

	for (i = 0; i < sizeof(summary_rows) / sizeof(*summary_rows); i++) {
		const struct summary_row *row = &summary_rows[i];

		if (strcmp(row->tool, tool->name))
			continue;
		if (!row->list)
			summary_put(&out, answer, row);
		else if (json_object_object_get_ex(answer, row->list, &list) &&
			 json_object_is_type(list, json_type_array))
			summary_put_list(&out, list, row);
	}
	summary_put_losses(&out, envelope);
	summary_put_messages(&out, envelope);
	buf_printf(&out, "All of it is in structuredContent, and below as JSON.");
	buf_add_byte(&out, 0);
	return (char *)out.data;
}
