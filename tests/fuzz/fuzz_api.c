// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_api: the public functions of libgotap. The first byte of the input chooses one of five tests:
 *   - the reader gets the input as a trace, from memory, a callback or a file, and each event is asked for its meaning;
 *   - the writer gets any calls, and the batches, tables and ids of the trace that it writes must be sound;
 *   - the writer gets calls that keep to the rules of gotap/writer.h, and the trace must pass the check;
 *   - the input is rewritten as a trace, and the reader must accept the result;
 *   - the input gets a verdict, and what can be read of it as text becomes a file with the same text.
 * fuzz_raw tests the functions for raw files.
 */
#define _GNU_SOURCE
#include "calls.h"

#include "gotap/check.h"
#include "gotap/raw.h"
#include "gotap/reader.h"
#include "gotap/rewrite.h"
#include "gotap/writer.h"
#include "read/check_report.h"
#include "read/v2_generation.h"
#include "read/v2_stream.h"

/* --- reader --- */

static bool is_text(struct gotap_text text)
{
	return text.s && (!text.len || memchr(text.s, text.s[0], text.len));
}

static bool is_of(uint32_t category, uint32_t first, uint32_t last)
{
	return category >= first && category <= last;
}

static void look_at_annotation(struct gotap_reader *r, uint32_t category)
{
	struct gotap_task task;
	struct gotap_region region;
	struct gotap_log log;
	struct gotap_label label;

	must(gotap_event_task(r, &task, sizeof(task)) ==
	     is_of(category, GOTAP_IS_TASK_BEGIN, GOTAP_IS_TASK_END), "a task is one");
	must(!is_of(category, GOTAP_IS_TASK_BEGIN, GOTAP_IS_TASK_END) || is_text(task.type),
	     "a task has a type");
	must(gotap_event_region(r, &region, sizeof(region)) ==
	     is_of(category, GOTAP_IS_REGION_BEGIN, GOTAP_IS_REGION_END), "a region is one");
	must(!is_of(category, GOTAP_IS_REGION_BEGIN, GOTAP_IS_REGION_END) || is_text(region.type),
	     "a region has a type");
	must(gotap_event_log(r, &log, sizeof(log)) == (category == GOTAP_IS_LOG), "a log is one");
	must(category != GOTAP_IS_LOG || (is_text(log.category) && is_text(log.message)),
	     "a log has a message");
	must(gotap_event_label(r, &label, sizeof(label)) == (category == GOTAP_IS_LABEL),
	     "a label is one");
	must(category != GOTAP_IS_LABEL || is_text(label.label), "a label has a text");
}

static void look_at_meaning(struct gotap_reader *r, uint32_t category)
{
	struct gotap_transition tr;
	struct gotap_range range;
	struct gotap_metric metric;

	must(gotap_category_name(category) != NULL, "an event has a category");
	must(gotap_event_transition(r, &tr, sizeof(tr)) == (category == GOTAP_IS_TRANSITION),
	     "a transition is one");
	if (category == GOTAP_IS_TRANSITION)
		must(gotap_state_name(tr.from) && gotap_state_name(tr.to) && is_text(tr.reason),
		     "a transition has states and a reason");
	must(gotap_event_range(r, &range, sizeof(range)) ==
	     is_of(category, GOTAP_IS_RANGE_BEGIN, GOTAP_IS_RANGE_END), "a range is one");
	if (is_of(category, GOTAP_IS_RANGE_BEGIN, GOTAP_IS_RANGE_END))
		must(range.name[0] && is_text(range.reason) && range.nattrs <= GOTAP_RANGE_ATTRS,
		     "a range has a name");
	must(gotap_event_metric(r, &metric, sizeof(metric)) == (category == GOTAP_IS_METRIC),
	     "a metric is one");
	must(category != GOTAP_IS_METRIC || metric.unit[0], "a metric has a unit");
	look_at_annotation(r, category);
}

static void look_at_link(struct gotap_reader *r, const struct gotap_event *ev)
{
	struct gotap_link link;

	if (gotap_event_link(r, &link, sizeof(link)))
		must(link.time < ev->time && gotap_kind_name(link.kind), "a link is an earlier event");
	if (gotap_event_leads_to(r, &link, sizeof(link)))
		must(link.time > ev->time && gotap_kind_name(link.kind), "an event leads to a later one");
}

