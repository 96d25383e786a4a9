// SPDX-License-Identifier: Apache-2.0
/* text: see text.h. */
#include "metrics/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/show.h"

/* --- labels --- */

/* The bytes of the characters of @text that fit into @max. */
static size_t label_fitting(const char *text, size_t max)
{
	size_t n = 0;
	int len;

	while (text[n]) {
		show_rune(text + n, &len);
		if (n + (size_t)len > max)
			break;
		n += (size_t)len;
	}
	return n;
}

void metrics_label(struct buf *labels, const char *name, const char *value)
{
	_cleanup_free_ char *shown = value ? show_dup(value) : NULL;
	size_t n = shown ? label_fitting(shown, METRICS_LABEL) : 0, i;

	if (!n)
		return;
	buf_printf(labels, "%s%s=\"", labels->len ? "," : "", name);
	for (i = 0; i < n; i++) {
		if (shown[i] == '\\' || shown[i] == '"')
			buf_add_byte(labels, '\\');
		buf_add_byte(labels, (uint8_t)shown[i]);
	}
	buf_add_byte(labels, '"');
}

static void text_put_labels(struct metrics_text *t, const struct buf *labels,
			    const struct buf *more, const char *le)
{
	const struct buf *all[] = { labels, more };
	bool any = false;
	size_t i;

	for (i = 0; i < 2; i++) {
		if (!all[i] || !all[i]->len)
			continue;
		buf_add_byte(t->out, any ? ',' : '{');
		buf_add(t->out, all[i]->data, all[i]->len);
		any = true;
	}
	if (le)
		buf_printf(t->out, "%cle=\"%s\"", any ? ',' : '{', le);
	if (any || le)
		buf_add_byte(t->out, '}');
}

/* --- families --- */

static const char *const type_names[] = {
	[METRICS_COUNTER] = "counter", [METRICS_GAUGE] = "gauge",
	[METRICS_HISTOGRAM] = "histogram", [METRICS_INFO] = "info",
};

/* What a sample's name has behind that of its family. */
static const char *const suffixes[] = {
	[METRICS_COUNTER] = "_total", [METRICS_GAUGE] = "", [METRICS_HISTOGRAM] = "",
	[METRICS_INFO] = "_info",
};

void metrics_begin(struct metrics_text *t, const struct metrics_family *f)
{
	t->family = f;
	t->begun = false;
}

/* The older format knows no info, and its families have the names of their samples. */
static void text_put_header(struct metrics_text *t)
{
	const struct metrics_family *f = t->family;
	const char *suffix = t->open ? "" : suffixes[f->type];
	bool info = f->type == METRICS_INFO && !t->open;

	if (t->begun)
		return;
	t->begun = true;
	buf_printf(t->out, "# HELP %s%s %s\n", f->name, suffix, f->help);
	buf_printf(t->out, "# TYPE %s%s %s\n", f->name, suffix,
		   info ? "gauge" : type_names[f->type]);
	if (t->open && f->unit)
		buf_printf(t->out, "# UNIT %s %s\n", f->name, f->unit);
}

static void text_put_name(struct metrics_text *t, const struct buf *labels, const struct buf *more)
{
	text_put_header(t);
	buf_printf(t->out, "%s%s", t->family->name, suffixes[t->family->type]);
	text_put_labels(t, labels, more, NULL);
}

void metrics_count(struct metrics_text *t, const struct buf *labels, const struct buf *more,
		   uint64_t value)
{
	text_put_name(t, labels, more);
	buf_printf(t->out, " %" PRIu64 "\n", value);
}

void metrics_real(struct metrics_text *t, const struct buf *labels, const struct buf *more,
		  double value)
{
	text_put_name(t, labels, more);
	buf_printf(t->out, " %.15g\n", isfinite(value) ? value : 0);
}

static void text_put_bucket(struct metrics_text *t, const struct buf *labels,
			    const struct buf *more, const char *le, uint64_t value)
{
	buf_printf(t->out, "%s_bucket", t->family->name);
	text_put_labels(t, labels, more, le);
	buf_printf(t->out, " %" PRIu64 "\n", value);
}

void metrics_histogram(struct metrics_text *t, const struct buf *labels, const struct buf *more,
		       const struct metrics_histogram *h)
{
	uint64_t below = 0;
	unsigned int i;
	char le[32];

	text_put_header(t);
	for (i = 0; i < h->limits; i++) {
		below += h->counts[i];
		snprintf(le, sizeof(le), "%.12g", (double)h->limits_ns[i] / 1e9);
		text_put_bucket(t, labels, more, le, below);
	}
	below += h->counts[i];
	text_put_bucket(t, labels, more, "+Inf", below);
	buf_printf(t->out, "%s_sum", t->family->name);
	text_put_labels(t, labels, more, NULL);
	buf_printf(t->out, " %.15g\n%s_count", isfinite(h->sum) ? h->sum : 0, t->family->name);
	text_put_labels(t, labels, more, NULL);
	buf_printf(t->out, " %" PRIu64 "\n", below);
}

void metrics_end(struct metrics_text *t)
{
	if (t->open)
		buf_printf(t->out, "# EOF\n");
}
