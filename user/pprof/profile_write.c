// SPDX-License-Identifier: Apache-2.0
/*
 * profile_write: a profile as gzipped protobuf. Samples are written first, then the locations and
 * functions that they name, then the table of strings: readers accept fields in any order, and only
 * the table is kept in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "base/protobuf.h"
#include "base/show.h"
#include "pprof/fields.h"
#include "pprof/gzip.h"
#include "pprof/profile.h"
#include "read/labels.h"

/* The id of the one mapping of a profile in the form of runtime/pprof. */
enum { MAPPING = 1 };

/* The labels of a tag, encoded as in a sample: a part of writer.labels. */
struct encoded {
	size_t start, len;
	bool done;
};

struct writer {
	const struct profile *p;
	const struct stack_set *stacks;
	struct gzip gzip;
	struct buf out;			/* complete fields of the profile */
	struct map64 string_numbers;	/* by address, for texts that outlive the writer */
	struct strset *made;		/* texts that the writer made */
	struct vec strings;		/* const char *; number 0 is "" */
	struct map64 function_numbers;	/* by (number of the name << 32 | number of the file) */
	/* by number of frame: true if a sample uses the frame. Its location has the same id. */
	bool *used;
	struct encoded *encoded;	/* by tag */
	struct buf labels;
};

static void profile_settle(struct writer *w)
{
	enum { PIECE = 64 << 10 };

	if (w->out.len < PIECE)
		return;
	gzip_add(&w->gzip, w->out.data, w->out.len);
	w->out.len = 0;
}

/* --- strings --- */

static uint64_t profile_string(struct writer *w, const char *text)
{
	bool is_new;
	uint64_t *number;

	if (!*text)
		return 0;
	number = map64_put(&w->string_numbers, (uintptr_t)text, &is_new);
	if (is_new) {
		*number = w->strings.len;
		*(const char **)vec_push(&w->strings, sizeof(text)) = text;
	}
	return *number;
}

static uint64_t made_string(struct writer *w, const char *text)
{
	return profile_string(w, strset_add(w->made, text, strlen(text)));
}

/*
 * Appends the text as UTF-8, which the format requires. A text of a trace can have any bytes: an
 * invalid byte is written like \x1b.
 */
static void put_utf8(struct buf *out, const char *text)
{
	int len;

	for (; *text; text += len) {
		if (show_rune(text, &len))
			buf_add(out, text, (size_t)len);
		else
			buf_printf(out, "\\x%02x", (uint8_t)*text);
	}
}

static void profile_put_strings(struct writer *w)
{
	size_t i, open;

	for (i = 0; i < w->strings.len; i++) {
		open = protobuf_open(&w->out, PROFILE_STRING_TABLE);
		put_utf8(&w->out, *vec_at(&w->strings, const char *, i));
		protobuf_close(&w->out, open);
		profile_settle(w);
	}
}

/* --- labels --- */

static void profile_put_label(struct writer *w, const char *key, const char *value)
{
	size_t label = protobuf_open(&w->labels, SAMPLE_LABEL);

	protobuf_uint(&w->labels, LABEL_KEY, made_string(w, key));
	protobuf_uint(&w->labels, LABEL_STR, made_string(w, value));
	protobuf_close(&w->labels, label);
}

static void put_number_label(struct writer *w, const char *key, uint64_t value)
{
	size_t label = protobuf_open(&w->labels, SAMPLE_LABEL);

	protobuf_uint(&w->labels, LABEL_KEY, made_string(w, key));
	protobuf_uint(&w->labels, LABEL_NUM, value);
	protobuf_close(&w->labels, label);
}

static void put_cut(struct writer *w, const char *key, const char *value, const struct label *l)
{
	char *k = xasprintf("%s%s", key, l->key_cut ? "..." : "");
	char *v = xasprintf("%s%s", value, l->value_cut ? "..." : "");

	profile_put_label(w, k, v);
	free(k);
	free(v);
}