static void look_at_wait(struct gotap_reader *r, const struct gotap_event *ev)
{
	struct gotap_wait w;
	uint32_t i;

	if (!gotap_event_wait(r, &w, sizeof(w)))
		return;
	must(ev->kind == GOTAP_GO_BLOCK || ev->kind == GOTAP_GO_STATUS || ev->kind == GOTAP_GO_STATUS_STACK,
	     "a goroutine begins to wait, or has a status");
	must(w.kind >= GOTAP_WAIT_CHANNEL && w.kind <= GOTAP_WAIT_NETWORK && w.n >= 1 && w.n <= GOTAP_WAIT_OBJECTS,
	     "a wait is for some objects");
	must(w.kind == GOTAP_WAIT_SELECT || (w.n == 1 && !w.more), "only a select has several");
	for (i = 0; i < w.n; i++)
		must(w.objects[i].address < 1ULL << 48 && w.objects[i].capacity >= -1 && w.objects[i].capacity < 65535,
		     "an object has an address and a capacity");
	must(!w.protocol[0] == !w.local[0] && (w.kind == GOTAP_WAIT_NETWORK || !w.protocol[0]),
	     "a socket has a protocol and an address");
}

static void look_at_data(struct gotap_reader *r)
{
	struct gotap_data data;

	while (gotap_next_data(r, &data, sizeof(data)) > 0)
		must(data.len <= 65536 && (!data.len || memchr(data.data, *(const char *)data.data, data.len)),
		     "data can be read");
}

static void look_at(struct gotap_reader *r, const struct gotap_event *ev)
{
	struct gotap_frame frames[4];
	struct gotap_trace_info info;
	uint32_t i;
	size_t len, n;

	must(ev->nargs <= GOTAP_MAX_ARGS, "an event has no more arguments than it can");
	for (i = 0; i < ev->nargs; i++) {
		const char *text = gotap_string(r, ev->args[i], &len);

		must(!text || !len || memchr(text, text[0], len), "a string can be read");
	}
	n = gotap_stack(r, ev->stack, frames, sizeof(frames[0]), 4);
	for (i = 0; i < n && i < 4; i++)
		must(frames[i].func.s && frames[i].file.s, "a frame's name can be read");
	gotap_reader_info(r, &info, sizeof(info));
	look_at_meaning(r, ev->category);
	look_at_link(r, ev);
	look_at_wait(r, ev);
	if (ev->kind == GOTAP_SYNC || ev->kind == GOTAP_CPU_SAMPLE)
		look_at_data(r);
}

/* A few bytes at a time. */
static int64_t feed(void *ctx, void *buf, size_t n)
{
	struct tape *t = ctx;
	size_t left = (size_t)(t->end - t->p), some = left < 61 ? left : 61;

	some = some < n ? some : n;
	memcpy(buf, t->p, some);
	t->p += some;
	return (int64_t)some;
}

static int file_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	must(write(fd, data, size) == (ssize_t)size, "a file has memory");
	lseek(fd, 0, SEEK_SET);
	return fd;
}

enum { FROM_MEMORY, FROM_FUNCTION, FROM_FILE };

static int open_from(struct gotap_reader **r, unsigned int from, const uint8_t *data, size_t size,
		     struct tape *t, int fd, struct gotap_error *err)
{
	struct gotap_read_options options = { .size = sizeof(options), .links = 1, .forward = 1 };

	if (from == FROM_FUNCTION)
		return gotap_open_callback(r, feed, t, NULL, err);
	if (from == FROM_FILE)
		return gotap_open_fd(r, fd, NULL, err);
	return gotap_open_memory(r, data, size, &options, err);
}

