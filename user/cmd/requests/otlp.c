// SPDX-License-Identifier: Apache-2.0
/* otlp: see otlp.h. */
#include "cmd/requests/otlp.h"

#include <errno.h>
#include <string.h>

#include "base/show.h"
#include "cmd/cmd.h"
#include "files/leftover.h"
#include "files/reread.h"
#include "files/trace_input.h"
#include "otlp/otlp.h"
#include "read/raw_sink.h"

static const char *take_otlp_format(void *format, const char *arg)
{
	*(const char **)format = arg;
	return strcmp(arg, "json") && strcmp(arg, "protobuf") ? "takes protobuf or json" : NULL;
}

#define FIELD(name) offsetof(struct otlp_cmd_options, name)

const struct option_row otlp_rows[] = {
	OPTION(0, "otlp", "FILE", OPTION_TAKE, FIELD(to),
	  "write the requests as spans of OpenTelemetry instead (OTLP); - is standard output, and "
	  "http://HOST[:PORT] a receiver to which they are sent (docs/otlp.md)",
	  .take = option_take_some),
	OPTION(0, "otlp-format", "FORM", OPTION_TAKE, FIELD(format),
	  "protobuf, or json (default: json for a FILE that ends in .json, else protobuf)",
	  .take = take_otlp_format),
	OPTION(0, "otlp-waits", NULL, OPTION_FLAG, FIELD(waits),
	  "with the waits of each span as its events"),
	OPTION_TOKEN("otlp-token", FIELD(token)),
	OPTION(0, "otlp-timeout", "TIME", OPTION_DURATION, FIELD(timeout),
	  "give up an attempt after TIME (default 10s); there are five at most"),
	OPTION(0, "service", "NAME", OPTION_TAKE, FIELD(service),
	  "service.name of the spans (default: the name of the program)",
	  .take = option_take_some),
	{0},
};

static bool otlp_is_json(const struct otlp_cmd_options *o)
{
	size_t n = strlen(o->to);

	if (o->format)
		return !strcmp(o->format, "json");
	return !otlp_is_url(o->to) && n > 5 && !strcmp(o->to + n - 5, ".json");
}

const char *otlp_check(const struct otlp_cmd_options *o)
{
	if (!o->to && (o->format || o->service || o->token || o->waits))
		return "--otlp-format, --otlp-waits, --otlp-token and --service are about --otlp";
	if (o->token && !otlp_is_url(o->to))
		return "--otlp-token is for a URL";
	return NULL;
}

/* --- where the spans go --- */

struct otlp_destination {
	bool url;
	struct otlp_server server;
	struct output file;
	struct raw_sink sink;
};

static int otlp_file_take(void *ctx, const void *data, size_t size, size_t spans, struct error *err)
{
	struct raw_sink *sink = ctx;

	buf_add(&sink->buf, data, size);
	sink_settle(sink);
	return sink_error(sink, err);
}

static int otlp_open(struct otlp_destination *d, const struct otlp_cmd_options *o,
		     struct error *err)
{
	int ret;

	*d = (struct otlp_destination){ .url = otlp_is_url(o->to), .file = OUTPUT_CLOSED };
	if (d->url)
		return otlp_server_open(&d->server, o, otlp_is_json(o), err);
	ret = output_start(&d->file, o->to, otlp_is_json(o) ? OUTPUT_TEXT : OUTPUT_BINARY, err);
	sink_open(&d->sink, d->file.fd, d->file.path);
	return ret;
}

/* @ret: what has failed before; then there is no file. */
static int otlp_close(struct otlp_destination *d, int ret, struct error *err)
{
	struct error sink_err;

	if (d->url) {
		receiver_close(&d->server.to);
		return ret;
	}
	if (sink_close(&d->sink, &sink_err) && !ret) {
		*err = sink_err;
		ret = err->code;
	}
	return output_end(&d->file, ret, err);
}

