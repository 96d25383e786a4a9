/* SPDX-License-Identifier: Apache-2.0 */
/* oncpu_story: a trace (trace_text.h) that is read beside the file of a thread_story, for unit tests. */
#ifndef GOTAP_TESTS_ONCPU_STORY_H
#define GOTAP_TESTS_ONCPU_STORY_H

#include "oncpu/oncpu.h"
#include "thread_story.h"
#include "trace_text.h"

struct oncpu_story {
	struct spans *spans;
	struct oncpu *oncpu;
};

/* After thread_story_end(@threads). Then the test adds its visitors. */
static inline void oncpu_story_open(struct oncpu_story *s, const struct thread_story *threads)
{
	struct error err;

	s->spans = spans_new();
	CHECK(!oncpu_open(&s->oncpu, s->spans, threads->path, &err));
}

static inline void oncpu_story_read(struct oncpu_story *s, const char *text)
{
	struct buf bytes;
	struct trace_reader *r = trace_of_text(text, &bytes);
	struct error err;

	if (spans_read(s->spans, r, &err)) {
		printf("# %s\n", err.text);
		unit_failures++;
	}
	CHECK(!oncpu_finish(s->oncpu, &err));
	trace_reader_close(r);
	buf_free(&bytes);
}

static inline void oncpu_story_close(struct oncpu_story *s, const struct thread_story *threads)
{
	oncpu_free(s->oncpu);
	spans_free(s->spans);
	close(threads->fd);
}

#endif