/* Number of events, whatever they are read from. */
static uint64_t read_bytes(unsigned int from, const uint8_t *data, size_t size)
{
	struct tape t = { data, data + size };
	int fd = from == FROM_FILE ? file_of(data, size) : -1;
	struct gotap_reader *r;
	uint64_t n = 0;
	struct gotap_event ev;
	struct gotap_error err;
	int ret;

	if (open_from(&r, from, data, size, &t, fd, &err)) {
		must(err.code < 0 && err.text[0], "a failure has a reason");
		close(fd);
		return 0;
	}
	for (; (ret = gotap_next(r, &ev, sizeof(ev))) > 0; n++)
		look_at(r, &ev);
	must(!ret || gotap_reader_error(r)->text[0], "damage has a reason");
	must(gotap_next(r, &ev, sizeof(ev)) == ret, "the end stays the end");
	gotap_close(r);
	close(fd);
	return n;
}

/* --- writer: any calls --- */

static void call_stack(struct gotap_writer *w, struct tape *t)
{
	static const char names[] = "main.f\0runtime.gopark\0/a.go";
	struct gotap_frame frames[8];
	size_t i, n = byte(t) % 9;

	for (i = 0; i < n; i++)
		frames[i] = (struct gotap_frame){ number(t), number(t),
						  { names, byte(t) % sizeof(names) },
						  { names + 7, byte(t) % 15 } };
	gotap_write_stack(w, frames, sizeof(frames[0]), n);
}

static void call_generation(struct gotap_writer *w, struct tape *t)
{
	struct gotap_clock clock = { number(t), number(t), number(t), number(t) };

	gotap_generation(w, byte(t) & 1 ? &clock : NULL);
}

static void call(struct gotap_writer *w, struct tape *t, uint64_t *time)
{
	uint64_t args[GOTAP_MAX_ARGS], m = number(t);
	unsigned int i, kind = byte(t);
	int nargs = gotap_kind_nargs(kind);

	switch (byte(t) % 8) {
	case 0:
		call_generation(w, t);
		return;
	case 1:
		call_stack(w, t);
		return;
	case 2:
		i = byte(t);
		gotap_write_string(w, (const char *)t->p, i < t->end - t->p ? i : 0);
		return;
	case 3:
		gotap_write_sample(w, m, number(t), number(t), number(t), number(t));
		return;
	case 4:
		i = byte(t);
		gotap_write_data(w, m, number(t), byte(t) % 3, t->p, i < t->end - t->p ? i : 0);
		return;
	}
	for (i = 0; i < GOTAP_MAX_ARGS; i++)
		args[i] = number(t);
	*time = byte(t) ? *time + byte(t) : number(t);
	gotap_write(w, m, *time, kind, nargs < 0 ? byte(t) % 6 : (unsigned int)nargs, args);
}

static struct gotap_writer *begin(struct tape *t, int fd)
{
	static const int versions[] = { 0, 22, 23, 25, 26, 24 };
	struct gotap_write_options options = { sizeof(options), versions[byte(t) % 6] };
	struct gotap_writer *w;
	struct gotap_error err;

	return gotap_writer_new(&w, fd, &options, &err) ? NULL : w;
}

/* Every generation can be read, and in it the events of every thread, whatever they mean. */
static void must_be_sound(const void *data, size_t n)
{
	struct v2_generation gen = {0};
	struct raw_specs specs;
	struct raw_source source;
	struct v2_fault fault = {0};
	struct v2_streams from = { &source, &gen, &specs, &fault };
	struct error err;
	int64_t serial = 0;
	int version, status;
	uint32_t i;

	raw_specs_init(&specs);
	source_open_memory(&source, data, n);
	must(!source_header(&source, &version, &err), "the header is one");
	do {
		status = generation_read(&gen, &source, version, &serial, &fault);
		for (i = 0; status > 0 && i < gen.threads.made; i++) {
			struct v2_stream *s = calloc(1, sizeof(*s));

			stream_init(s, idtab_at(&gen.threads, i));
			while (stream_next(s, &from) > 0)
				;
			stream_free(s);
		}
		must(!fault.set, fault.rule);
	} while (status == GEN_READ);
	generation_free(&gen);
	source_close(&source);
}

static void write_anything(struct tape t)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct gotap_writer *w = begin(&t, fd);
	struct gotap_error err;
	uint64_t time = 1;
	size_t n;
	void *data;

	while (w && t.p < t.end)
		call(w, &t, &time);
	if (w && !gotap_writer_close(w, &err)) {
		data = bytes_of(fd, &n);
		must_be_sound(data, n);
		munmap(data, n);
	}
	close(fd);
}

