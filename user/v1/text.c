// SPDX-License-Identifier: Apache-2.0
/*
 * text: writes records of a v1 file as lines, in the order of the file, in the form of the v2 text
 * (internal/trace/raw of Go): frames and bytes of strings are on separate lines that begin with a
 * tab. If a record does not have its shortest form, the line has the form, too (text_form.h).
 * `gotap text` calls this file.
 */
#include "v1/text.h"

#include <string.h>

#include "read/text_quote.h"
#include "read/text_write.h"
#include "symbol/symbol.h"
#include "v1/record.h"
#include "v1/text_form.h"

enum { MAX_INLINED = 64, MAX_LINE = 512, MAX_FRAME_LINE = 192 };

/* The number of bytes of each number of a record in the file. */
struct widths {
	/* bytes of the length of the numbers; bytes of the length of the data */
	uint8_t length, data;
	struct buf values;
};

struct writer {
	struct v1_reader r;
	struct v1_text_names names;
	struct widths widths;
	struct symbolizer *symbols;
	struct buf *out;
};

/* --- the form that a record has in the file --- */

/* True if the record has the shortest form: it has as many bytes as that form. */
static bool is_shortest(const struct writer *w, const struct v1_record *rec)
{
	unsigned int k = w->r.cursor.data[rec->offset] >> V1_COUNT_SHIFT;
	size_t i, n = 0;

	if (k != v1_count_code(&w->r.format, rec->type, rec->nvalues))
		return false;
	for (i = 0; i < rec->nvalues; i++)
		n += v1_shortest(rec->values[i]);
	if (k == V1_BY_LENGTH)
		n += v1_shortest(n);
	if (rec->data)
		n += v1_shortest(rec->data_len) + rec->data_len;
	return w->r.cursor.off - rec->offset == n + 1;
}

static uint8_t width_at(const uint8_t **p)
{
	const uint8_t *start = *p;

	while (*(*p)++ & 0x80)
		;
	return (uint8_t)(*p - start);
}

static void v1_text_measure(struct writer *w, const struct v1_record *rec)
{
	const uint8_t *p = w->r.cursor.data + rec->offset;
	bool by_length = *p++ >> V1_COUNT_SHIFT == V1_BY_LENGTH && rec->type != V1_STRING;
	size_t i;

	w->widths.values.len = 0;
	w->widths.length = by_length ? width_at(&p) : 0;
	for (i = 0; i < rec->nvalues; i++)
		buf_add_byte(&w->widths.values, width_at(&p));
	w->widths.data = rec->data ? width_at(&p) : 0;
}

/* --- lines --- */

static uint8_t *v1_text_put_name(uint8_t *p, const char **names)
{
	const char *name = *names;

	while (*name && *name != ' ')
		*p++ = (uint8_t)*name++;
	*names = name + (*name == ' ');
	*p++ = '=';
	return p;
}

/* Puts arguments such as " g=5 seq=6". @widths is NULL if all have the shortest form. */
static uint8_t *v1_text_put_values(uint8_t *p, const char *names, const uint64_t *values,
			   const uint8_t *widths)
{
	size_t i;

	for (i = 0; *names; i++) {
		*p++ = ' ';
		p = text_put_uint(v1_text_put_name(p, &names), values[i]);
		if (widths && widths[i] != v1_shortest(values[i])) {
			*p++ = '/';
			p = text_put_uint(p, widths[i]);
		}
	}
	return p;
}

static uint64_t v1_text_length_of(const struct widths *w)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < w->values.len; i++)
		sum += w->values.data[i];
	return sum;
}

static uint8_t *v1_text_put_length(uint8_t *p, const char *name, uint64_t length, uint8_t width)
{
	return width == 0 || width == v1_shortest(length) ?
		       p :
		       v1_text_put_values(p, name, &length, &width);
}

static uint8_t *put_form(const struct writer *w, uint8_t *p, const struct v1_record *rec)
{
	uint64_t k = w->r.cursor.data[rec->offset] >> V1_COUNT_SHIFT;

	if (k != v1_count_code(&w->r.format, rec->type, rec->nvalues))
		p = v1_text_put_values(p, "k", &k, NULL);
	p = v1_text_put_length(p, "L", v1_text_length_of(&w->widths), w->widths.length);
	return v1_text_put_length(p, "len", rec->data_len, w->widths.data);
}

