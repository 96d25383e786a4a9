// SPDX-License-Identifier: Apache-2.0
/* legacy: see legacy.h. */
#include "files/legacy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_out.h"
#include "files/claims.h"
#include "files/raw_convert.h"
#include "base/show.h"
#include "v1/file.h"
#include "v1/text.h"
#include "v1/trace.h"
#include "v1/view.h"

int legacy_program(const char *binary, struct error *err)
{
	if (!binary)
		return 0;
	if (!access(binary, R_OK))
		return claims_input_file(binary, err);
	return error_set(err, -errno, "cannot open '%s': %s", binary, strerror(errno));
}

bool legacy_is(struct raw_source *source)
{
	source_need(source, V1_HEADER);
	return v1_file_is(source->pos, source_left(source));
}

/* --- text --- */

static int to_text(struct raw_source *source, struct raw_sink *sink, const void *binary,
		   struct error *err)
{
	struct buf data = {0};
	int ret = source_take_all(source, &data, err);

	if (!ret)
		ret = v1_text(data.data, data.len, binary, sink, err);
	buf_free(&data);
	return ret;
}

int legacy_text(struct raw_source *source, const char *in, const char *out, const char *binary,
		struct error *err)
{
	return raw_convert_source(to_text, binary, source, in, out, OUTPUT_TEXT, err);
}

static int to_links(struct raw_source *source, struct raw_sink *sink, const void *ctx,
		    struct error *err)
{
	struct buf data = {0};
	struct v1_trace *t = NULL;
	int ret = source_take_all(source, &data, err);

	if (!ret)
		ret = v1_trace_open(&t, data.data, data.len, err);
	if (!ret)
		ret = v1_view_text(t, sink, err);
	v1_trace_free(t);
	buf_free(&data);
	return ret;
}

int legacy_links(struct raw_source *source, const char *in, const char *out, struct error *err)
{
	return raw_convert_source(to_links, NULL, source, in, out, OUTPUT_TEXT, err);
}

/* --- check --- */

static void name_version(char *name, size_t size, int version)
{
	if (version == V1_GOTRACE)
		snprintf(name, size, "gotrace");
	else
		snprintf(name, size, "go 1.%d", version);
}

static void legacy_print_json(const char *in, const char *version, const struct v1_summary *sum,
		       const struct error *fault)
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

static void print_text(const char *in, const char *version, const struct v1_summary *sum,
		       const struct error *fault)
{
	if (fault)
		show_printf(stdout, "%s: %s: %s\n", in, version, fault->text);
	else
		show_printf(stdout, "%s: ok: %s, %zu events, %zu goroutines, %zu procs\n", in,
			    version, sum->events, sum->goroutines, sum->procs);
}

/* Do the addresses of a trace have names in this program? */
static int check_binary(const struct buf *data, const char *binary, struct error *err)
{
	struct v1_trace *t;
	int ret = v1_trace_open(&t, data->data, data->len, err);

	if (ret)
		return ret;
	ret = v1_trace_symbolize(t, binary, err);
	v1_trace_free(t);
	return ret;
}

int legacy_check(struct raw_source *source, const char *in, const char *binary, bool json,
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
	name_version(version, sizeof(version), sum.version);
	bad = v1_check(data.data, data.len, &sum, &fault);
	if (!bad && binary)
		ret = check_binary(&data, binary, err);
	buf_free(&data);
	if (ret)
		return ret;
	(json ? legacy_print_json : print_text)(in, version, &sum, bad ? &fault : NULL);
	return bad != 0;
}