/* --- writer: a program with three threads, which have P 0 to 2 and G 1 to 3 --- */

enum { THREADS = 3 };

struct program {
	struct gotap_writer *w;
	uint64_t time, born;	/* goroutines there are */
	uint64_t string, stack;	/* last ids */
	uint64_t seq[THREADS], depth[THREADS];
	bool blocked[THREADS];
};

static void emit(struct program *p, uint64_t m, unsigned int kind, const uint64_t *args)
{
	must(!gotap_write(p->w, m, p->time++, kind, (unsigned int)gotap_kind_nargs(kind), args),
	     gotap_writer_error(p->w)->text);
}

#define EMIT(p, m, kind, ...) emit(p, m, kind, (const uint64_t[GOTAP_MAX_ARGS]){ __VA_ARGS__ })

static void new_generation(struct program *p)
{
	static const struct gotap_frame frame = { 0, 7, { "main.main", 9 }, { "/main.go", 8 } };
	uint64_t m;

	must(!gotap_generation(p->w, NULL), "a generation begins");
	p->string = (uint64_t)gotap_write_string(p->w, "text", 4);
	p->stack = (uint64_t)gotap_write_stack(p->w, &frame, sizeof(frame), 1);
	for (m = 0; m < THREADS; m++) {
		p->seq[m] = 0;
		EMIT(p, m, GOTAP_PROC_STATUS, m, GOTAP_STATUS_PROC_RUNNING);
		EMIT(p, m, GOTAP_GO_STATUS, m + 1, m,
		     p->blocked[m] ? GOTAP_STATUS_GO_WAITING : GOTAP_STATUS_GO_RUNNING);
	}
}

static void block_or_go_on(struct program *p, uint64_t m)
{
	if (!p->blocked[m]) {
		EMIT(p, m, GOTAP_GO_BLOCK, p->string, p->stack);
	} else {
		EMIT(p, GOTAP_NONE, GOTAP_GO_UNBLOCK, m + 1, ++p->seq[m], p->stack);
		EMIT(p, m, GOTAP_GO_START, m + 1, ++p->seq[m]);
	}
	p->blocked[m] = !p->blocked[m];
}

/* What the goroutine of thread @m can do while it runs. */
static void act(struct program *p, uint64_t m, unsigned int what)
{
	switch (what) {
	case 0:
		EMIT(p, m, GOTAP_GO_CREATE, THREADS + ++p->born, p->stack, p->stack);
		break;
	case 1:
		EMIT(p, m, GOTAP_GO_LABEL, p->string);
		break;
	case 2:
		EMIT(p, m, GOTAP_USER_LOG, 0, p->string, p->string, p->stack);
		break;
	case 3:
		EMIT(p, m, GOTAP_USER_REGION_BEGIN, 0, p->string, p->stack);
		p->depth[m]++;
		break;
	case 4:
		if (!p->depth[m])
			break;
		EMIT(p, m, GOTAP_USER_REGION_END, 0, p->string, p->stack);
		p->depth[m]--;
		break;
	case 5:
		EMIT(p, m, GOTAP_HEAP_ALLOC, p->time);
		break;
	case 6:
		EMIT(p, m, GOTAP_PROCS_CHANGE, THREADS, p->stack);
		break;
	}
}

static void step(struct program *p, struct tape *t)
{
	uint64_t m = byte(t) % THREADS;
	unsigned int what = byte(t) % 16;

	p->time += byte(t);
	if (what == 15)
		new_generation(p);
	else if (what == 13)
		gotap_write_data(p->w, m, p->time, GOTAP_ALLOC_FREE, "data", 4);
	else if (what == 14)
		must(!gotap_write_sample(p->w, m, p->time, m, m + 1, p->stack), "a sample");
	else if (what > 9)
		block_or_go_on(p, m);
	else if (!p->blocked[m])
		act(p, m, what);
}

static void must_pass(const void *data, size_t n)
{
	struct check_result result;
	struct buf report = {0};

	check_memory(data, n, false, &result);
	if (result.kind == CHECK_OK)
		return;
	check_report_text(&report, "written", &result);
	buf_add_byte(&report, 0);
	must(false, (const char *)report.data);
}

