// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_oncpu: a trace and its file of threads, both from untrusted bytes. The parts of each stay on a thread must
 * follow one another without a hole, their sums must be those of the stays and not below 0, and no share of a finding
 * is below 0, or above 1 if its cause is in the threads.
 *
 * The input is a number of two bytes, as many bytes of the file of threads, without its head, and the trace. If the
 * highest bit of the number is set these bytes are a recipe for records, seven bytes each, with few ids, and times near
 * those of the trace, so that records meet spans.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/finding.h"
#include "report/tables.h"
#include "stream/chunk.h"

static void on_span(void *ctx, const struct span *span)
{
	const struct oncpu_part *parts;
	int64_t at = span->from;
	size_t n, i;

	if (span->state != GO_RUNNING && span->state != GO_SYSCALL)
		return;
	parts = oncpu_parts(ctx, span->m, span->from, span->to, &n);
	for (i = 0; i < n; i++) {
		must(parts[i].from == at && parts[i].to > at && parts[i].state < THREAD_STATES, "parts follow one another");
		at = parts[i].to;
	}
	must(at == span->to, "parts are the whole stay");
}

/* The parts add up to the whole, unless a sum has reached its largest value: times of the trace may be any. */
static void look_at_row(const struct function_row *row)
{
	unsigned __int128 ran = 0, called = 0;
	uint32_t i;

	for (i = 0; i < SPLITS; i++) {
		ran += (uint64_t)tables_dist(row, STAY_LINUX + i)->sum;
		called += (uint64_t)tables_dist(row, STAY_LINUX_CALL + i)->sum;
	}
	must(ran == (uint64_t)tables_dist(row, STAY_RUNNING)->sum || ran >= INT64_MAX, "parts of running add up");
	must(called == (uint64_t)tables_dist(row, STAY_CALL)->sum || called >= INT64_MAX, "parts of calls add up");
}

/* The sums of regions and tasks are differences of sums. */
static void look_at_types(const struct vec *rows)
{
	uint32_t stay;
	size_t i;

	for (i = 0; i < rows->len; i++)
		for (stay = STAY_LINUX; stay < STAY_WAITS; stay++)
			must(stay_sum(&vec_at(rows, struct type_row, i)->sums, stay) >= 0, "no part is below 0");
}

/* Is @f a finding about threads (report/findings_cpu.c)? Its time is at most the lost time of all goroutines. */
static bool is_of_threads(const struct finding *f)
{
	static const char *const kinds[] = {
		"throttled", "preempted", "too many Ps", "stopped", "frozen", "page faults",
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(f->kind, kinds[i]))
			return true;
	return false;
}

static void look_at_findings(const struct vec *list)
{
	size_t i;

	for (i = 0; i < list->len; i++) {
		const struct finding *f = vec_at(list, struct finding, i);

		must(f->text && f->share >= 0 && f->seconds >= 0, "a finding has a text and a share");
		must(!is_of_threads(f) || f->share <= 1.000001, "a share of threads is a part");
	}
}

static void read_beside(const char *path, const uint8_t *data, size_t size)
{
	struct spans *s = spans_new();
	struct tables *t = tables_new(s, &(struct tables_options){ .top = 2 });
	struct trace_reader *r;
	struct thread_sums *sums;
	struct findings *f;
	struct oncpu *o;
	struct error err;
	size_t i;

	if (!oncpu_open(&o, s, path, &err)) {
		sums = thread_sums_new(oncpu_threads(o));
		tables_trace(t, "fuzz");
		tables_threads(t, o);
		f = findings_new(s);
		findings_threads(f, o, sums);
		spans_visit(s, &(struct spans_visitor){ .ctx = o, .span = on_span });
		r = trace_reader_open_memory(data, size, &err);
		if (r)
			(void)spans_read(s, r, &err);
		(void)oncpu_finish(o, &err);
		look_at_findings(findings_finish(f));
		for (i = 0; i < t->functions.len; i++)
			if (t->oncpu)
				look_at_row(vec_at(&t->functions, struct function_row, i));
		look_at_types(&t->regions);
		look_at_types(&t->tasks);
		findings_free(f);
		if (r)
			trace_reader_close(r);
		oncpu_free(o);
		thread_sums_free(sums);
	}
	tables_delete(t);
	spans_free(s);
}

/* The seven bytes: kind, thread, two of time (units of 50 ns), sub and CPU, number, system call. */
static void add_record(struct buf *out, const uint8_t *d, uint64_t *now)
{
	struct {
		struct rec_cgroup r;
		char more[sizeof(struct rec_thread)];
	} any = {0};
	struct rec_thread *r = (struct rec_thread *)&any.r;
	uint64_t far[] = { 0, 1, UINT64_MAX, INT64_MAX };

	*now += 50ULL * (d[2] | (uint64_t)d[3] << 8);
	r->r.kind = (uint8_t)(REC_THREAD_OFF + d[0] % 11);
	r->r.tid = d[1] % 5;
	r->r.time = d[4] == 255 ? far[d[5] & 3] : *now;
	r->r.sub = d[4] & 15;
	r->r.flags = d[4] >> 4;
	r->r.id = d[5] < 250 ? d[5] : far[d[5] & 3];
	r->r.ptr = (uint64_t)d[5] << (d[6] & 31);
	r->stack = (uint64_t)d[6] << (d[5] & 31);
	r->arg = d[6] & 1 ? UINT64_MAX : d[6];
	memcpy(r->comm, "hog", 4);
	buf_add(out, r, record_size(&r->r, SIZE_MAX));
}

static void write_recipe(struct spool_writer *w, const uint8_t *data, size_t n, uint64_t first)
{
	struct chunk c = { .watermark = first };
	struct error err;
	size_t at, i;

	for (i = 0; i + 7 <= n; ) {
		chunk_reset(&c);
		at = chunk_segment_begin(&c, CHUNK_USER_CPU);
		for (; i + 7 <= n && c.data.len < 512; i += 7)
			add_record(&c.data, data + i, &c.watermark);
		chunk_segment_end(&c, at);
		must(!spool_write(w, &c, &err), "a chunk is written");
	}
	chunk_free(&c);
}

static void write_file(int fd, const char *path, const uint8_t *data, size_t n, bool recipe)
{
	static struct capture_info info;
	struct spool_writer *w;
	struct error err;

	info.pid = 4;
	must(!spool_create(&w, fd, path, &info, &err), "a head is written");
	if (recipe)
		write_recipe(w, data, n, 1000);
	else
		must(write(fd, data, n) == (ssize_t)n, "the file is written");
	spool_writer_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = size < 2 ? 0 : (size_t)data[0] | (size_t)(data[1] & 0x7f) << 8;
	char path[32];
	int fd;

	if (size < 2 || n > size - 2)
		return 0;
	fd = memfd_create("threads", 0);
	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	write_file(fd, path, data + 2, n, data[1] & 0x80);
	read_beside(path, data + 2 + n, size - 2 - n);
	close(fd);
	return 0;
}