static void profile_put_labels(struct writer *w, const char *text)
{
	struct labels labels = {0};
	size_t i;

	labels_parse(&labels, text, strlen(text));
	for (i = 0; i < labels.all.len; i++) {
		const struct label *l = vec_at(&labels.all, struct label, i);

		put_cut(w, label_key(&labels, l), label_value(&labels, l), l);
	}
	labels_free(&labels);
}

static const struct encoded *profile_encode(struct writer *w, uint32_t number)
{
	const struct tag *tag = vec_at(&w->p->tags, struct tag, number);
	struct encoded *e = &w->encoded[number];

	if (e->done)
		return e;
	e->done = true;
	e->start = w->labels.len;
	if (tag->state)
		profile_put_label(w, "state", tag->state);
	if (tag->reason && *tag->reason)
		profile_put_label(w, "reason", tag->reason);
	if (tag->bytes)
		put_number_label(w, "bytes", tag->bytes);
	profile_put_labels(w, tag->labels);
	e->len = w->labels.len - e->start;
	return e;
}

/* --- samples --- */

static uint64_t sample_value(const struct profile *p, size_t item, unsigned int i)
{
	const struct tally_item *t = vec_at(&p->tally.items, struct tally_item, item);

	if (p->wide)
		return (uint64_t)p->wide[item * p->nvalues + i];
	return p->values[i].ns ? t->ns : t->count;
}

static void put_sample(struct writer *w, size_t number)
{
	const struct tally_item *item = vec_at(&w->p->tally.items, struct tally_item, number);
	const struct encoded *labels = profile_encode(w, item->tag);
	size_t sample = protobuf_open(&w->out, PROFILE_SAMPLE), packed;
	uint32_t n, i;
	const uint32_t *frames = stack_set_of(w->stacks, item->stack, &n);

	packed = protobuf_open(&w->out, SAMPLE_LOCATION_ID);
	for (i = 0; i < n; i++) {
		w->used[frames[i]] = true;
		protobuf_element(&w->out, frames[i]);
	}
	protobuf_close(&w->out, packed);
	packed = protobuf_open(&w->out, SAMPLE_VALUE);
	for (i = 0; i < w->p->nvalues; i++)
		protobuf_element(&w->out, sample_value(w->p, number, i));
	protobuf_close(&w->out, packed);
	if (labels->len)
		buf_add(&w->out, w->labels.data + labels->start, labels->len);
	protobuf_close(&w->out, sample);
	profile_settle(w);
}

static void profile_put_samples(struct writer *w)
{
	size_t i;

	for (i = 0; i < w->p->tally.items.len; i++)
		put_sample(w, i);
}

/* --- locations --- */

static uint64_t profile_function(struct writer *w, const struct stack_frame *f)
{
	uint64_t name = profile_string(w, f->func), file = profile_string(w, f->file), *number;
	size_t open;
	bool is_new;

	number = map64_put(&w->function_numbers, name << 32 | file, &is_new);
	if (!is_new)
		return *number;
	*number = w->function_numbers.len;
	open = protobuf_open(&w->out, PROFILE_FUNCTION);
	protobuf_uint(&w->out, FUNCTION_ID, *number);
	protobuf_uint(&w->out, FUNCTION_NAME, name);
	protobuf_uint(&w->out, FUNCTION_SYSTEM_NAME, name);
	protobuf_uint(&w->out, FUNCTION_FILENAME, file);
	protobuf_close(&w->out, open);
	return *number;
}

static void put_location(struct writer *w, uint32_t number)
{
	const struct stack_frame *f = stack_set_frame_at(w->stacks, number);
	uint64_t id = profile_function(w, f);
	size_t location = protobuf_open(&w->out, PROFILE_LOCATION), line;

	protobuf_uint(&w->out, LOCATION_ID, number);
	if (w->p->period.type)
		protobuf_uint(&w->out, LOCATION_MAPPING_ID, MAPPING);
	protobuf_uint(&w->out, LOCATION_ADDRESS, f->pc);
	line = protobuf_open(&w->out, LOCATION_LINE);
	protobuf_uint(&w->out, LINE_FUNCTION_ID, id);
	protobuf_uint(&w->out, LINE_LINE, f->line);
	protobuf_close(&w->out, line);
	protobuf_close(&w->out, location);
	profile_settle(w);
}

