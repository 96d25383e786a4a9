// SPDX-License-Identifier: Apache-2.0
/*
 * collect_off: the times within running spans and system calls when the thread was not on a CPU
 * (user/oncpu). Part of collect.c.
 */
#include <stdio.h>
#include <string.h>

#include "html/collect_internal.h"
#include "trace/varint.h"

/* 0: a state on a CPU. */
static const enum page_off off_rows[THREAD_STATES] = {
	[THREAD_UNKNOWN] = PAGE_OFF_UNKNOWN,
	[THREAD_QUEUED] = PAGE_OFF_QUEUED,
	[THREAD_THROTTLED] = PAGE_OFF_THROTTLED,
	[THREAD_SLEEPING] = PAGE_OFF_OTHER,
	[THREAD_FAULT] = PAGE_OFF_KERNEL,
	[THREAD_IO] = PAGE_OFF_KERNEL,
	[THREAD_BLOCKED] = PAGE_OFF_KERNEL,
	[THREAD_STOPPED] = PAGE_OFF_OTHER,
	[THREAD_TRACED] = PAGE_OFF_OTHER,
	[THREAD_FROZEN] = PAGE_OFF_OTHER,
};

/*
 * Returns the kind of a time off the CPU; 0: the part does not count: the thread was on a CPU, or
 * slept in a system call to wait for the result.
 */
static enum page_off off_row_of(const struct span *span, const struct oncpu_part *part)
{
	if (span->state == GO_SYSCALL &&
	    (part->state == THREAD_SLEEPING || part->state == THREAD_UNKNOWN))
		return 0;
	return off_rows[part->state];
}

/* Is part->by the task that had the CPU? For a thread that was woken part->by is the waker. */
static bool has_taker(const struct oncpu_part *part)
{
	return part->state == THREAD_QUEUED && part->by.tid &&
	       (part->queued == QUEUED_PREEMPTED || part->queued == QUEUED_YIELDED);
}

static uint32_t off_text_of(struct html *h, const struct oncpu_part *part)
{
	char text[64];

	if (!has_taker(part))
		return collect_text(h, spans_text(h->spans, thread_state_words(part->state),
						  strlen(thread_state_words(part->state))));
	snprintf(text, sizeof(text), "%s %.*s",
		 part->queued == QUEUED_YIELDED ? "yielded to" : "preempted by",
		 (int)sizeof(part->by.comm) - 1, part->by.comm);
	return collect_text(h, spans_text(h->spans, text, strlen(text)));
}

static void collect_put_off(struct html *h, const struct span *span, const struct oncpu_part *part,
			    enum page_off off)
{
	uint8_t *p = collect_record(h, (uint8_t)(SPOOL_OFF | off << 3), span->to);

	p = varint_put(p, span->g->slot);
	p = varint_put(p, span->state == GO_RUNNING ? span->p + 1 : 0);
	p = varint_put(p, collect_thread(h, span->m));
	p = varint_put(p, (uint64_t)(span->to - part->from));
	p = varint_put(p, (uint64_t)(part->to - part->from));
	p = varint_put(p, off_text_of(h, part));
	p = varint_put(p, has_taker(part) ? part->by.tid : 0);
	collect_record_end(h, p);
	h->off_classes[level_of(part->to - part->from)]++;
	if (off != PAGE_OFF_UNKNOWN && span->state == GO_RUNNING && span->p != TRACEV2_NO_ID)
		h->off_ns[off] += part->to - part->from;
}

void collect_off(struct html *h, const struct span *span)
{
	const struct oncpu_part *parts;
	size_t n, i;

	if (!h->oncpu || (span->state != GO_RUNNING && span->state != GO_SYSCALL))
		return;
	parts = oncpu_parts(h->oncpu, span->m, span->from, span->to, &n);
	for (i = 0; i < n; i++) {
		enum page_off off = off_row_of(span, &parts[i]);

		if (off)
			collect_put_off(h, span, &parts[i], off);
	}
}
