// SPDX-License-Identifier: Apache-2.0
/* foreign: which records of code in the target pass, and which do not. */
#define _GNU_SOURCE
#include "unit.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "op_kind.h"
#include "rings/foreign.h"

static struct process proc = PROCESS_CLOSED;
static struct foreign door;
static uint64_t now;
static union {
	struct rec r;
	struct rec_long l;
	struct rec_stack s;
	struct rec_user u;
	uint8_t bytes[8192];
} rec;

static void begin(void)
{
	foreign_init(&door, &proc, true);
	now = 1000000000;
	foreign_round(&door, now);
}

static void end(void)
{
	foreign_free(&door);
}

static void make(uint8_t kind)
{
	memset(&rec, 0, sizeof(rec));
	rec.r.kind = kind;
	rec.r.tid = (uint32_t)gettid();
	if (rec_layout(kind) == REC_LAYOUT_rec_user)
		rec.u.room = 128;
	if (kind == REC_STACK || kind == REC_GO_CREATE || kind == REC_GO_CREATE_BLOCKED)
		rec.r.id = 1;
}

/* 0, or 1 + the fault that it was counted as. */
static int fault(void)
{
	uint64_t before[FOREIGN_FAULTS];
	bool sound;
	int i;

	memcpy(before, door.refused, sizeof(before));
	foreign_take(&door, &rec.r, sizeof(rec), &sound);
	for (i = 0; i < FOREIGN_FAULTS && before[i] == door.refused[i]; i++)
		;
	CHECK(sound == (i == FOREIGN_FAULTS));
	return sound ? 0 : 1 + i;
}

/*
 * The programs of inline.def send these, and no labels, objects, samples or words about the
 * recording.
 */
static void kinds(void)
{
	static const uint8_t sent[] = {
		REC_GO_START, REC_GO_CREATE, REC_SYS_EXIT, REC_P_STEAL, REC_HEAP_GOAL,
		REC_USER_LOG, REC_STACK, REC_HTTP_ROUTE,
	};
	static const uint8_t others[] = {
		REC_USER_LABELS, REC_PROGRAM_DIES, REC_OBJECT_TYPE, REC_CPU_LEAF, REC_SWEEP_SPAN,
		REC_SPAN_ALLOC, REC_SNAP_END, REC_LOST, REC_CAPTURE_END, REC_THREAD_OFF, REC_GOID,
		REC_OP_BEGIN,
	};
	size_t i;

	begin();
	for (i = 0; i < sizeof(sent); i++) {
		make(sent[i]);
		CHECK_EQ(fault(), 0);
	}
	for (i = 0; i < sizeof(others); i++) {
		make(others[i]);
		CHECK_EQ(fault(), 1 + FOREIGN_KIND);
	}
	CHECK_EQ(foreign_refused(&door), sizeof(others));
	end();
}

/*
 * A program can set the bit between gotap's look at the ring and the copy: no table has such a
 * kind.
 */
static void busy_kinds(void)
{
	unsigned int kind;

	begin();
	make(REC_GO_START);	/* from now on the thread is one of the recent ones */
	CHECK_EQ(fault(), 0);
	for (kind = REC_BUSY; kind < 256; kind++) {
		make((uint8_t)kind);
		rec.r.id = 1;
		CHECK(fault());
	}
	end();
}

static void a_record_that_is_cut(void)
{
	bool sound = true;

	begin();
	make(REC_GO_PARK);
	CHECK_EQ(foreign_take(&door, &rec.r, sizeof(rec.l) - 8, &sound), 0);
	CHECK(!sound);
	make(REC_STACK);
	rec.s.room = REC_MAX_FRAMES + 1;
	CHECK_EQ(fault(), 1 + FOREIGN_SIZE);
	make(REC_STACK);
	rec.s.n = 1;
	CHECK_EQ(fault(), 1 + FOREIGN_SIZE);
	end();
}

