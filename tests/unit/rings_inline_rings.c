// SPDX-License-Identifier: Apache-2.0
/*
 * inline_rings: the rings in memory that the target writes. Records of code in the target come out
 * with times in ns; whatever else the target puts there is dropped, counted, and leads neither out
 * of the memory nor to an endless loop.
 */
#define _GNU_SOURCE
#include "unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "rings/inline_rings.h"

enum { SIZE = 4 * RING_CHUNK, CHUNK_UNITS = RING_CHUNK / RING_UNIT };

static struct process proc = PROCESS_CLOSED;
static struct ring_set set;
static struct inline_rings rings;
static struct chunk taken;
static struct buf out;		/* the records of @taken, without the heads of segments */
static uint8_t *target;		/* the memory as the target has it */

static void begin(void)
{
	struct error err;
	int fd = memfd_create("test", MFD_CLOEXEC);

	set = (struct ring_set){ .cpus = 1 };
	*(struct ring *)vec_push(&set.rings, sizeof(struct ring)) = ring_plan(&set.memory, 0, SIZE);
	inline_rings_plan(&rings, &set, &proc, true);
	CHECK(!ftruncate(fd, (off_t)rings.plan.size));
	target = mmap(NULL, rings.plan.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	*(struct inline_shared *)target = rings.plan;
	CHECK(!inline_rings_open(&rings, fd, &err));
	close(fd);
}

static void end(void)
{
	munmap(target, rings.plan.size);
	inline_rings_free(&rings);
	vec_free(&set.rings);
	buf_free(&taken.data);
	buf_free(&out);
}

static struct ring *ring(void)
{
	return vec_at(&set.rings, struct ring, 1);
}

static struct ring_state *state(void)
{
	return (struct ring_state *)(target + rings.plan.states);
}

static void put_position(uint32_t head, uint32_t tail)
{
	state()->position = (uint64_t)tail << 32 | head;
}

/* As code in the target writes it at unit @at. */
static struct rec_long *put(uint32_t at, uint8_t kind, uint64_t tsc)
{
	struct rec_long *l = (void *)(target + rings.plan.chunks + at * RING_UNIT);

	*l = (struct rec_long){ .r = { .time = tsc, .kind = kind, .id = 7 } };
	return l;
}

/* Moves the records of the chunk to out; returns how many bytes. */
static size_t take_records(void)
{
	struct segment s;
	size_t at;

	out.len = 0;
	for (at = 0; at < taken.data.len; at += sizeof(s) + s.len) {
		memcpy(&s, taken.data.data + at, sizeof(s));
		CHECK_EQ(s.cpu, INLINE_SEGMENTS);
		buf_add(&out, taken.data.data + at + sizeof(s), s.len);
	}
	taken.data.len = 0;
	return out.len;
}

/* One round of the drain. */
static size_t take(uint64_t floor)
{
	inline_rings_round(&rings);
	inline_rings_take(&rings, ring(), &taken, floor);
	return take_records();
}

static void times_become_ns(void)
{
	uint64_t before, after, tsc;

	begin();
	before = now_ns();
	tsc = __builtin_ia32_rdtsc();
	after = now_ns();
	put(0, REC_GO_PARK, tsc);
	put_position(0, sizeof(struct rec_long) / RING_UNIT);
	CHECK_EQ(take(0), sizeof(struct rec_long));
	/* a conversion is exact to some ns, and both clocks are read here in less than a second */
	CHECK(((struct rec *)out.data)->time >= before - 1000);
	CHECK(((struct rec *)out.data)->time <= after + 1000000);
	CHECK_EQ(((struct rec *)out.data)->id, 7);
	CHECK_EQ(ring_lost(ring()), 0);
	end();
}

/* The merge was promised that nothing comes from before the watermark, or from the future. */
static void forged_times_stay_in_the_round(void)
{
	const uint64_t forged[] = { 0, 1, UINT64_MAX, UINT64_MAX / 2 };
	const struct rec_long *l;
	uint64_t floor;
	size_t i;

	begin();
	floor = now_ns();
	for (i = 0; i < 4; i++)
		put((uint32_t)(6 * i), REC_GO_PARK, forged[i]);
	put_position(0, 24);
	CHECK_EQ(take(floor), 4 * sizeof(struct rec_long));
	for (l = (void *)out.data, i = 0; i < 4; i++)
		CHECK(l[i].r.time >= floor && l[i].r.time <= now_ns());
	end();
}

/*
 * Code in the target may take its time before its reservation shows (bpf/inline/order.h). Without memory in the target
 * there is no such code.
 */
static void the_watermark_is_below_the_time_of_the_round(void)
{
	struct inline_rings none = {0};
	uint64_t round;

	begin();
	round = inline_rings_round(&rings);
	CHECK(inline_rings_watermark(&rings, round) + 1000 < round);
	CHECK(inline_rings_watermark(&rings, round) + 10000000 > round);
	CHECK_EQ(inline_rings_watermark(&none, round), round);
	end();
}

/* Only a uprobe sends labels: their lengths are up to 255, in rooms of 44 and 80 bytes. */
static void labels_of_the_target_are_refused(void)
{
	struct rec_user *u;
	struct rec_label *label;

	begin();
	u = (struct rec_user *)put(0, REC_USER_LABELS, 1);
	u->len[0] = u->room = sizeof(*label);
	label = (struct rec_label *)u->text;
	*label = (struct rec_label){ .value_len = 255, .flags = REC_LABEL | REC_LABEL_VALUE_MISSING };
	put_position(0, (sizeof(*u) + sizeof(*label)) / RING_UNIT);
	CHECK_EQ(take(0), 0);
	CHECK_EQ(ring_lost(ring()), 1);
	CHECK_EQ(rings.door.refused[FOREIGN_KIND], 1);
	end();
}

/* Only gotap itself says where a recording ends, or what a snapshot found. */
static void kinds_that_no_probe_makes_are_dropped(void)
{
	static const uint8_t forged[] = { REC_CAPTURE_END, REC_SNAP_END, REC_GAP, REC_RESUME, REC_LOST };
	size_t i;

	begin();
	for (i = 0; i < sizeof(forged); i++) {
		size_t units;

		put(0, REC_GO_PARK, 1);
		put(6, forged[i], 1);
		units = record_size((struct rec *)(target + rings.plan.chunks + 48), 1024) / RING_UNIT;
		put(6 + (uint32_t)units, REC_GO_READY, 1);
		put_position(0, 12 + (uint32_t)units);
		CHECK_EQ(take(0), 2 * sizeof(struct rec_long));
		CHECK_EQ(((struct rec_long *)out.data)[1].r.kind, REC_GO_READY);
		CHECK_EQ(ring_lost(ring()), i + 1);
		CHECK_EQ(ring_set_taken(&set, REC_GO_READY), i + 1);
		CHECK_EQ(ring_set_taken(&set, forged[i]), 0);
	}
	end();
}

static void more_than_there_is_room_for_counts_as_lost(void)
{
	begin();
	put_position(5, 5 + SIZE / RING_UNIT + 1);
	CHECK_EQ(take(0), 0);
	CHECK(ring_lost(ring()) > 0);
	CHECK_EQ(ring_fill(ring()), 0);
	/* and it goes on from there */
	put((5 + SIZE / RING_UNIT + 1) % (SIZE / RING_UNIT), REC_GO_PARK, 1);
	put_position(5 + SIZE / RING_UNIT + 1, 5 + SIZE / RING_UNIT + 7);
	CHECK_EQ(take(0), sizeof(struct rec_long));
	end();
}

/* A thread that was killed between its reservation and the end of its record. */
static void a_record_that_is_never_finished_is_given_up(void)
{
	begin();
	put(0, REC_GO_PARK, 1);
	put(6, REC_GO_PARK | REC_BUSY, 1);
	put(12, REC_GO_PARK, 1);
	put(CHUNK_UNITS, REC_GO_READY, 1);
	put_position(0, CHUNK_UNITS + 6);
	CHECK_EQ(take(0), sizeof(struct rec_long));
	CHECK(ring()->blocked);
	CHECK(!inline_rings_unstick(&rings, false, false));	/* it may still come */
	CHECK_EQ(take(0), 0);
	CHECK(!inline_rings_unstick(&rings, true, false));
	CHECK_EQ(take(0), sizeof(struct rec_long));
	CHECK_EQ(((struct rec *)out.data)->kind, REC_GO_READY);
	CHECK(ring_lost(ring()) > 0);
	CHECK(inline_rings_unstick(&rings, true, false));
	end();
}

/* As bpf/ring.h does: room for a record; UINT32_MAX: there is none. Its unit in the ring. */
static uint32_t reserve(uint32_t units)
{
	uint32_t tail = (uint32_t)(state()->position >> 32), head = (uint32_t)state()->position;
	uint32_t at = tail % CHUNK_UNITS, rest = at > CHUNK_UNITS - units ? CHUNK_UNITS - at : 0;
	uint32_t in_ring = tail % (SIZE / RING_UNIT);

	if (tail + rest + units - head > state()->chunks * CHUNK_UNITS)
		return UINT32_MAX;
	state()->position = (uint64_t)(tail + rest + units) << 32 | head;
	if (rest >= sizeof(struct rec) / RING_UNIT)
		((struct rec *)(target + rings.plan.chunks + in_ring * RING_UNIT))->kind = REC_SKIP;
	return (tail + rest) % (SIZE / RING_UNIT);
}

/*
 * Writes records until there is no room; returns how many. None may come into units @from to @to.
 */
static size_t write_all(uint32_t from, uint32_t to)
{
	size_t n = 0;
	uint32_t at;

	while ((at = reserve(6)) != UINT32_MAX) {
		CHECK(at + 6 <= from || at >= to);
		put(at, REC_GO_PARK, 1);
		n++;
	}
	return n;
}

/*
 * A thread that gotap gave up goes on, and finishes its record: nobody else was given that room
 * meanwhile.
 */
static void room_that_was_skipped_is_never_used_again(void)
{
	uint32_t late, chunk;
	int lap;

	begin();
	for (lap = 0; lap < 100; lap++)
		put(reserve(6), REC_GO_PARK, 1);
	late = reserve(6);
	put(late, REC_GO_READY | REC_BUSY, 1);
	chunk = late / CHUNK_UNITS * CHUNK_UNITS;
	write_all(SIZE, SIZE);
	CHECK_EQ(take(0), 100 * sizeof(struct rec_long));
	CHECK(!inline_rings_unstick(&rings, true, false));
	for (lap = 0; lap < 20; lap++) {
		take(0);
		CHECK(write_all(late, late + 6) > 0);
		CHECK(!ring()->blocked);
		put(late, REC_GO_READY, 1);	/* now it goes on */
	}
	take(0);
	CHECK_EQ(take(0), 0);
	CHECK_EQ(write_all(chunk, chunk + CHUNK_UNITS), (SIZE / RING_CHUNK - 1) * (CHUNK_UNITS / 6));
	CHECK_EQ(take(0), (SIZE / RING_CHUNK - 1) * (CHUNK_UNITS / 6) * sizeof(struct rec_long));
	end();
}

/* Each time it happens, the longer part of the ring is left, in the end nothing. */
static void a_ring_of_which_all_was_skipped_has_no_room(void)
{
	size_t most = SIZE / RING_CHUNK * (CHUNK_UNITS / 6) + 1, n;
	uint32_t at;
	int i;

	begin();
	for (i = 0; i < 4; i++) {
		at = reserve(6);
		CHECK(at != UINT32_MAX);
		put(at, REC_GO_READY | REC_BUSY, 1);
		take(0);
		CHECK(!inline_rings_unstick(&rings, true, false));
		take(0);
		n = write_all(at, at + 6);
		CHECK(n < most);
		most = n;
		take(0);
	}
	CHECK_EQ(n, 0);
	end();
}

/*
 * Too many records wait: each record in the way is given up, and all others that lay in the ring
 * are taken in the same round, so that the watermark may rise.
 */
static void records_that_wait_too_long_pass_those_in_the_way(void)
{
	uint32_t at, busy = 0;
	size_t n = 0;

	begin();
	while ((at = reserve(6)) != UINT32_MAX) {
		bool first = at % CHUNK_UNITS == 0 && at / CHUNK_UNITS % 2;

		put(at, first ? REC_GO_PARK | REC_BUSY : REC_GO_READY, 1);
		busy += first;
		n += at / CHUNK_UNITS % 2 == 0;
	}
	CHECK_EQ(busy, 2);
	CHECK_EQ(take(0), CHUNK_UNITS / 6 * sizeof(struct rec_long));
	CHECK(ring()->blocked);
	inline_rings_pass(&rings, &taken, 0);
	CHECK(!ring()->blocked);
	CHECK_EQ(take_records(), (n - CHUNK_UNITS / 6) * sizeof(struct rec_long));
	CHECK(ring_lost(ring()) > 0);
	CHECK_EQ(ring_fill(ring()), 0);
	end();
}

/* This process's first thread has run, or has not, since the record was in the way. */
static void a_thread_that_does_not_run_is_waited_for(void)
{
	struct stuck s = {0};
	struct ring_block block = { .head = 1, .tid = (uint32_t)getpid() };
	const clock_t runs = clock() + CLOCKS_PER_SEC * 3 / 10;

	CHECK(stuck_may_end(&s, &proc, block, 1));
	CHECK(s.of_thread);
	CHECK(stuck_may_end(&s, &proc, block, 1000000000ULL * 3600));
	while (clock() < runs)
		;
	CHECK(!stuck_may_end(&s, &proc, block, 1000000000ULL * 7200));
	block.head = 2;		/* another record */
	CHECK(stuck_may_end(&s, &proc, block, 1000000000ULL * 10800));
}

static int id_pipe[2];

static void *sleeping_thread(void *unused)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);

	if (write(id_pipe[1], &tid, sizeof(tid)) == sizeof(tid))
		pause();
	return unused;
}

