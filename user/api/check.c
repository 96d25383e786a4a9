// SPDX-License-Identifier: Apache-2.0
/*
 * check: see gotap/check.h. Input: a trace. Output: the verdict of read/check.h, or of v1/trace.h.
 */
#include "gotap/check.h"

#include <stdio.h>

#include "api/api.h"
#include "read/check.h"
#include "v1/file.h"
#include "v1/format.h"
#include "v1/trace.h"

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours)

SAME(GOTAP_CHECK_OK, CHECK_OK);
SAME(GOTAP_CHECK_HEADER, CHECK_HEADER);
SAME(GOTAP_CHECK_READER, CHECK_READER);
SAME(GOTAP_CHECK_VALIDATOR, CHECK_VALIDATOR);
SAME(GOTAP_CHECK_TRAP, CHECK_TRAP);
SAME(GOTAP_WARN_NO_PROCS, WARN_NO_PROCS);
SAME(GOTAP_WARN_EMPTY_GENERATION, WARN_EMPTY_GENERATION);
SAME(GOTAP_WARN_PC_MEANINGS, WARN_PC_MEANINGS);
SAME(GOTAP_WARN_P_ON_TWO_THREADS, WARN_P_ON_TWO_THREADS);
SAME(GOTAP_WARN_G_ON_TWO_THREADS, WARN_G_ON_TWO_THREADS);
SAME(GOTAP_WARN_STW_ACROSS, WARN_STW_ACROSS);
SAME(GOTAP_WARNINGS, WARNINGS);

/* Checks a trace of Go 1.22 or later. Closes @source. */
static int api_check_new(struct raw_source *source, bool lenient, struct gotap_check_result *to,
		     struct error *err)
{
	struct check_result r;
	int i, ret = check_source(source, lenient, &r, err);

	if (ret)
		return ret;
	*to = (struct gotap_check_result){
		.verdict = r.kind, .version = r.version, .events = r.events,
		.generations = r.generations, .threads = r.threads, .after_events = r.fault_event,
		.more = r.more, .generation = r.fault.place.gen, .batch = r.fault.place.batch,
		.offset = r.fault.place.offset, .m = r.fault.place.thread,
	};
	snprintf(to->event, sizeof(to->event), "%s", r.fault.event);
	snprintf(to->rule, sizeof(to->rule), "%s", r.fault.rule);
	snprintf(to->state, sizeof(to->state), "%s", r.fault.state);
	for (i = 0; i < WARNINGS; i++)
		to->warnings[i] = r.warning[i].count;
	return 0;
}

/* Checks a trace before Go 1.22. Closes @source. */
static int api_check_old(struct raw_source *source, struct gotap_check_result *to,
			 struct error *err)
{
	struct v1_summary sum = {0};
	struct buf data = {0};
	struct error fault;
	size_t header;
	int ret = source_take_all(source, &data, err);

	source_close(source);
	*to = (struct gotap_check_result){ .batch = -1, .m = GOTAP_NONE };
	if (!ret) {
		v1_header_parse(data.data, data.len, &to->version, &header, &fault);
		if (v1_check(data.data, data.len, &sum, &fault)) {
			to->verdict = GOTAP_CHECK_READER;
			snprintf(to->rule, sizeof(to->rule), "%s", fault.text);
		}
	}
	buf_free(&data);
	to->events = sum.events;
	to->goroutines = sum.goroutines;
	to->procs = sum.procs;
	to->stacks = sum.stacks;
	to->strings = sum.strings;
	to->duration = sum.duration;
	return ret;
}

int gotap_check(const struct gotap_input *in, int lenient, struct gotap_check_result *to,
		size_t size, struct gotap_error *gerr)
{
	struct gotap_check_result result;
	struct raw_source source;
	struct error err;
	int ret = api_source(&source, in, &err);

	if (ret)
		return api_error(gerr, &err);
	source_need(&source, V1_HEADER);
	if (v1_file_is(source.pos, source_left(&source)))
		ret = api_check_old(&source, &result, &err);
	else
		ret = api_check_new(&source, lenient, &result, &err);
	if (ret)
		return api_error(gerr, &err);
	api_give(to, size, &result, sizeof(result));
	return 0;
}

const char *gotap_check_verdict_name(unsigned int verdict)
{
	return verdict <= CHECK_TRAP ? check_kind_name((enum check_kind)verdict) : NULL;
}

const char *gotap_check_warning_text(unsigned int warning)
{
	return warning < WARNINGS ? check_warning_text((enum check_warning)warning) : NULL;
}
