// SPDX-License-Identifier: Apache-2.0
/* old: see old.h. In: a source. Out: one line, as text or JSON. */
#include "cmd/check/old.h"

#include <stdio.h>

#include "base/json_out.h"
#include "base/show.h"
#include "v1/file.h"
#include "v1/trace.h"

static void check_old_name_version(char *name, size_t size, int version)
{
	if (version == V1_GOTRACE)
		snprintf(name, size, "gotrace");
	else
		snprintf(name, size, "go 1.%d", version);
}

static void check_old_print_json(const char *in, const char *version,
				 const struct v1_summary *sum, const struct error *fault)
{
	struct json_out j = { .f = stdout };

	json_open_object(&j, NULL);
	json_put_text(&j, "file", in);
	json_put_bool(&j, "ok", !fault);
	json_put_text(&j, "version", version);
	if (fault) {
		json_open_object(&j, "fault");
		json_put_text(&j, "kind", "reader");
		json_put_text(&j, "rule", fault->text);
		json_close_object(&j);
	} else {
		json_put_number(&j, "events", (int64_t)sum->events);
		json_put_number(&j, "goroutines", (int64_t)sum->goroutines);
		json_put_number(&j, "procs", (int64_t)sum->procs);
		json_put_number(&j, "stacks", (int64_t)sum->stacks);
		json_put_number(&j, "strings", (int64_t)sum->strings);
		json_put_number(&j, "duration_ns", sum->duration);
	}
	json_close_object(&j);
	putchar('\n');
}

static void check_old_print(const char *in, const char *version, const struct v1_summary *sum,
		       const struct error *fault)
{
	if (fault)
		show_printf(stdout, "%s: %s: %s\n", in, version, fault->text);
	else
		show_printf(stdout, "%s: ok: %s, %zu events, %zu goroutines, %zu procs\n", in,
			    version, sum->events, sum->goroutines, sum->procs);
}

/* Do the addresses of a trace have names in this program? */
static int check_old_binary(const struct buf *data, const char *binary, struct error *err)
{
	struct v1_trace *t;
	int ret = v1_trace_open(&t, data->data, data->len, err);

	if (ret)
		return ret;
	ret = v1_trace_symbolize(t, binary, err);
	v1_trace_free(t);
	return ret;
}

int check_old(struct raw_source *source, const char *in, const char *binary, bool json,
	      struct error *err)
{
	struct v1_summary sum = {0};
	struct buf data = {0};
	struct error fault;
	char version[16];
	size_t header;
	int ret = source_take_all(source, &data, err), bad;

	if (ret) {
		buf_free(&data);
		return error_prefix(err, "%s", in);
	}
	v1_header_parse(data.data, data.len, &sum.version, &header, err);
	check_old_name_version(version, sizeof(version), sum.version);
	bad = v1_check(data.data, data.len, &sum, &fault);
	if (!bad && binary)
		ret = check_old_binary(&data, binary, err);
	buf_free(&data);
	if (ret)
		return ret;
	(json ? check_old_print_json : check_old_print)(in, version, &sum, bad ? &fault : NULL);
	return bad != 0;
}
