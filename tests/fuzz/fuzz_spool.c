// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_spool: records of any kind in any order through what stands behind
 * `gotap assemble`: whatever they say, the trace that comes out must keep all
 * rules of `gotap check`, which shares no code with the model that wrote it.
 *
 * The input begins with three bytes: header of the trace, Go release, form.
 * Either the rest is a spool file behind its head, damaged as it may be; or
 * it is a recipe, six bytes for each record, where few ids and plausible
 * pointers make records meet each other.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assembly.h"
#include "base/vec.h"

enum { HEAD = 3, STEP = 6, G_AT = 0x100000, P_AT = 0x1000 };

static const uint8_t kinds[] = {
#define KIND(number, ...) number,
#include "record.def"
#undef KIND
};

/* Bytes behind struct rec, other than a stack key and an argument. */
static void add_tail(struct buf *out, const struct rec *r, uint8_t stack, uint64_t arg)
{
	static const char text[128] = "text more";
	struct rec_user user = { .r = *r, .stack = stack, .arg = arg, .len = { 4, 5 },
				 .room = sizeof(text) };
	struct rec_stack table = { .r = *r, .n = 1, .room = 1 };
	uint64_t pc = 0x401000 + r->id;
	uint64_t words[4] = { stack, arg };	/* of the longest, REC_CPU_LEAF */

	if (r->kind == REC_STACK) {
		buf_add(out, &table, sizeof(table));
		buf_add(out, &pc, sizeof(pc));
	} else if (rec_layout(r->kind) == REC_LAYOUT_rec_user) {
		buf_add(out, &user, sizeof(user));
		buf_add(out, text, sizeof(text));
	} else {
		buf_add(out, r, sizeof(*r));
		buf_add(out, words, record_size(r, SIZE_MAX) - sizeof(*r));
	}
}

/* kind, thread and id, sub, pointer and stack, time, argument */
static void add_record(struct buf *out, const uint8_t *d, uint64_t *now)
{
	struct rec r = { .kind = kinds[d[0] % sizeof(kinds)], .sub = d[2] };
	uint64_t arg = d[5] & 7;

	r.tid = 1 + (d[1] & 7);
	r.id = d[1] >> 4;
	r.ptr = rec_is_of_p(r.kind) ? P_AT + (r.id & 7) * 8 : G_AT + r.id * 8;
	if (d[3] & 0x80)
		r.ptr = P_AT + (d[3] & 7) * 8;
	if (rec_is_of_p(r.kind))
		r.id &= 7;
	if (r.kind == REC_SYS_EXIT && arg)
		arg = P_AT + arg * 8;
	if (d[0] & 0x80)
		r.flags = d[5];
	/* kinds of operations, and flags of the kind */
	if (r.kind == REC_OP_BEGIN || r.kind == REC_OP_END || r.kind == REC_OP_STEP)
		r.flags = (uint16_t)((d[5] & 63) | (d[2] & 3) << 8);
	if ((d[0] & 0x40) && r.kind == REC_SNAP_G)
		r.tid = 0;
	*now += d[4] < 250 ? d[4] : 1100000000;
	r.time = *now;
	add_tail(out, &r, d[3] & 15, arg);
}

static void add_snapshot_end(struct buf *out, uint64_t now)
{
	struct rec r = { .kind = REC_SNAP_END, .time = now };

	add_tail(out, &r, 0, 0);
}

/* The byte after the head says how many records come before the trace begins. */
static void feed_recipe(struct assembler *a, const uint8_t *data, size_t n)
{
	struct chunk c = { .watermark = UINT64_MAX, .wall_ns = 1700000000000000000 };
	size_t at, i, before = n ? data[0] : 0, segment = chunk_segment_begin(&c, 0);
	uint64_t now = 1000;
	struct error err;

	for (i = 0, at = 1; at + STEP <= n; at += STEP, i++) {
		if (i == before)
			add_snapshot_end(&c.data, now);
		add_record(&c.data, data + at, &now);
	}
	if (i <= before)
		add_snapshot_end(&c.data, now);
	chunk_segment_end(&c, segment);
	assembler_chunk(a, &c, &err);
	chunk_free(&c);
}

static void feed_file(struct assembler *a, const uint8_t *data, size_t n)
{
	struct capture_info *info = calloc(1, sizeof(*info));
	struct spool_writer *w = NULL;
	struct spool_reader *in = NULL;
	struct chunk c = {0};
	struct error err;
	char path[32];
	int fd = memfd_create("spool", MFD_CLOEXEC);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (spool_create(&w, fd, path, info, &err))
		abort();
	spool_writer_free(w);
	if (write(fd, data, n) != (ssize_t)n || spool_open(&in, path, info, &err))
		abort();
	while (spool_read(in, &c, &err) > 0 && !assembler_chunk(a, &c, &err))
		;
	spool_close(in);
	chunk_free(&c);
	close(fd);
	free(info);
}

static bool is_harmless(const struct check_result *result)
{
	return result->kind == CHECK_OK && !result->warning[WARN_EMPTY_GENERATION].count &&
	       !result->warning[WARN_P_ON_TWO_THREADS].count &&
	       !result->warning[WARN_G_ON_TWO_THREADS].count &&
	       !result->warning[WARN_STW_ACROSS].count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const int versions[] = { 22, 23, 25, 26 };
	struct assembly a;

	if (n <= HEAD)
		return 0;
	assembly_begin(&a, &(struct assembler_opts){ .version = versions[data[0] % 4] },
		       21 + data[1] % 7);
	if (data[2] & 1)
		feed_file(a.assembler, data + HEAD, n - HEAD);
	else
		feed_recipe(a.assembler, data + HEAD, n - HEAD);
	assembly_end(&a, is_harmless);
	return 0;
}
