// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_raw: the functions of gotap/raw.h. The first byte of the input chooses one of two tests. In the first one the
 * input is a raw file: a copy of its events, copied once more, must not change a byte. In the second one the
 * raw writer gets any calls, and the raw reader must return the same events.
 */
#define _GNU_SOURCE
#include "calls.h"

#include "gotap/raw.h"

static struct gotap_raw_reader *raw_of(const void *data, size_t size)
{
	struct gotap_input in = { .size = sizeof(in), .data = data, .len = size };
	struct gotap_raw_reader *r;
	struct gotap_error err;

	if (!gotap_raw_open(&r, &in, &err))
		return r;
	must(err.code < 0 && err.text[0], "a failure has a reason");
	return NULL;
}

/* Writes all raw events of @data to a file, whose size must be the sum of gotap_raw_size(). */
static int copy_raw(const void *data, size_t size)
{
	struct gotap_raw_reader *r = raw_of(data, size);
	struct gotap_raw_writer *w;
	struct gotap_raw_event ev;
	struct gotap_error err;
	int64_t sum;
	int ret, fd;

	if (!r)
		return -1;
	sum = gotap_raw_version(r) == 4 ? 8 : 16;	/* the header */
	fd = memfd_create("copy", MFD_CLOEXEC);
	must(!gotap_raw_writer_new(&w, fd, gotap_raw_version(r), &err), "a header has a writer");
	while ((ret = gotap_raw_next(r, &ev, sizeof(ev))) > 0) {
		sum += gotap_raw_size(w, &ev, sizeof(ev));
		must(!gotap_raw_write(w, &ev, sizeof(ev)), gotap_raw_writer_error(w)->text);
	}
	must(!ret || gotap_raw_error(r)->text[0], "damage has a reason");
	gotap_raw_close(r);
	must(!gotap_raw_writer_close(w, &err), "a memory file takes all");
	must(lseek(fd, 0, SEEK_END) == sum, "sizes are as foretold");
	return fd;
}

/* The copy of a copy is the copy. */
static void copy_twice(const uint8_t *data, size_t size)
{
	int first = copy_raw(data, size), second;
	void *a, *b;
	size_t n, m;

	if (first < 0)
		return;
	a = bytes_of(first, &n);
	second = copy_raw(a, n);
	b = bytes_of(second, &m);
	must(n == m && !memcmp(a, b, n), "the same events are the same bytes");
	munmap(a, n);
	munmap(b, m);
	close(first);
	close(second);
}

enum { RAW_EVENTS = 64, RAW_FRAMES = 5 };

struct raw_story {
	int version;
	struct gotap_raw_event ev[RAW_EVENTS];
	struct gotap_raw_frame frames[RAW_EVENTS][RAW_FRAMES];
	size_t n;
};

/* A String before Go 1.22 has an id and a text, or no parser takes it. */
static bool is_no_string(const struct raw_story *story, const struct gotap_raw_event *ev)
{
	return story->version < 22 && ev->kind == 37 && (!ev->args[0] || !ev->len);
}

static void make_raw(const struct raw_story *story, struct tape *t, struct gotap_raw_event *ev,
		     struct gotap_raw_frame *frames)
{
	struct gotap_kind_spec spec = { 0 };
	uint32_t i;

	*ev = (struct gotap_raw_event){ .kind = byte(t), .ticks = number(t), .seq = number(t) };
	if (story->version < 22)
		ev->kind %= 64;
	gotap_raw_kind_spec(story->version, ev->kind, &spec, sizeof(spec));
	ev->nargs = byte(t) % 16 ? spec.nargs : byte(t) % GOTAP_MAX_ARGS;
	for (i = 0; i < ev->nargs; i++)
		ev->args[i] = number(t);
	ev->nframes = spec.has_frames ? ev->args[1] % (RAW_FRAMES + 1) : 0;
	for (i = 0; i < ev->nframes; i++)
		frames[i] = (struct gotap_raw_frame){ number(t), number(t), number(t), number(t) };
	ev->frames = frames;
	ev->data = t->p;
	ev->len = spec.has_data && t->p < t->end ? byte(t) % (size_t)(t->end - t->p + 1) : 0;
	ev->data = t->p;
}

static bool same_frames(const struct raw_story *story, const struct gotap_raw_event *a,
			const struct gotap_raw_event *b)
{
	size_t i;

	if (story->version >= 7)
		return !a->nframes || !memcmp(a->frames, b->frames, a->nframes * sizeof(*a->frames));
	for (i = 0; i < a->nframes; i++)
		if (a->frames[i].pc != b->frames[i].pc || b->frames[i].line)
			return false;
	return true;
}

static void must_be_same(const struct raw_story *story, const struct gotap_raw_event *a,
			 const struct gotap_raw_event *b)
{
	struct gotap_kind_spec spec;

	gotap_raw_kind_spec(story->version, a->kind, &spec, sizeof(spec));
	must(b->seq == (story->version == 5 && spec.has_time ? a->seq : 0), "the number is read again");
	must(a->kind == b->kind && a->nargs == b->nargs, "the kind is read again");
	must(!spec.has_time || a->ticks == b->ticks, "the ticks are read again");
	must(!memcmp(a->args, b->args, a->nargs * sizeof(a->args[0])), "the arguments are read again");
	must(a->nframes == b->nframes && same_frames(story, a, b), "the frames are read again");
	must(a->len == b->len && (!a->len || !memcmp(a->data, b->data, a->len)),
	     "the data are read again");
}

static void write_raw(struct tape t)
{
	static const int versions[] = { 22, 23, 25, 26, 4, 5, 7, 8, 9, 10, 11, 19, 21 };
	static struct raw_story story;
	int fd = memfd_create("raw", MFD_CLOEXEC);
	struct gotap_raw_writer *w;
	struct gotap_raw_reader *r;
	struct gotap_raw_event ev;
	size_t i, n;
	void *data;

	story.version = versions[byte(&t) % 13];
	must(!gotap_raw_writer_new(&w, fd, story.version, NULL), "there is a writer");
	for (story.n = 0; t.p < t.end && story.n < RAW_EVENTS;) {
		make_raw(&story, &t, &story.ev[story.n], story.frames[story.n]);
		if (is_no_string(&story, &story.ev[story.n]))
			continue;
		story.n += !gotap_raw_write(w, &story.ev[story.n], sizeof(ev));
	}
	must(!gotap_raw_writer_close(w, NULL), "a memory file takes all");
	data = bytes_of(fd, &n);
	r = raw_of(data, n);
	for (i = 0; i < story.n; i++) {
		must(gotap_raw_next(r, &ev, sizeof(ev)) == 1, gotap_raw_error(r)->text);
		must_be_same(&story, &story.ev[i], &ev);
	}
	must(!gotap_raw_next(r, &ev, sizeof(ev)), "nothing else is read");
	gotap_raw_close(r);
	munmap(data, n);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] % 2)
		write_raw((struct tape){ data + 1, data + size });
	else
		copy_twice(data + 1, size - 1);
	return 0;
}