/* A process with one thread that computes and one that sleeps, *@tid. */
static pid_t busy_process(pid_t *tid)
{
	pthread_t thread;
	pid_t pid;

	CHECK(!pipe(id_pipe));
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_create(&thread, NULL, sleeping_thread, NULL);
		for (;;)
			;
	}
	CHECK(read(id_pipe[0], tid, sizeof(*tid)) == sizeof(*tid));
	return pid;
}

static void let_run(pid_t pid, uint64_t ticks)
{
	struct procfs_usage begin = {0}, now = {0};

	CHECK(!procfs_usage(&proc.fs, pid, &begin));
	do {
		usleep(10000);
		CHECK(!procfs_usage(&proc.fs, pid, &now));
	} while (now.cpu - begin.cpu < ticks);
}

/*
 * A thread is held by a debugger after it reserved room, and before it wrote its id. Other threads
 * run meanwhile. The times are made up: @now only has to be late.
 */
static void a_thread_without_an_id_is_waited_for_while_one_is_stopped(void)
{
	const uint64_t hour = 1000000000ULL * 3600;
	const uint64_t ticks = 21 * (uint64_t)sysconf(_SC_CLK_TCK) / 10;
	struct stuck s = {0};
	struct ring_block block = { .head = 1 };
	struct process busy = proc;
	pid_t tid;
	int status;

	busy.pid = busy_process(&tid);
	CHECK(!ptrace(PTRACE_SEIZE, tid, NULL, NULL));
	CHECK(!ptrace(PTRACE_INTERRUPT, tid, NULL, NULL));
	CHECK(waitpid(tid, &status, __WALL) == tid);
	CHECK(stuck_may_end(&s, &busy, block, 1));
	let_run(busy.pid, ticks);
	CHECK(stuck_may_end(&s, &busy, block, hour));
	CHECK(!ptrace(PTRACE_DETACH, tid, NULL, NULL));
	CHECK(stuck_may_end(&s, &busy, block, 2 * hour));	/* it has not run since */
	let_run(busy.pid, ticks);
	CHECK(!stuck_may_end(&s, &busy, block, 3 * hour));
	kill(busy.pid, SIGKILL);
	waitpid(busy.pid, &status, 0);
	close(id_pipe[0]);
	close(id_pipe[1]);
}

