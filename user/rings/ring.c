// SPDX-License-Identifier: Apache-2.0
/* ring: see ring.h. */
#define _GNU_SOURCE
#include "rings/ring.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

enum {
	CHUNK_UNITS = RING_CHUNK / RING_UNIT,
	SKIP_UNITS = sizeof(struct rec) / RING_UNIT,	/* no record is shorter */
	PLAIN_UNITS = 64 / RING_UNIT,	/* no record without texts and frames is longer */
	PASSES = 4,
	HEAD_TRIES = 1000,
};

struct ring ring_plan(struct ring_memory *m, uint32_t cpu, size_t size)
{
	struct ring r = { .cpu = cpu, .segment = cpu, .size = size, .first_chunk = m->chunks };

	m->chunks += size / RING_CHUNK;
	return r;
}

int ring_memory_make(const struct ring_memory *m, struct error *err)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "ring_chunks", 4, RING_CHUNK,
				(uint32_t)m->chunks, &opts);

	if (fd >= 0)
		return fd;
	if (errno == EPERM)
		return -EPERM;
	return error_set(
		err, -errno,
		"cannot make ring buffers of %zu MiB in all: %s; try a smaller --ring-size",
		m->chunks * RING_CHUNK >> 20, strerror(errno));
}

static void *map_whole(int fd, size_t size, struct error *err)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p != MAP_FAILED) {
		/*
		 * the processes that gotap forks (its prober, readers of hostile files) get no ring
		 */
		madvise(p, size, MADV_DONTFORK);
		return p;
	}
	error_set(err, -errno, "cannot map the ring buffers: %s", strerror(errno));
	return NULL;
}

int ring_memory_map(struct ring_memory *m, int chunks_fd, int states_fd, size_t n_states,
		    struct error *err)
{
	m->n_states = n_states;
	m->states = map_whole(states_fd, n_states * sizeof(*m->states), err);
	if (m->states)
		m->data = map_whole(chunks_fd, m->chunks * RING_CHUNK, err);
	return m->data ? 0 : err->code;
}

void ring_memory_free(struct ring_memory *m)
{
	if (m->data)
		munmap(m->data, m->chunks * RING_CHUNK);
	if (m->states)
		munmap(m->states, m->n_states * sizeof(*m->states));
	*m = (struct ring_memory){0};
}

void ring_open(struct ring *r, const struct ring_memory *m, bool rewinds)
{
	r->data = m->data + r->first_chunk * RING_CHUNK;
	r->rewinds = rewinds;
	__atomic_store_n(&r->state, &m->states[r->cpu], __ATOMIC_RELEASE);
	r->state->first_chunk = (uint32_t)r->first_chunk;
	__atomic_store_n(&r->state->chunks, (uint32_t)(r->size / RING_CHUNK), __ATOMIC_RELEASE);
}

static uint64_t position_of(const struct ring *r)
{
	return __atomic_load_n(&r->state->position, __ATOMIC_ACQUIRE);
}

