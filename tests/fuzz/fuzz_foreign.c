// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_foreign: bytes as records of code in the target (--attach inline), as the program could have
 * written them: through the door that checks them, capture/texts, the merge and the model. The
 * trace that comes out must keep all rules of `gotap check`.
 *
 * The input begins with two bytes: the Go release, and the unit of the times between records, so
 * that generations end. Bit 7 of a record's kind byte in the input says that the fuzzer makes the
 * record's other words plausible, so that records meet each other.
 */
#define _GNU_SOURCE
#include "assembly.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "capture/texts.h"
#include "rings/foreign.h"
#include "stream/chunk.h"

enum {
	HEAD = 2, PLAUSIBLE = 0x80, BUSY_AGAIN = 0x80, G_AT = 0x100000, P_AT = 0x1000, BEGIN_NS = 100000,
	THREADS = 6, UNITS = 24,
};

static struct process *self(void)
{
	static struct process proc = PROCESS_CLOSED;

	if (!proc.pid) {
		proc.exe_file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
		process_file_path(proc.exe_file, proc.module);
		proc.pid = getpid();
		proc.fs = (struct procfs){ .dir = "/proc", .own = true };
	}
	return &proc;
}

/* Few threads, goroutines and Ps, and words that the door accepts. */
static void make_plausible(struct rec *r, size_t avail)
{
	uint8_t id = (uint8_t)r->id & 15;
	bool of_p = rec_is_of_p(r->kind);

	r->tid %= THREADS;
	r->flags = 0;
	r->id = of_p ? id & 7 : id;
	r->ptr = of_p ? P_AT + (r->id & 7) * 8 : G_AT + r->id * 8;
	if (rec_head_size(r->kind) > sizeof(*r) && avail >= sizeof(struct rec_long) &&
	    rec_layout(r->kind) == REC_LAYOUT_rec_long) {
		((struct rec_long *)r)->stack &= 15;
		((struct rec_long *)r)->arg = r->kind == REC_SYS_EXIT ? P_AT + id * 8 : 0;
	}
}

/* Moves those that may pass to the front, 1 << @unit ns apart. Returns their bytes. */
static size_t pass(struct foreign *door, uint8_t *data, size_t len, int unit)
{
	uint64_t now = BEGIN_NS;
	size_t at, to = 0, n;
	bool sound;

	for (at = 0; at < len; at += n) {
		struct rec *r = (struct rec *)(data + at);

		if (len - at >= sizeof(*r) && r->kind & PLAUSIBLE) {
			bool busy = r->sub & BUSY_AGAIN;

			r->kind &= (uint8_t)~PLAUSIBLE;
			make_plausible(r, len - at);
			r->kind |= busy ? REC_BUSY : 0;
		}
		n = foreign_take(door, r, len - at, &sound);
		if (!n)
			break;
		if (!sound)
			continue;
		must(r->kind < REC_BUSY, "a kind that no table has");
		r->time = now += (r->time & 0xff) << unit;
		memmove(data + to, r, n);
		to += n;
	}
	return to;
}

static void fill_texts(struct chunk *c, size_t end)
{
	static const uint64_t missing = UINT64_MAX;
	struct texts t;

	texts_init(&t, self(), 0, &missing);
	texts_fill(&t, c, end, BEGIN_NS);
	texts_free(&t);
}

/* Records of user space: texts that could not be read, and the end of a snapshot of nothing. */
static void add_user_records(struct chunk *c)
{
	struct rec end = { .kind = REC_SNAP_END, .time = BEGIN_NS };
	size_t foreign = c->data.len, at = chunk_segment_begin(c, CHUNK_USER_CPU);

	buf_add(&c->data, &end, sizeof(end));
	fill_texts(c, foreign);
	chunk_segment_end(c, at);
}

/* In storage that ends with the last byte, so that a sanitizer sees one that is read too many. */
static void make_chunk(struct chunk *c, struct foreign *door, const uint8_t *data, size_t n,
		       int unit)
{
	size_t at;

	*c = (struct chunk){ .watermark = UINT64_MAX, .wall_ns = 1700000000000000000 };
	c->data.cap = n + sizeof(struct segment);
	c->data.data = malloc(c->data.cap);
	at = chunk_segment_begin(c, 0x8000);
	memcpy(c->data.data + at, data, n);
	c->data.len = at + pass(door, c->data.data + at, n, unit);
	chunk_segment_end(c, at);
	add_user_records(c);
}

static bool is_taken(const struct check_result *result)
{
	return result->kind == CHECK_OK;
}

static void assemble(const struct chunk *c, int minor)
{
	struct assembly a;
	struct error err = {0};

	assembly_begin(&a, &(struct assembler_opts){ .version = 25, .has_goids = true,
						   .most_goroutines = 12 }, minor);
	must(!assembler_chunk(a.assembler, c, &err), err.text);
	assembly_end(&a, is_taken);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct foreign door;
	struct chunk c;

	if (size <= HEAD)
		return 0;
	foreign_init(&door, self(), data[0] % 7 > 2);
	foreign_round(&door, 1000000000);
	make_chunk(&c, &door, data + HEAD, (size - HEAD) & ~7UL, data[1] % UNITS);
	assemble(&c, 21 + data[0] % 7);
	chunk_free(&c);
	foreign_free(&door);
	return 0;
}