/*
 * A thread was making a record when its program ended: that record's event did not happen, but the
 * records behind it are kept. The record has units @from to @to. @time 0: the thread had written
 * nothing of it; @kind 0: only the head without the kind.
 */
static void died_in(uint32_t from, uint32_t to, uint64_t time, uint8_t kind)
{
	enum { ROOM = offsetof(struct rec_user, room) };
	uint64_t *units;

	begin();
	units = (uint64_t *)(target + rings.plan.chunks);
	if (from)
		put(0, REC_GO_PARK, 1);
	if (time)
		put(from, kind, time)->r.id = 0;
	if (kind == (REC_USER_LOG | REC_BUSY))
		*(uint32_t *)((uint8_t *)&units[from] + ROOM) = 128;
	put(to, REC_GO_READY, 1);
	put_position(0, to + 6);
	CHECK_EQ(take(0), from ? sizeof(struct rec_long) : 0);
	CHECK(ring()->blocked);
	CHECK(!inline_rings_unstick(&rings, false, true));
	CHECK_EQ(take(0), sizeof(struct rec_long));
	CHECK_EQ(((struct rec *)out.data)->kind, REC_GO_READY);
	CHECK_EQ(ring_lost(ring()), 0);
	CHECK(inline_rings_unstick(&rings, false, true));
	CHECK(!units[from] && !units[from + 1]);	/* gotap has zeroed them, as the writers of the ring require */
	end();
}