static void write_by_the_rules(struct tape t)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct program p = { .w = begin(&t, fd), .time = 1 };
	struct gotap_error err;
	size_t n;
	void *data;

	if (p.w) {
		new_generation(&p);
		while (t.p < t.end)
			step(&p, &t);
		must(!gotap_writer_close(p.w, &err), err.text);
		data = bytes_of(fd, &n);
		must_pass(data, n);
		munmap(data, n);
	}
	close(fd);
}

/* --- rewriting --- */

static void rewrite_bytes(struct tape t)
{
	static const int versions[] = { 0, 22, 23, 25, 26, 8, 11, 19, 21, 4 };
	uint64_t goroutines[2] = { byte(&t), 1 };
	struct gotap_rewrite_options o = {
		.size = sizeof(o), .version = versions[byte(&t) % 10], .strip_stacks = byte(&t) & 1,
		.from = byte(&t) & 1 ? byte(&t) * 16 : 0, .goroutines = goroutines,
		.ngoroutines = byte(&t) & 1 ? 2 : 0,
	};
	struct gotap_input in = { .size = sizeof(in), .read = feed, .ctx = &t };
	struct gotap_rewrite_result result;
	struct gotap_error err;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	size_t n;
	void *data;

	if (!o.ngoroutines)
		o.goroutines = NULL;
	if (gotap_rewrite(&in, fd, &o, &result, sizeof(result), &err)) {
		must(err.code < 0 && err.text[0], "a failure has a reason");
		close(fd);
		return;
	}
	must(!result.faults == !result.fault[0], "damage has a reason");
	data = bytes_of(fd, &n);
	if (!o.version || o.version >= 22)
		must(read_bytes(FROM_MEMORY, data, n) >= result.events, "what was written is read");
	munmap(data, n);
	close(fd);
}

/* --- verdict and text --- */

static void judge(const uint8_t *data, size_t size)
{
	struct gotap_input in = { .size = sizeof(in), .data = size ? (const void *)data : "", .len = size };
	struct gotap_check_result result;
	struct gotap_error err;

	must(!gotap_check(&in, data && size & 1, &result, sizeof(result), &err), "memory has a verdict");
	must(gotap_check_verdict_name(result.verdict) != NULL, "a verdict has a name");
	must((result.verdict == GOTAP_CHECK_OK) == !result.rule[0], "a fault has a rule");
}

/* The text of @in, or what it is the text of; NULL if it is none. To be unmapped. */
static void *converted(bool to_text, const void *from, size_t size, size_t *n)
{
	struct gotap_input in = { .size = sizeof(in), .data = size ? from : "", .len = size };
	struct gotap_error err;
	int fd = memfd_create("fuzz", MFD_CLOEXEC), ret;
	void *data = NULL;

	ret = to_text ? gotap_raw_to_text(&in, fd, NULL, &err) : gotap_raw_from_text(&in, fd, &err);
	must(!ret || (err.code == ret && err.text[0]), "a failure has a reason");
	if (!ret)
		data = bytes_of(fd, n);
	close(fd);
	return data;
}

static void there_and_back(const uint8_t *data, size_t size)
{
	size_t n, nfile, nagain;
	void *text = converted(true, data, size, &n), *file, *again;

	if (!text)
		return;
	file = converted(false, text, n, &nfile);
	must(file != NULL, "a text is one of a file");
	again = converted(true, file, nfile, &nagain);
	must(again && n == nagain && !memcmp(text, again, n), "the file has that text");
	munmap(text, n);
	munmap(file, nfile);
	munmap(again, nagain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tape t = { data + 1, data + size };

	if (!size)
		return 0;
	switch (data[0] % 5) {
	case 0:
		read_bytes(data[0] / 5 % 3, data + 1, size - 1);
		break;
	case 1:
		write_anything(t);
		break;
	case 2:
		write_by_the_rules(t);
		break;
	case 3:
		rewrite_bytes(t);
		break;
	default:
		judge(data + 1, size - 1);
		there_and_back(data + 1, size - 1);
	}
	return 0;
}