static const struct value {
	const char *name;
	uint8_t kind, sub;
	uint16_t flags;
	uint64_t id, ptr, stack, arg;
	bool sound;
} values[] = {
	{ "a_goroutine", REC_GO_PARK, 255, 0, 77, 0xc000000100, 1, 0, true },
	{ "a_goid_too_high", REC_GO_PARK, 0, 0, 1ULL << 48, 0xc000000100, 1, 0, false },
	{ "a_goid_that_is_left_out", REC_GO_START, 0, 0, REC_ID_TOLD, 0xc000000100, 0, 0, false },
	{ "a_g_between_objects", REC_GO_START, 0, 0, 77, 0xc000000101, 0, 0, false },
	{ "a_g_of_the_kernel", REC_GO_START, 0, 0, 77, 0xffff888000000000, 0, 0, false },
	{ "flags_where_there_are_none", REC_GO_START, 0, 1, 77, 0xc000000100, 0, 0, false },
	{ "a_stop_of_no_kind", REC_GO_STOP, 3, 0, 77, 0xc000000100, 0, 0, false },
	{ "a_key_of_one_function", REC_GO_READY, 0, 0, 77, 0xc000000100, 1ULL << 63, 0, false },
	{ "a_word_where_there_is_none", REC_GO_READY, 0, 0, 77, 0xc000000100, 1, 1, false },
	{ "channels_of_a_select", REC_GO_SELECT, 4, 0, 0, 0xc000000100, UINT64_MAX, 7, true },
	{ "channels_too_many", REC_GO_SELECT, 5, 0, 0, 0xc000000100, 6, 7, false },
	{ "a_select_with_a_goid", REC_GO_SELECT, 1, 0, 1, 0xc000000100, 6, 7, false },
	{ "an_object", REC_GO_PARK, 14, 0, 77, 0xc000000100, 1, UINT64_MAX, true },
	{ "a_p", REC_P_START, 1, 0, 8191, 0xc000020000, 0, 0, true },
	{ "a_p_too_many", REC_P_START, 1, 0, 8192, 0xc000020000, 0, 0, false },
	{ "ps_too_many", REC_PROCS, 0, 0, 8193, 0, 0, 0, false },
	{ "a_collector_that_is_off", REC_HEAP_GOAL, 0, 0, 0, 0, 0, UINT64_MAX, true },
};

static void run_value(const void *row)
{
	const struct value *v = row;

	begin();
	make(v->kind);
	rec.r.sub = v->sub;
	rec.r.flags = v->flags;
	rec.r.id = v->id;
	rec.r.ptr = v->ptr;
	rec.l.stack = v->stack;
	rec.l.arg = v->arg;
	CHECK_EQ(fault(), v->sound ? 0 : 1 + FOREIGN_VALUE);
	end();
}

static void texts(void)
{
	begin();
	make(REC_USER_LOG);
	rec.u.len[0] = rec.u.len[1] = 64;
	rec.r.sub = REC_MISSING_FIRST | REC_MISSING_SECOND;
	CHECK_EQ(fault(), 0);
	rec.u.len[1] = 65;
	CHECK_EQ(fault(), 1 + FOREIGN_SIZE);
	rec.u.len[1] = 64;
	rec.u.room = 136;
	CHECK_EQ(fault(), 1 + FOREIGN_TEXT);
	make(REC_USER_REGION_BEGIN);
	rec.u.len[0] = 64;
	CHECK_EQ(fault(), 0);
	rec.u.len[1] = 1;
	CHECK_EQ(fault(), 1 + FOREIGN_TEXT);
	rec.u.len[1] = 0;
	rec.r.sub = REC_MISSING_SECOND;
	CHECK_EQ(fault(), 1 + FOREIGN_TEXT);
	make(REC_USER_TASK_END);
	rec.u.len[0] = 1;
	CHECK_EQ(fault(), 1 + FOREIGN_TEXT);
	end();
}