static void a_thread_that_died_with_its_program_lost_nothing(void)
{
	enum {
		SHORT = sizeof(struct rec) / RING_UNIT,
		STACK = sizeof(struct rec_stack) / RING_UNIT + REC_MAX_FRAMES,
		TEXT = (sizeof(struct rec_user) + 128) / RING_UNIT,
	};

	died_in(6, 12, 1, REC_GO_PARK | REC_BUSY);
	died_in(6, 6 + SHORT, 1, REC_GO_START | REC_BUSY);
	died_in(6, 6 + STACK, 1, REC_STACK | REC_BUSY);
	died_in(6, 6 + TEXT, 1, REC_USER_LOG | REC_BUSY);
	died_in(6, 12, 1, 0);
	died_in(6, 12, 0, 0);
	died_in(0, 6 + SHORT, 0, 0);		/* the room of two records */
}

/* The record without a kind is the last one of the ring; then, the last one of its chunk. */
static void the_last_thread_that_died_lost_nothing(void)
{
	begin();
	put(0, REC_GO_PARK, 1);
	put_position(0, 12);
	CHECK_EQ(take(0), sizeof(struct rec_long));
	CHECK(!inline_rings_unstick(&rings, false, true));
	CHECK_EQ(take(0), 0);
	CHECK(!ring()->blocked);
	CHECK_EQ(ring_fill(ring()), 0);
	put(CHUNK_UNITS, REC_GO_READY, 1);
	put_position(CHUNK_UNITS - 6, CHUNK_UNITS + 6);
	CHECK_EQ(take(0), 0);
	CHECK(!inline_rings_unstick(&rings, false, true));
	CHECK_EQ(take(0), sizeof(struct rec_long));
	CHECK_EQ(ring_lost(ring()), 0);
	end();
}

