/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_text: a trace for a unit test, from the text form (docs/text.md) without what is always the same:
 *
 *	static const char story[] =
 *		"batch m=1\n"			a batch of a thread; of tables: batch
 *		"ProcStatus dt=1 p=0 pstatus=1\n"
 *		...;
 *	struct trace_reader *r = trace_of_text(story, &bytes);
 *
 * "batch" begins an EventBatch of generation @gen, time 1000; "generation" ends one and begins the next,
 * which has a batch with Sync, frequency (1 GHz: dt are ns) and clock of its own, as the first one has.
 */
#ifndef GOTAP_TESTS_TRACE_TEXT_H
#define GOTAP_TESTS_TRACE_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/raw_sink.h"
#include "read/v2_reader.h"
#include "read/wire_write.h"

/*
 * Goroutine 1 makes two system calls: from 5 to 10 ns of the trace, and from 15 to 30. Of the second one another
 * thread takes P 0 at 20. Stack 1 is the caller's.
 */
#define TRACE_TEXT_CALLS \
	"batch m=1\n" \
	"ProcStatus dt=1 p=0 pstatus=1\n" \
	"GoStatus dt=1 g=1 m=1 gstatus=2\n" \
	"GoSyscallBegin dt=3 p_seq=1 stack=1\n" \
	"GoSyscallEnd dt=5\n" \
	"GoSyscallBegin dt=5 p_seq=2 stack=1\n" \
	"GoSyscallEndBlocked dt=15\n" \
	"batch m=2\n" \
	"ProcStatus dt=1 p=1 pstatus=1\n" \
	"ProcSteal dt=19 p=0 p_seq=3 m=1\n"

struct trace_text {
	struct buf wire;
	struct buf body;	/* lines of the batch at hand */
	char m[32];		/* its thread */
	unsigned gen;
	unsigned long time;
};

static inline void trace_text_wire(struct buf *to, const char *lines, size_t n)
{
	static const char header[] = "Trace Go1.26\n";
	struct buf text = {0};
	struct raw_source source;
	struct raw_sink sink;
	struct error err;

	buf_add(&text, header, sizeof(header) - 1);
	buf_add(&text, lines, n);
	sink_open(&sink, -1, NULL);
	source_open_memory(&source, text.data, text.len);
	if (wire_write(&source, &sink, &err)) {
		printf("# %s\n%.*s", err.text, (int)text.len, text.data);
		abort();
	}
	buf_add(to, sink.buf.data + 16, sink.buf.len - 16);
	buf_free(&sink.buf);
	buf_free(&text);
}

static inline void trace_text_end_batch(struct trace_text *t)
{
	struct buf body = {0}, head = {0};

	if (!t->body.len)
		return;
	trace_text_wire(&body, (char *)t->body.data, t->body.len);
	buf_printf(&head, "EventBatch gen=%u m=%s time=%lu size=%zu\n", t->gen, t->m, t->time, body.len);
	trace_text_wire(&t->wire, (char *)head.data, head.len);
	buf_add(&t->wire, body.data, body.len);
	t->body.len = 0;
	buf_free(&head);
	buf_free(&body);
}

static inline void trace_text_begin_generation(struct trace_text *t)
{
	t->gen++;
	snprintf(t->m, sizeof(t->m), "18446744073709551615");
	buf_printf(&t->body, "Sync\nFrequency freq=1000000000\nClockSnapshot dt=0 mono=1000 sec=1700000000 nsec=5\n");
	trace_text_end_batch(t);
}

static inline void trace_text_line(struct trace_text *t, const char *line, size_t n)
{
	char thread[32] = "18446744073709551615";

	if (n >= 5 && !strncmp(line, "batch", 5)) {
		trace_text_end_batch(t);
		t->time = 1000;
		if (sscanf(line, "batch m=%31[0-9] time=%lu", thread, &t->time) < 1)
			strcpy(thread, "18446744073709551615");
		strcpy(t->m, thread);
	} else if (n >= 10 && !strncmp(line, "generation", 10)) {
		trace_text_end_batch(t);
		trace_text_wire(&t->wire, "EndOfGeneration\n", 16);
		t->time = 1000;
		sscanf(line, "generation time=%lu", &t->time);
		trace_text_begin_generation(t);
	} else {
		buf_add(&t->body, line, n);
		buf_add_byte(&t->body, '\n');
	}
}

/* The reader of the trace in @text; its bytes are @bytes, which the caller frees after the reader. */
static inline struct trace_reader *trace_of_text(const char *text, struct buf *bytes)
{
	struct trace_text t = { .time = 1000 };
	struct trace_reader *r;
	struct error err;
	const char *end;

	buf_add(&t.wire, "go 1.26 trace\0\0\0", 16);
	trace_text_begin_generation(&t);
	for (; (end = strchr(text, '\n')); text = end + 1)
		trace_text_line(&t, text, (size_t)(end - text));
	trace_text_end_batch(&t);
	trace_text_wire(&t.wire, "EndOfGeneration\n", 16);
	buf_free(&t.body);
	*bytes = t.wire;
	r = trace_reader_open_memory(bytes->data, bytes->len, &err);
	if (!r) {
		printf("# %s\n", err.text);
		abort();
	}
	return r;
}

#endif
