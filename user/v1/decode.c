// SPDX-License-Identifier: Apache-2.0
/*
 * decode: turns a record of the file into an event, each time order needs the event. load has
 * checked that all records of the pieces can be read.
 */
#include "v1/internal.h"

void v1_assign_goroutine(uint64_t *g, struct v1_event *ev)
{
	ev->g = *g;
	switch (ev->type) {
	case V1_GO_START:
	case V1_GO_START_LOCAL:
	case V1_GO_START_LABEL:
		ev->g = *g = ev->args[0];
		break;
	case V1_GO_END ... V1_GO_BLOCK:
	case V1_GO_BLOCK_SEND ... V1_GO_BLOCK_NET:
	case V1_GO_BLOCK_GC:
	case V1_GO_SYSBLOCK:
		*g = 0;
		break;
	case V1_GO_SYSEXIT:
	case V1_GO_WAITING:
	case V1_GO_IN_SYSCALL:
		ev->g = ev->args[0];
		break;
	}
}

void v1_make_plain(struct v1_event *ev)
{
	switch (ev->type) {
	case V1_GO_START_LOCAL:
		ev->type = V1_GO_START;
		break;
	case V1_GO_UNBLOCK_LOCAL:
		ev->type = V1_GO_UNBLOCK;
		break;
	case V1_GO_SYSEXIT_LOCAL:
		ev->type = V1_GO_SYSEXIT;
		break;
	}
}

static void v1_decode_fill(const struct v1_trace *t, const struct v1_record *rec,
			   struct v1_event *ev)
{
	const uint64_t *v = rec->values + rec->ndeltas, *start;
	size_t i, n = rec->nvalues - rec->ndeltas - rec->spec->stack;

	*ev = (struct v1_event){ .offset = rec->offset, .type = (uint8_t)rec->type };
	for (i = 0; i < n; i++)
		ev->args[i] = v[i];
	if (rec->spec->stack)
		ev->stack = v[n];
	if (rec->type == V1_LOG) {
		ev->text = rec->data;
		ev->text_len = rec->data_len;
	}
	if (rec->type != V1_GO_CREATE || !t->starts.len)
		return;
	start = map64_get(&t->starts, ev->args[1]);
	ev->args[1] = start ? *start : 0;
}

bool v1_event_at(const struct v1_trace *t, struct v1_reader *r, uint64_t offset,
		 struct v1_event *ev)
{
	struct v1_record rec;
	struct error err;

	r->cursor.off = offset;
	if (v1_reader_next(r, &rec, &err) <= 0)
		return false;
	v1_decode_fill(t, &rec, ev);
	return true;
}

/*
 * True for records that are no part of a piece: samples, and the exits of 1.5, which have pieces of
 * their own.
 */
static bool v1_decode_is_elsewhere(const struct v1_trace *t, const struct v1_piece *piece,
				   unsigned int type)
{
	return type == V1_CPU_SAMPLE ||
	       (type == V1_GO_SYSEXIT && t->format.version == 5 && !piece->exit);
}

bool v1_piece_next(const struct v1_trace *t, struct v1_reader *r, struct v1_piece *piece,
		   struct v1_event *ev)
{
	struct v1_record rec;
	struct error err;

	if (!piece->n)
		return false;
	r->cursor.off = piece->offset;
	do {
		if (v1_reader_next(r, &rec, &err) <= 0)
			return false;
		if (!rec.ndeltas)
			continue;
		if (rec.ndeltas == 2)
			piece->seq = (int64_t)((uint64_t)piece->seq + rec.values[0]);
		piece->ticks = (int64_t)((uint64_t)piece->ticks + rec.values[rec.ndeltas - 1]);
	} while (!rec.ndeltas || v1_decode_is_elsewhere(t, piece, rec.type));
	if (piece->damaged && piece->ticks > piece->limit) {
		piece->n = 0;
		return false;
	}
	v1_decode_fill(t, &rec, ev);
	ev->time = piece->ticks;
	ev->p = piece->p;
	ev->fresh = piece->g == V1_UNKNOWN_G && !piece->begun;
	v1_assign_goroutine(&piece->g, ev);
	ev->nobody = ev->g == V1_UNKNOWN_G;
	if (ev->nobody)
		ev->g = 0;
	piece->offset = r->cursor.off;
	piece->begun = true;
	piece->n--;
	return true;
}