/* Code in the target ends served calls of gRPC, and no other operation. */
static void ends_of_calls(void)
{
	static const uint16_t others[] = {
		OP_NONE, OP_HTTP_SERVED, OP_SQL_QUERY, OP_KINDS,
		OP_GRPC_SERVED | 1 << OP_FLAGS_SHIFT,
	};
	uint64_t *const words[] = { &rec.r.id, &rec.r.ptr, &rec.l.stack, &rec.l.arg };
	size_t i;

	begin();
	make(REC_OP_END);
	rec.r.flags = OP_GRPC_SERVED;
	CHECK_EQ(fault(), 0);
	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		*words[i] = 8;
		CHECK_EQ(fault(), 1 + FOREIGN_VALUE);
		*words[i] = 0;
	}
	for (i = 0; i < sizeof(others) / sizeof(*others); i++) {
		rec.r.flags = others[i];
		CHECK_EQ(fault(), 1 + FOREIGN_VALUE);
	}
	end();
}

/*
 * Nobody can have seen a thread that has ended by now. So many of them pass, in each second anew.
 */
static void threads_that_are_not_there(void)
{
	uint32_t i, passed = 0;

	begin();
	for (i = 0; i < 3 * FOREIGN_UNSEEN; i++) {
		make(REC_GO_START);
		rec.r.tid = FOREIGN_TIDS - 1 - i;
		passed += !fault();
	}
	CHECK_EQ(passed, FOREIGN_UNSEEN);
	CHECK_EQ(door.threads.unseen, FOREIGN_UNSEEN);
	CHECK_EQ(door.refused[FOREIGN_THREAD], 2 * FOREIGN_UNSEEN);
	make(REC_P_STEAL);
	rec.l.arg = 1 << 21;
	CHECK_EQ(fault(), 1 + FOREIGN_THREAD);
	make(REC_GO_START);
	rec.r.tid = FOREIGN_TIDS;
	CHECK_EQ(fault(), 1 + FOREIGN_THREAD);
	now += 1000000000;
	foreign_round(&door, now);
	rec.r.tid = 1 << 21;
	CHECK_EQ(fault(), 0);
	end();
}

/* /proc is asked for so many ids in a round: a thread that is there has to wait for the next one. */
static void ids_that_are_too_many_for_a_round(void)
{
	uint32_t i, refused = 0;

	begin();
	for (i = 0; i < 5000; i++) {
		make(REC_GO_START);
		rec.r.tid = FOREIGN_TIDS - 1 - i;
		refused += fault() != 0;
	}
	CHECK_EQ(refused, 5000 - FOREIGN_UNSEEN);
	make(REC_GO_START);
	CHECK_EQ(fault(), 1 + FOREIGN_THREAD);
	foreign_round(&door, ++now);
	CHECK_EQ(fault(), 0);
	end();
}

/* In a second, and of all frames; keys of records count as their stacks. */
static void stacks_that_are_too_many(void)
{
	uint64_t key;

	begin();
	for (key = 1; key <= FOREIGN_STACKS_NEW; key++) {
		make(REC_GO_READY);
		rec.l.stack = key;
		CHECK_EQ(fault(), 0);
		CHECK_EQ(rec.l.stack, key);
	}
	rec.l.stack = key;
	CHECK_EQ(fault(), 0);
	CHECK_EQ(rec.l.stack, 0);	/* the event is true, as far as anybody knows */
	CHECK_EQ(door.stacks.refused, 1);
	make(REC_STACK);
	rec.r.id = key;
	CHECK_EQ(fault(), 1 + FOREIGN_STACK);
	make(REC_STACK);
	rec.r.id = 1;			/* known */
	CHECK_EQ(fault(), 0);
	now += 1000000000;
	foreign_round(&door, now);
	rec.r.id = key;
	CHECK_EQ(fault(), 0);
	end();
}

