// SPDX-License-Identifier: Apache-2.0
/* losses: see losses.h. */
#include "mcp/losses.h"

#include <stdlib.h>
#include <string.h>

/* A field of losses, and where an answer has it. */
struct losses_row {
	const char *name;
	const char *in; /* the member that has it; NULL: the object itself */
	const char *from;
};

/* Where the report of a recording has them. */
static const struct losses_row losses_of_record[] = {
	{ "lost_records", NULL, "lost" },
	{ "lost_stacks", NULL, "stacks_lost" },
	{ "repairs", NULL, "repairs_total" },
	{ "unrecorded_seconds", NULL, "unrecorded_seconds" },
	{ "probes_percent", NULL, "cost_percent" },
	{ "gotap_percent", "cpu", "gotap_percent" },
	{0},
};

/* Where `gotap report --json` has those of a trace: its recorder wrote them into it, as texts. */
static const struct losses_row losses_of_trace[] = {
	{ "lost_records", "origin", "lost" },
	{ "lost_stacks", "origin", "" },
	{ "repairs", "origin", "repairs" },
	{ "unrecorded_seconds", "origin", "not_recorded_s" },
	{ "probes_percent", "origin", "probes_percent" },
	{ "gotap_percent", "origin", "gotap_percent" },
	{0},
};

static struct json_object *losses_number(struct json_object *of, const struct losses_row *row)
{
	struct json_object *in = of, *value;
	const char *text;
	char *end;
	double number;

	if ((row->in && !json_object_object_get_ex(of, row->in, &in)) ||
	    !json_object_object_get_ex(in, row->from, &value))
		return NULL;
	if (!json_object_is_type(value, json_type_string))
		return json_object_get(value);
	text = json_object_get_string(value);
	number = strtod(text, &end);
	if (end == text || *end || !(number >= 0 && number < 1e15))
		return NULL;
	return number == (double)(int64_t)number ? json_object_new_int64((int64_t)number) :
						   json_object_new_double(number);
}

static struct json_object *losses_object(const char *trace, struct json_object *of,
					 const struct losses_row *rows)
{
	struct json_object *ret = json_object_new_object(), *value;
	bool known = false;

	json_object_object_add(ret, "trace", json_object_new_string(trace));
	json_object_object_add(ret, "known", json_object_new_boolean(true));
	for (; rows->name; rows++) {
		value = losses_number(of, rows);
		known |= value != NULL;
		json_object_object_add(ret, rows->name, value);
	}
	json_object_object_add(ret, "known", json_object_new_boolean(known));
	return ret;
}

void losses_learn(struct store *s, const struct tool_call *call, const char *written,
		  struct json_object *answer)
{
	struct json_object *traces;
	size_t i;

	if (written)
		store_learn(s, written, losses_object(written, answer, losses_of_record), true);
	if (strcmp(call->tool->name, "report") ||
	    !json_object_object_get_ex(answer, "traces", &traces))
		return;
	for (i = 0; i < call->traces.len && i < json_object_array_length(traces); i++) {
		const char *name = *vec_at(&call->traces, char *, i);

		store_learn(
			s, name,
			losses_object(name, json_object_array_get_idx(traces, i), losses_of_trace),
			false);
	}
}
