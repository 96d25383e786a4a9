// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_api: libgotap in the hands of a stranger. The first byte chooses one of
 * three: bytes are read as a trace; or they are calls of the writer, any calls,
 * and what it has taken must be sound in its frame, its tables and its ids; or
 * they are calls of a program that keeps to the rules of gotap/writer.h, and
 * what it has written must pass the check.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gotap/reader.h"
#include "gotap/writer.h"
#include "read/check_report.h"
#include "read/v2_generation.h"
#include "read/v2_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

/* --- bytes from which calls are made --- */

struct tape {
	const uint8_t *p, *end;
};

static uint8_t byte(struct tape *t)
{
	return t->p < t->end ? *t->p++ : 0;
}

/* Small numbers, and now and then one of any size. */
static uint64_t number(struct tape *t)
{
	uint64_t v = byte(t);

	if (v == 0xff)
		return GOTAP_NONE;
	if (v < 0xf0 || t->end - t->p < 8)
		return v;
	memcpy(&v, t->p, sizeof(v));
	t->p += sizeof(v);
	return v;
}

/* --- reader --- */

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
}

static void read_bytes(const uint8_t *data, size_t size)
{
	struct gotap_reader *r;
	struct gotap_event ev;
	struct gotap_error err;
	int ret;

	if (gotap_open_memory(&r, data, size, NULL, &err)) {
		must(err.code < 0 && err.text[0], "a failure has a reason");
		return;
	}
	while ((ret = gotap_next(r, &ev, sizeof(ev))) > 0)
		look_at(r, &ev);
	must(!ret || gotap_reader_error(r)->text[0], "damage has a reason");
	must(gotap_next(r, &ev, sizeof(ev)) == ret, "the end stays the end");
	gotap_close(r);
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

static void *bytes_of(int fd, size_t *n)
{
	void *data;

	*n = (size_t)lseek(fd, 0, SEEK_END);
	data = *n ? mmap(NULL, *n, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
	must(data != MAP_FAILED, "the file can be mapped");
	return data;
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tape t = { data + 1, data + size };

	if (!size)
		return 0;
	if (data[0] % 3 == 0)
		read_bytes(data + 1, size - 1);
	else if (data[0] % 3 == 1)
		write_anything(t);
	else
		write_by_the_rules(t);
	return 0;
}