static void v1_text_put_line(struct writer *w, const struct v1_record *rec, const uint8_t *widths)
{
	const char *name = rec->spec->name;
	uint8_t *p;

	buf_reserve(w->out, MAX_LINE);
	p = w->out->data + w->out->len;
	while (*name)
		*p++ = (uint8_t)*name++;
	p = v1_text_put_values(p, w->names.of[rec->type], rec->values, widths);
	if (widths)
		p = put_form(w, p, rec);
	*p++ = '\n';
	w->out->len = (size_t)(p - w->out->data);
}

static void v1_text_put_quoted(struct buf *out, const char *name, const char *text)
{
	buf_add(out, name, strlen(name));
	quote_append(out, (const uint8_t *)text, strlen(text));
}

/*
 * Appends the names of a frame to its number. The functions into which it was inlined have separate
 * lines, which `gotap wire` skips.
 */
static void put_names(struct writer *w, uint64_t pc)
{
	struct frame frames[MAX_INLINED];
	size_t i, n = symbolizer_stack(w->symbols, &pc, 1, 0, frames, MAX_INLINED);

	for (i = 0; i < n; i++) {
		v1_text_put_quoted(w->out,
				   i ? "\n\t# inlined into func=" : " func=", frames[i].func);
		v1_text_put_quoted(w->out, " file=", frames[i].file);
		buf_printf(w->out, " line=%u", frames[i].line);
	}
}

static void v1_text_put_frames(struct writer *w, const struct v1_record *rec, const uint8_t *widths)
{
	unsigned int step = v1_frame_values(&w->r.format);
	const char *names = v1_frame_names(&w->r.format);
	uint8_t *p;
	size_t i;

	for (i = 2; i < rec->nvalues; i += step) {
		buf_reserve(w->out, MAX_FRAME_LINE);
		p = w->out->data + w->out->len;
		p = v1_text_put_values(p, names, rec->values + i, widths ? widths + i : NULL);
		/* replaces the space before the first name */
		w->out->data[w->out->len] = '\t';
		w->out->len = (size_t)(p - w->out->data);
		if (w->symbols)
			put_names(w, rec->values[i]);
		buf_add_byte(w->out, '\n');
	}
}

static void v1_text_put_record(struct writer *w, const struct v1_record *rec)
{
	const uint8_t *widths = NULL;

	if (!is_shortest(w, rec)) {
		v1_text_measure(w, rec);
		widths = w->widths.values.data;
	}
	v1_text_put_line(w, rec, widths);
	if (rec->type == V1_STACK)
		v1_text_put_frames(w, rec, widths);
	if (!rec->data)
		return;
	buf_add(w->out, "\tdata=", 6);
	quote_append(w->out, (const uint8_t *)rec->data, rec->data_len);
	buf_add_byte(w->out, '\n');
}

static int v1_text_put_all(struct writer *w, struct raw_sink *sink, struct error *err)
{
	struct v1_record rec;
	int ret = 0;

	if (w->r.format.version == V1_GOTRACE)
		buf_printf(w->out, "Trace gotrace\n");
	else
		buf_printf(w->out, "Trace Go1.%d\n", w->r.format.version);
	while (!sink->error && (ret = v1_reader_next(&w->r, &rec, err)) > 0) {
		v1_text_put_record(w, &rec);
		sink_settle(sink);
	}
	return ret < 0 ? ret : 0;	/* sink_close() returns the error of a failed write */
}

int v1_text(const uint8_t *data, size_t n, const char *binary, struct raw_sink *sink,
	    struct error *err)
{
	struct writer w = { .out = &sink->buf };
	int ret = v1_reader_init(&w.r, data, n, err);

	if (ret)
		return ret;
	v1_text_names_init(&w.names, &w.r.format);
	if (binary && v1_pc_only(w.r.format.version))
		ret = symbolizer_open(&w.symbols, &(struct symbol_file){ .path = binary },
				      SYMBOL_PCLNTAB, err);
	if (!ret)
		ret = v1_text_put_all(&w, sink, err);
	symbolizer_free(w.symbols);
	buf_free(&w.widths.values);
	v1_reader_release(&w.r);
	return ret;
}

int v1_text_of_source(struct raw_source *source, const char *binary, struct raw_sink *sink,
		      struct error *err)
{
	struct buf data = {0};
	int ret = source_take_all(source, &data, err);

	if (!ret)
		ret = v1_text(data.data, data.len, binary, sink, err);
	buf_free(&data);
	return ret;
}
