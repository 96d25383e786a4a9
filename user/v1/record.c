// SPDX-License-Identifier: Apache-2.0
/*
 * record: see record.h. A record is one byte (six bits of type, two bits of count code k) and
 * values. With k below 3 there are k + 1 values (k + 2 in 1.5). With k = 3 a length in bytes comes
 * first, and the values fill this length. Strings and the text of a log are raw bytes.
 */
#include "v1/record.h"

#include <string.h>

enum { MAX_VALUES = 2 + 4 * V1_MAX_FRAMES };	/* values of the longest stack */

int v1_reader_init(struct v1_reader *r, const uint8_t *data, size_t n, struct error *err)
{
	int version, ret;
	size_t size;

	memset(r, 0, sizeof(*r));
	ret = v1_header_parse(data, n, &version, &size, err);
	if (ret)
		return ret;
	v1_format_init(&r->format, version);
	r->cursor = (struct v1_cursor){ .data = data, .len = n, .off = size };
	return 0;
}

void v1_reader_release(struct v1_reader *r)
{
	vec_free(&r->values);
}

static int read_value(struct v1_reader *r, struct v1_cursor *c, struct error *err)
{
	uint64_t v;
	int ret = v1_cursor_value(c, &v, err);

	if (ret)
		return ret;
	vec_reserve(&r->values, r->values.len + 1, sizeof(v));
	*vec_at(&r->values, uint64_t, r->values.len++) = v;
	return 0;
}

static int read_inline(struct v1_reader *r, unsigned int n, struct error *err)
{
	int ret = 0;

	while (n-- && !ret)
		ret = read_value(r, &r->cursor, err);
	return ret;
}

/* Reads values that fill a given number of bytes. The last value must end there. */
static int read_sized(struct v1_reader *r, size_t record_off, struct error *err)
{
	struct v1_cursor body;
	const char *bytes;
	uint64_t len;
	int ret;

	ret = v1_cursor_value(&r->cursor, &len, err);
	if (ret)
		return ret;
	body = r->cursor;
	ret = v1_cursor_bytes(&r->cursor, len, &bytes, err);
	if (ret)
		return ret;
	body.len = body.off + len;
	while (body.off < body.len && !ret && r->values.len < MAX_VALUES)
		ret = read_value(r, &body, err);
	if (!ret && body.off < body.len)
		return error_set(err, -EBADMSG,
				 "event has too many values at offset 0x%zx: it takes "
				 "%llu bytes",
				 record_off, (unsigned long long)len);
	if (ret == -ENODATA)
		return error_set(err, -EBADMSG, "event has wrong length at offset 0x%zx: "
				 "want %llu, its last value is longer", record_off,
				 (unsigned long long)len);
	return ret;
}

static int read_data(struct v1_reader *r, struct v1_record *rec, struct error *err)
{
	size_t off = r->cursor.off;
	uint64_t len;
	int ret = v1_cursor_value(&r->cursor, &len, err);

	if (ret)
		return ret;
	if (rec->type == V1_STRING && len == 0)
		return error_set(err, -EBADMSG, "string at offset 0x%zx has invalid length 0", off);
	if (len > V1_MAX_STRING)
		return error_set(err, -EBADMSG, "string at offset 0x%zx has too large length %llu",
				 off, (unsigned long long)len);
	rec->data_len = len;
	return v1_cursor_bytes(&r->cursor, len, &rec->data, err);
}

static int wrong_count(const struct v1_record *rec, uint64_t want, struct error *err)
{
	return error_set(err, -EBADMSG, "%s has wrong number of arguments at offset 0x%zx: "
			 "want %llu, got %zu", rec->spec->name, rec->offset,
			 (unsigned long long)want, rec->nvalues);
}

static int v1_record_check_stack(const struct v1_reader *r, const struct v1_record *rec,
				 struct error *err)
{
	uint64_t n;

	if (rec->nvalues < 2)
		return error_set(err, -EBADMSG, "Stack has wrong number of arguments at offset "
				 "0x%zx: want at least 2, got %zu", rec->offset, rec->nvalues);
	n = rec->values[1];
	if (n > V1_MAX_FRAMES)
		return error_set(err, -EBADMSG, "Stack has bad number of frames at offset 0x%zx: "
				 "%llu", rec->offset, (unsigned long long)n);
	/* The parser before 1.5 ignores values after the frames. */
	if (r->format.version == V1_GOTRACE && rec->nvalues > 2 + n)
		return 0;
	if (rec->nvalues != 2 + n * v1_frame_values(&r->format))
		return wrong_count(rec, 2 + n * v1_frame_values(&r->format), err);
	return 0;
}

static int check_count(const struct v1_reader *r, const struct v1_record *rec, struct error *err)
{
	size_t want = rec->ndeltas + r->format.nargs[rec->type] + rec->spec->stack;

	if (rec->type == V1_STACK)
		return v1_record_check_stack(r, rec, err);
	if (rec->nvalues != want)
		return wrong_count(rec, want, err);
	return 0;
}

static int read_string(struct v1_reader *r, struct v1_record *rec, struct error *err)
{
	int ret = read_inline(r, 1, err);

	rec->values = r->values.data;
	rec->nvalues = 1;
	if (!ret && rec->values[0] == 0)
		return error_set(err, -EBADMSG, "string at offset 0x%zx has invalid id 0",
				 rec->offset);
	return ret ? ret : read_data(r, rec, err);
}

static int read_event(struct v1_reader *r, struct v1_record *rec, unsigned int k,
		      struct error *err)
{
	int ret;

	if (k == 3)
		ret = read_sized(r, rec->offset, err);
	else
		ret = read_inline(r, k + (r->format.version == 5 ? 2 : 1), err);
	if (ret)
		return ret;
	rec->values = r->values.data;
	rec->nvalues = r->values.len;
	ret = check_count(r, rec, err);
	if (!ret && rec->type == V1_LOG)
		ret = read_data(r, rec, err);
	return ret;
}

int v1_reader_next(struct v1_reader *r, struct v1_record *rec, struct error *err)
{
	struct v1_cursor *c = &r->cursor;
	uint8_t head;
	int ret;

	r->start = c->off;
	if (c->off == c->len)
		return 0;
	memset(rec, 0, sizeof(*rec));
	rec->offset = c->off;
	head = c->data[c->off++];
	rec->type = head & 0x3f;
	rec->spec = r->format.spec[rec->type];
	if (!rec->spec)
		return error_set(err, -EBADMSG, "unknown event type %u at offset 0x%zx", rec->type,
				 rec->offset);
	rec->ndeltas = v1_deltas(&r->format, rec->type);
	r->values.len = 0;
	if (rec->type == V1_STRING)
		ret = read_string(r, rec, err);
	else
		ret = read_event(r, rec, head >> V1_COUNT_SHIFT, err);
	return ret ? ret : 1;
}
