// SPDX-License-Identifier: Apache-2.0
/* json: see json.h. In: a verdict. Out: one object. */
#include "cmd/check/json.h"

#include "base/json_out.h"
#include "tracev2.h"

static void check_json_put_place(struct json_out *j, const struct v2_place *place)
{
	if (place->gen)
		json_put_count(j, "generation", place->gen);
	if (place->batch >= 0)
		json_put_number(j, "batch", place->batch);
	if (place->thread != TRACEV2_NO_ID)
		json_put_number(j, "thread", (int64_t)place->thread);
	json_put_count(j, "offset", place->offset);
}

static void put_fault(struct json_out *j, const struct check_result *result)
{
	const struct v2_fault *f = &result->fault;

	json_open_object(j, "fault");
	check_json_put_place(j, &f->place);
	json_put_text(j, "kind", check_kind_name(result->kind));
	json_put_count(j, "after_events", result->fault_event);
	json_put_count(j, "more", result->more);
	json_put_text(j, "event", f->event);
	json_put_text(j, "rule", f->rule);
	json_put_text(j, "state", f->state);
	json_close_object(j);
}

static void put_warnings(struct json_out *j, const struct check_result *result)
{
	int i;

	json_open_array(j, "warnings");
	for (i = 0; i < WARNINGS; i++) {
		if (!result->warning[i].count)
			continue;
		json_open_object(j, NULL);
		json_put_count(j, "count", result->warning[i].count);
		check_json_put_place(j, &result->warning[i].first);
		json_put_text(j, "text", check_warning_text((enum check_warning)i));
		json_close_object(j);
	}
	json_close_array(j);
}

void check_json(FILE *f, const char *file, const struct check_result *result)
{
	struct json_out j = { .f = f };
	char version[16];

	json_open_object(&j, NULL);
	json_put_text(&j, "file", file);
	json_put_bool(&j, "ok", result->kind == CHECK_OK);
	if (result->version) {
		snprintf(version, sizeof(version), "go 1.%d", result->version);
		json_put_text(&j, "version", version);
	}
	json_put_count(&j, "generations", result->generations);
	json_put_count(&j, "events", result->events);
	json_put_count(&j, "threads", result->threads);
	if (result->kind != CHECK_OK)
		put_fault(&j, result);
	put_warnings(&j, result);
	json_close_object(&j);
	fputc('\n', f);
}