/* However many seconds they take. */
static void stacks_that_are_too_many_in_all(void)
{
	uint64_t key;

	begin();
	for (key = 1; key <= FOREIGN_STACKS; key++) {
		if (key % FOREIGN_STACKS_NEW == 0)
			foreign_round(&door, now += 1000000000);
		make(REC_GO_READY);
		rec.l.stack = key;
		CHECK_EQ(fault(), 0);
	}
	CHECK_EQ(door.stacks.refused, 0);
	foreign_round(&door, now += 1000000000);
	make(REC_GO_READY);
	rec.l.stack = key;
	CHECK_EQ(fault(), 0);
	CHECK_EQ(rec.l.stack, 0);
	CHECK_EQ(door.stacks.refused, 1);
	rec.l.stack = 1;
	CHECK_EQ(fault(), 0);
	CHECK_EQ(rec.l.stack, 1);	/* known */
	end();
}

/* A creation without a goid would make all later records wait for it. */
static void creations_without_a_goid(void)
{
	static const uint8_t of[] = { REC_GO_CREATE, REC_GO_CREATE_BLOCKED };
	size_t i;

	begin();
	for (i = 0; i < sizeof(of); i++) {
		make(of[i]);
		rec.r.id = 0;
		CHECK_EQ(fault(), 1 + FOREIGN_VALUE);
		rec.r.id = 1;
		CHECK_EQ(fault(), 0);
	}
	end();
	/* up to Go 1.23 one in 16 has none */
	foreign_init(&door, &proc, false);
	foreign_round(&door, now);
	make(REC_GO_CREATE);
	rec.r.id = 0;
	CHECK_EQ(fault(), 0);
	end();
}

static void frames_that_are_too_many(void)
{
	uint64_t key, passed = 0;

	begin();
	for (key = 1; key < 2 * FOREIGN_FRAMES / REC_MAX_FRAMES; key++) {
		make(REC_STACK);
		rec.r.id = key;
		rec.s.n = rec.s.room = REC_MAX_FRAMES;
		now += 1000000;
		foreign_round(&door, now);
		passed += !fault();
	}
	CHECK_EQ(passed, FOREIGN_FRAMES / REC_MAX_FRAMES);
	CHECK(door.refused[FOREIGN_STACK] > 0);
	end();
}

static uint32_t tid_of_thread;

static void *run_thread(void *arg)
{
	bool sound;

	tid_of_thread = (uint32_t)gettid();
	make(REC_GO_START);
	foreign_take(&door, &rec.r, sizeof(rec), &sound);
	CHECK(sound);
	return NULL;
}

/* It was there in this second or in the one before: it is no guess that it was. */
static void a_thread_that_has_ended(void)
{
	pthread_t thread;

	begin();
	CHECK(!pthread_create(&thread, NULL, run_thread, NULL));
	pthread_join(thread, NULL);
	now += 1000000000;
	foreign_round(&door, now);
	make(REC_GO_START);
	rec.r.tid = tid_of_thread;
	CHECK_EQ(fault(), 0);
	CHECK_EQ(door.threads.unseen, 0);
	end();
}

/* A thread that exits has no id any more, but an event. */
static void a_thread_without_an_id(void)
{
	begin();
	make(REC_P_HANDOFF);
	rec.r.tid = 0;
	CHECK_EQ(fault(), 0);
	end();
}

int main(void)
{
	struct unit_case cases[32] = {
		UNIT(kinds),
		UNIT(busy_kinds),
		UNIT(a_record_that_is_cut),
		UNIT(texts),
		UNIT(ends_of_calls),
		UNIT(threads_that_are_not_there),
		UNIT(ids_that_are_too_many_for_a_round),
		UNIT(stacks_that_are_too_many),
		UNIT(stacks_that_are_too_many_in_all),
		UNIT(creations_without_a_goid),
		UNIT(frames_that_are_too_many),
		UNIT(a_thread_that_has_ended),
		UNIT(a_thread_without_an_id),
	};

	proc.pid = getpid();
	proc.fs = (struct procfs){ .dir = "/proc", .own = true };
	UNIT_ROWS(cases, values, run_value);
	return unit_main(cases);
}
