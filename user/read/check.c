// SPDX-License-Identifier: Apache-2.0
/* check: see check.h. Input: a trace. Output: one verdict. */
#include "read/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/check_state.h"

const char *check_warning_text(enum check_warning warning)
{
	switch (warning) {
	case WARN_NO_PROCS:
		return "no ProcsChange, so the MMU page of go tool trace crashes";
	case WARN_EMPTY_GENERATION:
		return "generation without thread events, which readers before Go 1.25 refuse";
	case WARN_PC_MEANINGS:
		return "one pc with several meanings, of which readers show the first";
	case WARN_P_ON_TWO_THREADS:
		return "proc that is running on two threads";
	case WARN_G_ON_TWO_THREADS:
		return "goroutine that is running on two threads";
	case WARN_STW_ACROSS:
		return "stop-the-world that spans generations";
	case WARNINGS:
		break;
	}
	return "?";
}

const char *check_kind_name(enum check_kind kind)
{
	static const char *const names[] = {
		[CHECK_OK] = "ok", [CHECK_HEADER] = "header", [CHECK_READER] = "reader",
		[CHECK_VALIDATOR] = "validator", [CHECK_TRAP] = "trap",
	};

	return names[kind];
}

static void bad_header(struct check_result *result, const struct error *err)
{
	const struct v2_place start = { .batch = -1, .thread = TRACEV2_NO_ID };

	result->kind = CHECK_HEADER;
	fault_set(&result->fault, &start, "%s", err->text);
}

static void take_fault(struct check *c, const struct v2_fault *fault)
{
	struct check_result *result = c->result;

	if (result->kind != CHECK_OK) {
		result->more++;
		return;
	}
	result->kind = CHECK_READER;
	result->fault = *fault;
	result->fault_event = result->events;
}

static void check_read_all(struct check *c, bool lenient)
{
	static const struct v2_place whole_file = { .batch = -1, .thread = TRACEV2_NO_ID };
	const struct trace_event *ev = NULL;
	int ret;

	while ((ret = trace_reader_next(c->r, &ev)) > 0) {
		c->result->events++;
		if (ev->type == TRACE_SYNC)
			c->result->generations += ev->args[1];
		if (lenient)
			continue;
		check_event(c, ev);
	}
	if (ret < 0)
		take_fault(c, trace_reader_fault(c->r));
	else if (!lenient)
		check_validator_end(c, ev);
	if (!lenient && !c->procs_seen)
		check_warn(c, WARN_NO_PROCS, &whole_file);
}

static void check_reader(struct trace_reader *r, bool lenient, struct check_result *result)
{
	struct check *c = xcalloc(1, sizeof(*c));

	result->version = trace_reader_version(r);
	check_init(c, r, result);
	check_read_all(c, lenient);
	result->threads = trace_reader_order(r)->ms.len;
	check_free(c);
	free(c);
	trace_reader_close(r);
}

int check_source(const struct raw_source *source, bool lenient, struct check_result *result,
		 struct error *err)
{
	struct trace_reader *r = trace_reader_open_source(source, err);

	memset(result, 0, sizeof(*result));
	if (r)
		check_reader(r, lenient, result);
	else if (err->code == -EINVAL || err->code == -ENOTSUP)
		bad_header(result, err);
	else
		return err->code;
	return 0;
}

void check_memory(const void *data, size_t n, bool lenient, struct check_result *result)
{
	struct error err;
	struct trace_reader *r = trace_reader_open_memory(data, n, &err);

	memset(result, 0, sizeof(*result));
	if (r)
		check_reader(r, lenient, result);
	else
		bad_header(result, &err);
}
