/* SPDX-License-Identifier: Apache-2.0 */
/* legal: a trace that a fuzzer made must be one that the reader of v2 traces takes to its end. */
#ifndef GOTAP_TESTS_FUZZ_LEGAL_H
#define GOTAP_TESTS_FUZZ_LEGAL_H

#include <stdio.h>
#include <stdlib.h>

#include "read/v2_reader.h"

static inline void must_read_v2(const void *bytes, size_t n)
{
	const struct trace_event *ev;
	struct trace_reader *r;
	struct error err;
	int ret;

	r = trace_reader_open_memory(bytes, n, &err);
	if (!r)
		abort();
	while ((ret = trace_reader_next(r, &ev)) > 0)
		;
	if (ret < 0) {
		fprintf(stderr, "not legal: %s: %s (%s)\n", trace_reader_fault(r)->event,
			trace_reader_fault(r)->rule, trace_reader_fault(r)->state);
		abort();
	}
	trace_reader_close(r);
}

#endif
