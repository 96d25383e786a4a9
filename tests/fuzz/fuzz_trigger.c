// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_trigger: triggers of any text over records of any kind in any order.
 *
 * The input is one trigger a line, up to an empty line, and then records, eight bytes each, of few goroutines and
 * threads. A text must be refused with one line, or give the same rule when the text of its rule is parsed again. A
 * fact must be of one of the rules, and not later than the last record (but events of one time are a unit apart). The
 * trace must be the same as that of a second assembler without triggers.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/vec.h"
#include "assemble/assembler.h"
#include "trigger/trigger.h"

enum { RULES = 8, STEP = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const uint8_t kinds[] = {
#define KIND(number, ...) number,
#include "record.def"
#undef KIND
};

static uint64_t now;

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* --- rules --- */

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool take_rule(struct trigger_rule *ret, const char *text)
{
	struct trigger_rule again;
	struct error err = {0};

	if (trigger_parse(ret, text, &err)) {
		require(err.code < 0 && *err.text);
		return false;
	}
	require(!trigger_parse(&again, ret->text, &err));
	require(again.kind == ret->kind && again.limit == ret->limit && same(again.name, ret->name) &&
		same(again.reason, ret->reason) && same(again.func, ret->func));
	trigger_rule_free(&again);
	/*
	 * A long pattern can take exponential time. It is no attack, as the user of gotap writes it: here such ones are
	 * left out.
	 */
	if (ret->kind == TRIGGER_LOG && strlen(ret->text) > 40) {
		trigger_rule_free(ret);
		return false;
	}
	return true;
}

/* Returns where the records begin. */
static size_t take_rules(struct trigger_rule *rules, size_t *n_rules, const uint8_t *data, size_t n)
{
	size_t at = 0, len;
	const uint8_t *end;
	char *line;

	for (*n_rules = 0; at < n && *n_rules < RULES; at += len + 1) {
		end = memchr(data + at, '\n', n - at);
		len = end ? (size_t)(end - data) - at : n - at;
		if (!len)
			return at + 1;
		line = strndup((const char *)data + at, len);
		*n_rules += take_rule(&rules[*n_rules], line);
		free(line);
	}
	return at < n ? at : n;
}

static uint64_t on_fact(void *ctx, const struct flight_fact *fact)
{
	const struct trigger_rule *rules = ctx;
	size_t i;

	for (i = 0; i < RULES; i++)
		if (rules[i].text == fact->trigger)
			break;
	require(i < RULES && fact->time <= now + (1 << 24) && memchr(fact->what, 0, sizeof(fact->what)) &&
		memchr(fact->stack, 0, sizeof(fact->stack)));
	return 1;
}

/* --- records --- */

static void add_tail(struct buf *out, const struct rec *r, const uint8_t *d)
{
	static const char text[24] = "loadload";
	struct rec_user user = { .r = *r, .stack = d[3] & 15, .arg = d[5] & 7, .len = { 4, (uint16_t)(d[5] & 4) }, .room = sizeof(text) };
	struct rec_stack table = { .r = *r, .n = 1, .room = 1 };
	uint64_t words[4] = { d[3] & 15, (uint64_t)d[5] << (d[6] & 31) }, pc = 0x401000 + r->id;

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

/* The eight bytes: kind, thread and id, sub, stack, time, argument, its shift and the unit of the time, flags. */
static void add_record(struct buf *out, const uint8_t *d)
{
	struct rec r = { .kind = kinds[d[0] % sizeof(kinds)], .tid = 1 + (d[1] & 7), .id = d[1] >> 4, .sub = d[2] };

	r.ptr = rec_is_of_p(r.kind) ? 0x1000 + (r.id &= 7) * 8 : 0x100000 + r.id * 8;
	if (d[7] & 1)
		r.flags = d[5];
	if ((d[7] & 2) && r.kind == REC_SNAP_G)
		r.tid = 0;
	now += (uint64_t)d[4] << (d[6] >> 5) * 4;
	r.time = now;
	add_tail(out, &r, d);
}

/* Gives the assembler chunks of 16 records each. The watermark of a chunk is the time of its last record. */
static void feed(struct assembler *a, const uint8_t *data, size_t n)
{
	struct chunk c = { .wall_ns = 1700000000000000000 };
	struct rec begin = { .kind = REC_SNAP_END, .time = 1000 };
	struct error err;
	size_t at = 0, segment;
	int i;

	now = 1000;
	do {
		chunk_reset(&c);
		segment = chunk_segment_begin(&c, 0);
		if (!at)
			add_tail(&c.data, &begin, (const uint8_t[8]){0});
		for (i = 0; i < 16 && at + STEP <= n; i++, at += STEP)
			add_record(&c.data, data + at);
		chunk_segment_end(&c, segment);
		c.watermark = c.mono_ns = now;
		assembler_chunk(a, &c, &err);
	} while (at + STEP <= n);
	chunk_free(&c);
}

/* The trace of the records, in a file of memory. */
static int assemble(const struct capture_info *info, struct triggers *triggers, const uint8_t *data, size_t n)
{
	struct assembler_opts opts = { .version = 25, .info = info };
	struct assembler *a;
	struct error err;
	int fd = memfd_create("trace", MFD_CLOEXEC);

	if (triggers)
		triggers_observe(triggers, &opts.observers);
	require(!assembler_new(&a, fd, &opts, &err));
	if (triggers) {
		triggers_threads(triggers, assembler_threads(a));
		triggers_losses(triggers, &assembler_counts(a)->lost);
	}
	feed(a, data, n);
	assembler_finish(a, &err);
	if (triggers) {
		triggers_finish(triggers);
		/* as gotap calls it: before the assembler and its stacks are freed */
		triggers_ended(triggers, &(struct trigger_end){ .time = now, .known = n & 1, .status = (int)n & 0xffff });
	}
	assembler_free(a);
	return fd;
}

static void require_same(int a, int b)
{
	off_t n = lseek(a, 0, SEEK_END);
	void *x, *y;

	require(lseek(b, 0, SEEK_END) == n);
	if (!n)
		return;
	x = mmap(NULL, (size_t)n, PROT_READ, MAP_PRIVATE, a, 0);
	y = mmap(NULL, (size_t)n, PROT_READ, MAP_PRIVATE, b, 0);
	require(!memcmp(x, y, (size_t)n));
	munmap(x, (size_t)n);
	munmap(y, (size_t)n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct trigger_rule rules[RULES] = {0};
	struct capture_info *info = calloc(1, sizeof(*info));
	struct triggers *triggers;
	size_t n_rules, i, at = take_rules(rules, &n_rules, data, n);
	int with, without;

	info->go_minor = 27;
	info->stack_depth = 127;
	triggers = triggers_new(&(struct triggers_opts){ .rules = rules, .n = n_rules, .fire = on_fact, .ctx = rules });
	with = assemble(info, triggers, data + at, n - at);
	without = assemble(info, NULL, data + at, n - at);
	require_same(with, without);
	close(with);
	close(without);
	triggers_free(triggers);
	for (i = 0; i < n_rules; i++)
		trigger_rule_free(&rules[i]);
	free(info);
	return 0;
}
