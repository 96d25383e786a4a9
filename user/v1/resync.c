// SPDX-License-Identifier: Apache-2.0
/*
 * resync: see resync.h. Finds the offset of a record that is most likely one of a tracer, by its
 * own values and by the records after it.
 */
#include "v1/resync.h"

#include "v1/text_form.h"

enum {
	BATCH_HEAD = V1_BATCH | 1 << V1_COUNT_SHIFT,
	STRING_HEAD = V1_STRING,
	STACK_HEAD = V1_STACK | V1_BY_LENGTH << V1_COUNT_SHIFT,
	RUN = 32,		/* records after it that must be valid, or all that are left */
	NEW_PS = 1024,		/* Ps that may appear only after the damage */
	MAX_RECORD_HEAD = 32,	/* bytes before the last value of a record with 4 values */
};

bool v1_is_table(unsigned int type)
{
	return type == V1_STRING || type == V1_STACK || type == V1_FREQUENCY ||
	       type == V1_TIMER_GOROUTINE;
}

static bool batch_is_likely(const struct v1_record *rec, const struct v1_resync *seen)
{
	int64_t ticks = (int64_t)rec->values[rec->nvalues - 1];

	return (rec->values[0] == UINT64_MAX || rec->values[0] <= seen->max_p + NEW_PS) &&
	       ticks > 0 && ticks >= seen->first / 2 &&
	       (!seen->first || ticks - seen->first < INT64_C(1) << 48);
}

static void v1_resync_pay(struct v1_resync *seen, size_t bytes)
{
	seen->budget -= bytes < seen->budget ? bytes : seen->budget;
}

/*
 * True if RUN records from @at on can be read. Batches must be likely ones. A table must be
 * followed by tables, until the next batch.
 */
static bool run_is_good(struct v1_reader *r, size_t at, struct v1_resync *seen)
{
	bool tables = r->cursor.data[at] != BATCH_HEAD;
	struct v1_record rec;
	struct error err;
	int i, ret = 1;

	r->cursor.off = at;
	for (i = 0; i < RUN && (ret = v1_reader_next(r, &rec, &err)) > 0; i++) {
		v1_resync_pay(seen, r->cursor.off - rec.offset);
		if (rec.type == V1_BATCH && !batch_is_likely(&rec, seen))
			return false;
		if (i && rec.type == V1_BATCH)
			return true;
		if (tables && !v1_is_table(rec.type))
			return false;
	}
	v1_resync_pay(seen, r->cursor.off - r->start);
	return ret >= 0;
}

/*
 * True if @at is inside a record. A record with its own time among its values, such as a GoSysExit,
 * seems to contain a batch if another of its values is the first byte of a batch.
 */
static bool lies_in_record(struct v1_reader *r, size_t at, struct v1_resync *seen)
{
	struct v1_record rec;
	struct error err;
	size_t back;

	for (back = 1; back < MAX_RECORD_HEAD && back <= at; back++) {
		unsigned int type = r->cursor.data[at - back] & 0x3f;

		if (type != V1_GO_SYSEXIT && type != V1_GO_SYSEXIT_LOCAL && type != V1_CPU_SAMPLE)
			continue;
		r->cursor.off = at - back;
		if (v1_reader_next(r, &rec, &err) > 0 && r->cursor.off > at)
			return true;
		v1_resync_pay(seen, r->cursor.off - r->start);
	}
	return false;
}

static bool is_place(struct v1_reader *r, size_t at, struct v1_resync *seen)
{
	uint8_t head = r->cursor.data[at];

	if (head == STRING_HEAD || head == STACK_HEAD)
		return run_is_good(r, at, seen);
	return head == BATCH_HEAD && run_is_good(r, at, seen) && !lies_in_record(r, at, seen);
}

size_t v1_resync_find(const struct v1_reader *from_reader, size_t from, struct v1_resync *seen)
{
	struct v1_reader r = { .format = from_reader->format, .cursor = from_reader->cursor };
	size_t at = from;

	while (at < r.cursor.len && seen->budget && !is_place(&r, at, seen))
		at++;
	v1_reader_release(&r);
	return at < r.cursor.len && seen->budget ? at : 0;
}
