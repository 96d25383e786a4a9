// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_v1: any bytes through the v1 reader: text form, checks, iteration with
 * stacks and strings, and conversion of what passes the checks. The v2 reader,
 * which shares no code with the conversion, must accept the result: anything
 * else is reported like a crash. Bytes that do not begin like a trace are a
 * recipe for one that keeps all rules (tests/v1/random.h).
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../v1/random.h"
#include "legal.h"
#include "v1/convert.h"
#include "v1/text.h"
#include "v1/trace.h"
#include "v1/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void print_text(const uint8_t *data, size_t n)
{
	struct raw_sink out;
	struct error err;

	sink_open(&out, -1, NULL);
	v1_text(data, n, NULL, &out, &err);
	buf_free(&out.buf);
}

static size_t walk(const struct v1_trace *t)
{
	struct v1_frame frames[V1_MAX_FRAMES];
	const struct v1_event *ev;
	struct v1_iter it;
	size_t sum = 0;

	v1_iter_init(&it, t);
	while ((ev = v1_iter_next(&it)))
		sum += v1_trace_stack(t, ev->stack, frames, V1_MAX_FRAMES) +
		       (ev->text_len ? (size_t)ev->text[0] : 0) + (size_t)it.thread;
	v1_iter_release(&it);
	return sum;
}

/* Links lead to later events. */
static void follow_links(const struct v1_trace *t)
{
	struct v1_view_event e;
	struct v1_view *v;
	struct error err;
	uint32_t furthest = 0, last = 0;

	if (v1_view_open(&v, t, &err))
		return;
	while (v1_view_next(v, &e)) {
		if (e.number <= last || (e.link && e.link <= e.number))
			abort();
		last = e.number;
		furthest = e.link > furthest ? e.link : furthest;
	}
	if (furthest > last)
		abort();
	v1_view_close(v);
}

static void must_read(int fd)
{
	size_t n = (size_t)lseek(fd, 0, SEEK_END);
	void *bytes = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);

	must_read_v2(bytes, n);
	munmap(bytes, n);
}

static void run(const uint8_t *data, size_t n)
{
	struct v1_trace *t;
	struct v1_cut cut;
	struct error err;
	int fd;

	print_text(data, n);
	if (v1_trace_open_cut(&t, data, n, &cut, &err))
		return;
	walk(t);
	follow_links(t);
	fd = memfd_create("fuzz", 0);
	if (!v1_convert(t, fd, 22, NULL, &err))
		must_read(fd);
	close(fd);
	v1_trace_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct make made;

	if (n && data[0] == 'g') {
		run(data, n);
		return 0;
	}
	made = random_trace(data, n);
	run(made.data, made.len);
	free(made.data);
	return 0;
}
