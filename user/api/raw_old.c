// SPDX-License-Identifier: Apache-2.0
/* raw_old: see raw_old.h. Turns records of a v1 file into events of gotap/raw.h, and back. */
#include "api/raw_old.h"

#include <errno.h>
#include <string.h>

#include "api/api.h"
#include "trace/varint.h"
#include "v1/text_form.h"

bool raw_old_known(int version)
{
	return version == V1_GOTRACE || v1_version_known(version);
}

static bool has_data(unsigned int kind)
{
	return kind == V1_STRING || kind == V1_LOG;
}

/* --- reading --- */

int raw_old_open(struct raw_old *r, struct raw_source *source, struct error *err)
{
	int ret = source_take_all(source, &r->file, err);

	return ret ? ret : v1_reader_init(&r->reader, r->file.data, r->file.len, err);
}

/* Takes the frames of a Stack: the numbers after the id and the count. */
static void api_raw_old_take_frames(const struct v1_format *f, const struct v1_record *rec,
				    struct vec *frames)
{
	size_t i, n = v1_frame_values(f);

	for (i = 2; i + n <= rec->nvalues; i += n)
		memcpy(vec_push(frames, sizeof(struct gotap_raw_frame)), rec->values + i,
		       n * sizeof(uint64_t));
}

int raw_old_next(struct raw_old *r, struct gotap_raw_event *ev, struct vec *frames,
		 struct error *err)
{
	struct v1_record rec;
	int ret = v1_reader_next(&r->reader, &rec, err);

	if (ret <= 0)
		return ret;
	*ev = (struct gotap_raw_event){
		.kind = rec.type, .offset = rec.offset, .data = rec.data, .len = rec.data_len,
		.nargs = (uint32_t)raw_old_nargs(&r->reader.format, rec.type),
		.ticks = rec.ndeltas ? rec.values[rec.ndeltas - 1] : 0,
		.seq = rec.ndeltas == 2 ? rec.values[0] : 0,
	};
	memcpy(ev->args, rec.values + rec.ndeltas, ev->nargs * sizeof(ev->args[0]));
	if (rec.type == V1_STACK)
		api_raw_old_take_frames(&r->reader.format, &rec, frames);
	ev->frames = frames->data;
	ev->nframes = frames->len;
	return 1;
}

void raw_old_close(struct raw_old *r)
{
	v1_reader_release(&r->reader);
	buf_free(&r->file);
}

/* --- writing --- */

int raw_old_nargs(const struct v1_format *f, unsigned int kind)
{
	if (kind >= V1_TYPES || !f->spec[kind])
		return -1;
	return f->nargs[kind] + f->spec[kind]->stack;
}

/* Appends the numbers of a record; returns how many. */
static size_t api_raw_old_put_values(struct buf *out, const struct v1_format *f,
				     const struct gotap_raw_event *ev)
{
	size_t i, n = v1_deltas(f, ev->kind), per_frame = v1_frame_values(f);

	if (n == 2)
		varint_add(out, ev->seq);
	if (n)
		varint_add(out, ev->ticks);
	for (i = 0; i < ev->nargs; i++)
		varint_add(out, ev->args[i]);
	for (i = 0; i < ev->nframes; i++) {
		varint_add(out, ev->frames[i].pc);
		if (per_frame == 1)
			continue;
		varint_add(out, ev->frames[i].func);
		varint_add(out, ev->frames[i].file);
		varint_add(out, ev->frames[i].line);
	}
	return n + ev->nargs + ev->nframes * per_frame;
}

/*
 * Appends a length. Go 1.21 reserves space for the longest varint before a stack and fills it in
 * when the stack is complete (traceStackTable.dump() and varintAt() of runtime/trace.go).
 */
static void api_raw_old_put_length(struct buf *out, const struct v1_format *f, unsigned int kind,
				   uint64_t n)
{
	int i;

	if (f->version < 21 || kind != V1_STACK) {
		varint_add(out, n);
		return;
	}
	for (i = 1; i < VARINT_MAX; i++, n >>= 7)
		buf_add_byte(out, (uint8_t)(0x80 | n));
	buf_add_byte(out, (uint8_t)n);
}

void raw_old_put(struct buf *out, const struct v1_format *f, const struct gotap_raw_event *ev)
{
	struct buf values = {0};
	unsigned int code = v1_count_code(f, ev->kind, api_raw_old_put_values(&values, f, ev));

	buf_add_byte(out, (uint8_t)(ev->kind | code << V1_COUNT_SHIFT));
	if (code == V1_BY_LENGTH)
		api_raw_old_put_length(out, f, ev->kind, values.len);
	if (values.len)
		buf_add(out, values.data, values.len);
	buf_free(&values);
	if (!has_data(ev->kind))
		return;
	varint_add(out, ev->len);
	if (ev->len)
		buf_add(out, ev->data, ev->len);
}

/* --- specs --- */

int raw_old_spec(int version, unsigned int kind, struct gotap_kind_spec *spec)
{
	const struct v1_spec *s;
	struct v1_format f;
	const char *p;
	size_t len;

	v1_format_init(&f, version);
	s = kind < V1_TYPES ? f.spec[kind] : NULL;
	if (!s)
		return -EINVAL;
	*spec = (struct gotap_kind_spec){ .name = s->name, .kind = kind, .header = s->first };
	spec->has_time = v1_deltas(&f, kind) > 0;
	spec->has_data = has_data(kind);
	spec->has_frames = kind == V1_STACK;
	for (p = s->args; *p; p += len + (p[len] == ' ')) {
		len = strcspn(p, " ");
		api_add_arg(spec, (struct gotap_text){ p, len });
	}
	if (s->stack)
		api_add_arg(spec, (struct gotap_text){ "stack", 5 });
	return 0;
}

int raw_old_named(int version, const char *name, size_t len)
{
	struct v1_format f;
	int kind;

	v1_format_init(&f, version);
	for (kind = 0; kind < V1_TYPES; kind++)
		if (f.spec[kind] && strlen(f.spec[kind]->name) == len &&
		    !memcmp(f.spec[kind]->name, name, len))
			return kind;
	return -EINVAL;
}