static bool position_change(struct ring *r, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(&r->state->position, &from, to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static bool ring_is_whole(uint8_t kind)
{
	return kind != REC_NONE && !(kind & REC_BUSY);
}

/*
 * As record_size() of a record of @kind, of which the other words are read once: the target may
 * change those of a foreign ring meanwhile.
 */
static size_t ring_record_size(const struct rec *r, uint8_t kind, size_t avail)
{
	union {
		struct rec r;
		struct rec_stack s;
		struct rec_user u;
	} head;
	size_t n = rec_plain_size[kind], tail;

	if (n)
		return n <= avail ? n : 0;
	n = rec_head_size(kind);
	if (!n || n > avail)
		return 0;
	memcpy(&head, r, n);
	__asm__ volatile("" : "+m"(head));	/* what follows reads the copy */
	head.r.kind = kind;
	tail = rec_tail_size(&head.r);
	return tail <= avail - n ? n + tail : 0;
}

#define KIND(number, name, layout, ...) \
	_Static_assert(sizeof(struct layout) <= PLAIN_UNITS * RING_UNIT, #name ": longer");
#include "record.def"
#undef KIND

/*
 * Passes whole records from @at on while each is surely before @end, and its length follows from
 * its kind alone: nearly all are. Returns where they end. REC_NONE, REC_SKIP and all busy kinds
 * have no such length.
 */
static uint32_t whole_plain(const uint8_t *chunk, uint32_t at, uint32_t end,
			    struct ring_tally *taken)
{
	uint8_t kind, size;

	for (; at + PLAIN_UNITS <= end; at += size / RING_UNIT) {
		const struct rec *r = (const struct rec *)(chunk + at * RING_UNIT);

		kind = __atomic_load_n(&r->kind, __ATOMIC_ACQUIRE);
		size = rec_plain_size[kind];
		if (!size)
			break;
		if (taken)
			taken->of_kind[kind]++;
	}
	return at;
}

/*
 * Units of whole records from @at to @end in @chunk. They end at unused room (@skip), at a record
 * that is not whole yet, or at @end. Counts them in @taken, which may be NULL.
 */
static uint32_t whole_records(const uint8_t *chunk, uint32_t at, uint32_t end, bool *skip,
			      struct ring_tally *taken)
{
	uint32_t from = at;

	*skip = false;
	at = whole_plain(chunk, at, end, taken);
	while (at < end && !*skip) {
		const struct rec *r = (const struct rec *)(chunk + at * RING_UNIT);
		uint8_t kind = REC_SKIP;
		size_t n = 0;

		if (at <= CHUNK_UNITS - SKIP_UNITS)
			kind = __atomic_load_n(&r->kind, __ATOMIC_ACQUIRE);
		if (!ring_is_whole(kind))
			break;
		if (kind != REC_SKIP)
			n = ring_record_size(r, kind, (end - at) * RING_UNIT);
		*skip = !n;
		if (n && taken)
			taken->of_kind[kind]++;
		at += (uint32_t)n / RING_UNIT;
	}
	return at - from;
}

/*
 * Moves the records of one chunk from @head on to @out and leaves zeros. Writers have reserved
 * @most units there (to the chunk's end at most). Returns how many units are done.
 */
static uint32_t ring_take_chunk(struct ring *r, uint32_t head, uint32_t most, struct buf *out)
{
	uint32_t in_ring = head & (uint32_t)(r->size / RING_UNIT - 1);
	uint8_t *chunk = r->data + (size_t)(in_ring / CHUNK_UNITS) * RING_CHUNK;
	uint32_t at = in_ring % CHUNK_UNITS, n, done;
	bool skip;

	n = whole_records(chunk, at, at + most, &skip, r->taken);
	done = skip ? CHUNK_UNITS - at : n;
	if (out)
		buf_add(out, chunk + at * RING_UNIT, (size_t)n * RING_UNIT);
	memset(chunk + at * RING_UNIT, 0, (size_t)done * RING_UNIT);
	return done;
}

/* Takes all from @head to @tail, or to a record that is not whole; returns where it ends. */
static uint32_t ring_take(struct ring *r, uint32_t head, uint32_t tail, struct buf *out)
{
	uint32_t left, most, done;

	while (head != tail) {
		left = CHUNK_UNITS - head % CHUNK_UNITS;
		most = tail - head < left ? tail - head : left;
		done = ring_take_chunk(r, head, most, out);
		head += done;
		if (done < most)
			break;
	}
	return head;
}

/* The oldest record that was not read. */
static uint32_t ring_head(const struct ring *r, uint64_t position)
{
	return r->skipped ? __atomic_load_n(&r->read, __ATOMIC_RELAXED) : (uint32_t)position;
}

/* A target that changes the word all the time cannot hold this up: the next round tries again. */
static void ring_set_head(struct ring *r, uint32_t head)
{
	int tries = HEAD_TRIES;
	uint64_t old;

	if (r->skipped) {
		__atomic_store_n(&r->read, head, __ATOMIC_RELAXED);
		return;
	}
	do
		old = position_of(r);
	while (!position_change(r, old, (old & ~0xffffffffULL) | head) && --tries);
}

/*
 * The position of a ring that is empty and begins anew: the tail at its first chunk. The other half
 * says how far records may come, a whole ring behind it (bpf/ring.h, ring_take()): to the end of
 * the chunks that are used.
 */
static uint64_t ring_begin(const struct ring *r)
{
	uint32_t at = r->run_at * CHUNK_UNITS, units = (uint32_t)(r->size / RING_UNIT);
	uint32_t limit = at + r->run_len * CHUNK_UNITS - units;

	return r->skipped ? (uint64_t)at << 32 | limit : 0;
}

/* All was read up to @position: records come to the begin of the ring again. */
static bool ring_rewind(struct ring *r, uint64_t position)
{
	uint64_t to = ring_begin(r);

	if (!r->rewinds || !position_change(r, position, to))
		return false;
	__atomic_store_n(&r->read, (uint32_t)(to >> 32), __ATOMIC_RELAXED);
	return true;
}

/* A ring that says to hold more than it can, as only a foreign one may: nothing of it counts. */
static bool is_nonsense(const struct ring *r, uint64_t position)
{
	return (uint32_t)(position >> 32) - ring_head(r, position) > r->size / RING_UNIT;
}

static void ring_drop_nonsense(struct ring *r, uint32_t tail)
{
	memset(r->data, 0, r->size);
	if (r->skipped) {
		__atomic_store_n(&r->state->position, ring_begin(r), __ATOMIC_RELEASE);
		tail = r->run_at * CHUNK_UNITS;
	}
	ring_set_head(r, tail);
	ring_give_up(r, r->size);
}

/*
 * Records that come while it reads are taken with the others, as long as that takes, so that the
 * ring is empty at the end and begins anew. A foreign ring is read once: a program that writes it
 * all the time does not make a chunk larger than the ring.
 */
bool ring_drain(struct ring *r, struct buf *out)
{
	bool clean = true;
	int pass, passes = r->foreign ? 1 : PASSES;

	for (pass = 0; pass < passes; pass++) {
		uint64_t position = position_of(r);
		uint32_t tail = (uint32_t)(position >> 32), end;

		if (is_nonsense(r, position)) {
			ring_drop_nonsense(r, tail);
			break;
		}
		end = ring_take(r, ring_head(r, position), tail, out);
		if (end == tail && ring_rewind(r, position))
			break;
		ring_set_head(r, end);
		if (!pass)
			clean = end == tail;
		if (end != tail || !r->rewinds)
			break;
	}
	r->blocked = !clean;
	return clean;
}

enum { TYPICAL_SIZE = 48 };

void ring_give_up(struct ring *r, size_t bytes)
{
	__atomic_fetch_add(&r->given_up, bytes / TYPICAL_SIZE + 1, __ATOMIC_RELAXED);
}

uint64_t ring_lost(const struct ring *r)
{
	return __atomic_load_n(&r->state->lost, __ATOMIC_SEQ_CST) +
	       __atomic_load_n(&r->given_up, __ATOMIC_RELAXED);
}

/*
 * Bytes of the record at @r, which a thread was making when it died; 0: that cannot be seen.
 * Programs reserve all of a stack's room (bpf/stack_walk.h, stack_send()), and write the size of a
 * text's room among the first words.
 */
static size_t unfinished_size(const struct rec *r, size_t most)
{
	/* once: a forked child of the program may write a foreign ring still */
	uint8_t marked = __atomic_load_n(&r->kind, __ATOMIC_RELAXED), kind = marked & ~REC_BUSY;
	uint32_t room;

	if (!(marked & REC_BUSY) || rec_head_size(kind) > most)
		return 0;
	switch (rec_layout(kind)) {
	case REC_LAYOUT_rec:
	case REC_LAYOUT_rec_long:
		return rec_head_size(kind);
	case REC_LAYOUT_rec_stack:
		return sizeof(struct rec_stack) + 8 * REC_MAX_FRAMES;
	case REC_LAYOUT_rec_user:
		room = __atomic_load_n(&((const struct rec_user *)r)->room, __ATOMIC_RELAXED);
		return room && room <= REC_USER_MAX && room % 8 == 0 ?
			       sizeof(struct rec_user) + room :
			       0;
	default:
		return 0;
	}
}

/*
 * The same of a thread that died before it wrote the kind: it had written the first two units at
 * most (bpf/emit.h, rec_fill()), and what is free is zero. The first write to a page of the ring
 * waits for that page, so that this is where threads die most often. @most units are reserved and
 * in the chunk.
 */
static size_t unnamed_size(const struct rec *r, uint32_t most)
{
	const uint64_t *unit = (const uint64_t *)r;
	uint32_t n = offsetof(struct rec, id) / RING_UNIT;

	_Static_assert(RING_UNIT == sizeof(*unit), "record.h");
	while (n < most && !unit[n])
		n++;
	return (size_t)n * RING_UNIT;
}

/*
 * Units from @head to the end of its chunk, or to the last one that is reserved. 0: @position is
 * nonsense.
 */
static uint32_t ring_rest(const struct ring *r, uint64_t position, uint32_t head)
{
	uint32_t waiting = (uint32_t)(position >> 32) - head;
	uint32_t rest = CHUNK_UNITS - head % CHUNK_UNITS;

	if (is_nonsense(r, position))
		return 0;
	return rest < waiting ? rest : waiting;
}

static struct rec *ring_at(const struct ring *r, uint32_t head)
{
	uint32_t in_ring = head & (uint32_t)(r->size / RING_UNIT - 1);

	return (struct rec *)(r->data + (size_t)in_ring * RING_UNIT);
}

bool ring_drop_unfinished(struct ring *r)
{
	uint64_t position = position_of(r);
	uint32_t head = ring_head(r, position), most = ring_rest(r, position, head);
	struct rec *at = ring_at(r, head);
	size_t n;

	if (most < SKIP_UNITS)
		return false;
	n = at->kind == REC_NONE ? unnamed_size(at, most) :
				   unfinished_size(at, (size_t)most * RING_UNIT);
	if (!n || n > (size_t)most * RING_UNIT)
		return false;
	memset(at, 0, n);
	ring_set_head(r, head + (uint32_t)n / RING_UNIT);
	return true;
}

struct ring_block ring_block(const struct ring *r)
{
	uint64_t position = position_of(r);
	struct ring_block b = { .head = ring_head(r, position) };

	if (ring_rest(r, position, b.head) >= SKIP_UNITS)
		b.tid = __atomic_load_n(&ring_at(r, b.head)->tid, __ATOMIC_RELAXED);
	return b;
}

/*
 * Takes the chunk with @head out of use: of the chunks before and behind it, the longer run is
 * left.
 */
static void ring_retire(struct ring *r, uint32_t head)
{
	uint32_t chunks = (uint32_t)(r->size / RING_CHUNK);
	uint32_t chunk = head / CHUNK_UNITS % chunks, before;

	if (!r->skipped) {
		r->run_at = (chunk + 1) % chunks;
		r->run_len = chunks - 1;
		return;
	}
	before = (chunk - r->run_at) % chunks;
	if (before >= r->run_len)
		return;		/* it is out of use */
	if (before >= r->run_len - before - 1) {
		r->run_len = before;
	} else {
		r->run_at = (chunk + 1) % chunks;
		r->run_len -= before + 1;
	}
}

/*
 * position.head stays where the skipped room begins, so that records of the next lap end before it;
 * ring_rewind() leads them elsewhere as soon as all is read.
 */
void ring_skip(struct ring *r)
{
	uint64_t position = position_of(r);
	uint32_t head = ring_head(r, position), rest = ring_rest(r, position, head);

	if (!rest)
		return;
	ring_retire(r, head);
	__atomic_store_n(&r->read, head + rest, __ATOMIC_RELAXED);
	r->skipped = true;
	ring_give_up(r, (size_t)rest * RING_UNIT);
}

size_t ring_fill(const struct ring *r)
{
	uint64_t position = position_of(r);
	size_t fill = (size_t)((uint32_t)(position >> 32) - ring_head(r, position)) * RING_UNIT;

	return r->foreign && fill > r->size ? r->size : fill;
}