/* --- messages --- */

static void otlp_tell_losses(const struct otlp_counts *c)
{
	if (c->open)
		show_printf(stderr, "gotap: not exported: %llu operations that had not ended, and "
			    "%llu spans inside of requests that had not\n",
			    (unsigned long long)c->open, (unsigned long long)c->of_open);
	if (c->left_out)
		show_printf(stderr, "gotap: not exported: %llu spans, for which there was no room "
			    "until their requests ended\n", (unsigned long long)c->left_out);
	if (c->left_out_events)
		show_printf(stderr, "gotap: not exported: %llu events of spans that have more than "
			    "%d\n", (unsigned long long)c->left_out_events, OTLP_EVENTS);
}

static void otlp_tell(const struct otlp_destination *d, const struct otlp_counts *c)
{
	char size[SHOW_SIZE];

	if (d->url)
		show_printf(stderr, "gotap: %s took %llu spans of %llu traces, %llu of them "
			    "errors\n", d->server.to.url.shown, (unsigned long long)d->server.sent,
			    (unsigned long long)c->roots, (unsigned long long)c->errors);
	else
		show_printf(stderr, "gotap: %s: %llu spans of %llu traces, %llu of them errors, "
			    "%s\n", d->file.path, (unsigned long long)c->spans,
			    (unsigned long long)c->roots, (unsigned long long)c->errors,
			    show_size(d->sink.written + d->sink.buf.len, size));
	otlp_tell_losses(c);
}

/* --- reading --- */

static int otlp_read(struct spans *s, struct otlp *otlp, struct reread *file, const char *binary,
		     bool *failed, struct error *err)
{
	struct trace_input in;
	int ret = reread_rewind(file, err);

	if (!ret && trace_input_open_source(&in, &file->source, binary, err))
		ret = error_prefix(err, "%s", file->path);
	if (ret)
		return ret;
	ret = spans_read(s, in.reader, err);
	if (trace_input_close(&in, file->path, ret, err)) {
		cmd_fail(err);	/* what comes before the damage counts */
		*failed = true;
	}
	return otlp_finish(otlp, err);
}

/* An export of nothing is no success. */
static int otlp_none(const struct otlp_counts *c, const char *path, struct error *err)
{
	if (c->spans)
		return 0;
	return error_set(err, -ENOENT, c->open ? "%s: no request ended in the trace: record for "
			 "longer" : "%s has no requests: the program served none with net/http "
			 "meanwhile, or it was not recorded with --events +http; or --route or "
			 "--label asks for others", path);
}

int otlp_export(const struct otlp_cmd_options *o, struct reread *file, const char *binary,
		const char *route, const char *label)
{
	struct otlp_options options = { .service = o->service, .file = file->path, .route = route,
					.json = otlp_is_json(o), .waits = o->waits };
	struct otlp_destination d;
	struct spans *s = spans_new();
	struct labelled *labelled = label ? labelled_new(s, label) : NULL;
	struct otlp *otlp = NULL;
	bool failed = false;
	struct error err;
	int ret = otlp_open(&d, o, &err);

	options.label = labelled;
	options.take = d.url ? otlp_server_take : otlp_file_take;
	options.ctx = d.url ? (void *)&d.server : &d.sink;
	if (!ret) {
		otlp = otlp_new(s, &options);
		ret = otlp_read(s, otlp, file, binary, &failed, &err);
	}
	if (!ret)
		ret = otlp_none(otlp_counts(otlp), file->path, &err);
	if (otlp && otlp_counts(otlp)->spans)
		otlp_tell(&d, otlp_counts(otlp));
	ret = otlp_close(&d, ret, &err);
	failed |= d.url && d.server.rejected;
	otlp_free(otlp);
	labelled_free(labelled);
	spans_free(s);
	return ret ? cmd_fail(&err) : failed ? EXIT_FAIL : EXIT_OK;
}