/* Random memory, random positions: nothing but well-formed records of probes comes out. */
static void garbage_is_harmless(void)
{
	const struct rec *r;
	int round;
	size_t at, n, i;

	begin();
	srandom(1);
	for (round = 0; round < 2000; round++) {
		uint64_t *words = (uint64_t *)(target + rings.plan.chunks);
		uint32_t head = (uint32_t)random();

		for (i = 0; i < SIZE / 8; i++)
			words[i] = (uint64_t)random() << 32 ^ (uint64_t)random();
		for (i = 0; i < SIZE / 64; i++)	/* kinds that exist */
			((uint8_t *)words)[(size_t)random() % (SIZE / 8) * 8 + 4] = (uint8_t)(random() % 64);
		put_position(head, head + (uint32_t)random() % (SIZE / 4));
		take(0);
		for (at = 0; at < out.len; at += n) {
			r = (const struct rec *)(out.data + at);
			n = record_size(r, out.len - at);
			CHECK(n);
			CHECK(rings.door.rules[r->kind].sent);
			if (!n)
				break;
		}
		inline_rings_unstick(&rings, true, round % 2);
	}
	end();
}

int main(void)
{
	proc.pid = getpid();
	proc.fs = (struct procfs){ .dir = "/proc", .own = true };
	return unit_main((struct unit_case[]){
		UNIT(times_become_ns),
		UNIT(forged_times_stay_in_the_round),
		UNIT(the_watermark_is_below_the_time_of_the_round),
		UNIT(labels_of_the_target_are_refused),
		UNIT(kinds_that_no_probe_makes_are_dropped),
		UNIT(more_than_there_is_room_for_counts_as_lost),
		UNIT(a_record_that_is_never_finished_is_given_up),
		UNIT(room_that_was_skipped_is_never_used_again),
		UNIT(a_ring_of_which_all_was_skipped_has_no_room),
		UNIT(records_that_wait_too_long_pass_those_in_the_way),
		UNIT(a_thread_that_does_not_run_is_waited_for),
		UNIT(a_thread_without_an_id_is_waited_for_while_one_is_stopped),
		UNIT(a_thread_that_died_with_its_program_lost_nothing),
		UNIT(the_last_thread_that_died_lost_nothing),
		UNIT(garbage_is_harmless),
		{ 0 },
	});
}