static void put_locations(struct writer *w)
{
	uint32_t i;

	for (i = 1; i <= stack_set_frames(w->stacks); i++)
		if (w->used[i])
			put_location(w, i);
}

/* --- head --- */

static void put_value_type(struct writer *w, uint32_t field, const char *type, const char *unit)
{
	size_t open = protobuf_open(&w->out, field);

	protobuf_uint(&w->out, VALUE_TYPE_TYPE, made_string(w, type));
	protobuf_uint(&w->out, VALUE_TYPE_UNIT, made_string(w, unit));
	protobuf_close(&w->out, open);
}

/*
 * Writes a mapping that says that all names are known: tools then do not look names up in a binary.
 */
static void put_mapping(struct writer *w)
{
	static const uint32_t has[] = {
		MAPPING_HAS_FUNCTIONS,
		MAPPING_HAS_FILENAMES,
		MAPPING_HAS_LINE_NUMBERS,
		MAPPING_HAS_INLINE_FRAMES,
	};
	size_t i, open = protobuf_open(&w->out, PROFILE_MAPPING);

	protobuf_uint(&w->out, MAPPING_ID, MAPPING);
	for (i = 0; i < sizeof(has) / sizeof(has[0]); i++)
		protobuf_uint(&w->out, has[i], true);
	protobuf_close(&w->out, open);
}

static void put_period(struct writer *w)
{
	static const struct period of_go_tool_trace = { "trace", "count", 1 };
	const struct period *period = w->p->period.type ? &w->p->period : &of_go_tool_trace;

	put_value_type(w, PROFILE_PERIOD_TYPE, period->type, period->unit);
	protobuf_uint(&w->out, PROFILE_PERIOD, period->value);
}

static void profile_put_head(struct writer *w)
{
	const struct profile *p = w->p;
	unsigned i;

	for (i = 0; i < p->nvalues; i++)
		put_value_type(w, PROFILE_SAMPLE_TYPE, p->values[i].type, p->values[i].unit);
	put_period(w);
	if (p->period.type)
		put_mapping(w);
	if (p->wall_ns > 0)
		protobuf_uint(&w->out, PROFILE_TIME_NANOS, (uint64_t)p->wall_ns);
	protobuf_uint(&w->out, PROFILE_DURATION_NANOS, (uint64_t)p->duration_ns);
	protobuf_uint(&w->out, PROFILE_DEFAULT_SAMPLE_TYPE,
		      made_string(w, p->default_type ? p->default_type :
						       p->values[p->nvalues - 1].type));
}

static void put_comments(struct writer *w)
{
	size_t i;

	for (i = 0; i < w->p->comments.len; i++)
		protobuf_uint(&w->out, PROFILE_COMMENT,
			      made_string(w, *vec_at(&w->p->comments, char *, i)));
}

static void free_writer(struct writer *w)
{
	buf_free(&w->out);
	buf_free(&w->labels);
	vec_free(&w->strings);
	strset_free(w->made);
	map64_free(&w->string_numbers);
	map64_free(&w->function_numbers);
	free(w->used);
	free(w->encoded);
}

void profile_write(struct profile *p, struct raw_sink *sink)
{
	struct stack_set *stacks = spans_stacks(p->spans);
	struct writer w = {
		.p = p, .stacks = stacks, .made = strset_new(),
		.used = xcalloc((size_t)stack_set_frames(stacks) + 1, sizeof(*w.used)),
		.encoded = xcalloc(p->tags.len, sizeof(*w.encoded)),
	};

	*(const char **)vec_push(&w.strings, sizeof(char *)) = "";
	gzip_open(&w.gzip, sink);
	profile_put_head(&w);
	profile_put_samples(&w);
	put_locations(&w);
	put_comments(&w);
	profile_put_strings(&w);
	gzip_add(&w.gzip, w.out.data, w.out.len);
	gzip_close(&w.gzip);
	free_writer(&w);
}
