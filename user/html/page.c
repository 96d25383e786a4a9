// SPDX-License-Identifier: Apache-2.0
/*
 * page: writes the page: the assets, and the data. Each part of the data is deflated and written as
 * base64. Texts of the trace are in the page in no other form, so no text can be taken for HTML.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/json_out.h"
#include "base/write_all.h"
#include "html/assets.h"
#include "html/detail.h"
#include "html/page_parts.h"
#include "trace/varint.h"

/* --- writing --- */

struct out {
	int fd;
	struct buf buf;
	int ret;
};

static void out_flush(struct out *o)
{
	size_t done;

	if (!o->ret && o->buf.len)
		o->ret = write_all(o->fd, o->buf.data, o->buf.len, &done);
	o->buf.len = 0;
}

static void out_add(struct out *o, const char *p, size_t n)
{
	buf_add(&o->buf, p, n);
	if (o->buf.len > 1 << 18)
		out_flush(o);
}

static void out_text(struct out *o, const char *text)
{
	out_add(o, text, strlen(text));
}

static void out_base64(struct out *o, const uint8_t *p, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i;
	uint8_t *to;

	buf_reserve(&o->buf, n / 3 * 4 + 4);
	to = o->buf.data + o->buf.len;
	for (i = 0; i < n; i += 3) {
		uint32_t second = i + 1 < n ? p[i + 1] : 0, third = i + 2 < n ? p[i + 2] : 0;
		uint32_t v = (uint32_t)p[i] << 16 | second << 8 | third;

		*to++ = (uint8_t)digits[v >> 18];
		*to++ = (uint8_t)digits[v >> 12 & 63];
		*to++ = i + 1 < n ? (uint8_t)digits[v >> 6 & 63] : '=';
		*to++ = i + 2 < n ? (uint8_t)digits[v & 63] : '=';
	}
	o->buf.len = (size_t)(to - o->buf.data);
	out_add(o, "", 0);
}

static void out_section(struct out *o, const char *id, const uint8_t *p, size_t n)
{
	char tag[96];

	snprintf(tag, sizeof(tag), "<script type=\"application/octet-stream\" id=\"%s\">", id);
	out_text(o, tag);
	out_base64(o, p, n);
	out_text(o, "</script>\n");
}

/* --- parts --- */

struct part {
	const char *id;
	struct buf data;	/* deflated */
};

static void page_pack(struct part *part, const char *id, const void *data, size_t n)
{
	uLong size = compressBound(n);

	part->id = id;
	buf_reserve(&part->data, size);
	compress2(part->data.data, &size, data, n, 6);
	part->data.len = size;
}

/* @json may be NULL. */
static void page_pack_text(struct part *part, const char *id, const char *json)
{
	const char *text = json ? json : "null";

	page_pack(part, id, text, strlen(text));
}

/*
 * Approximate size of the assets before base64: three quarters of their size, since they are
 * written without it.
 */
enum { ASSET_BYTES = 140 << 10 };

enum { PARTS = 9 };

static void make_parts(struct part parts[PARTS], struct detail *d, const struct html_about *about)
{
	static const struct {
		const char *id;
		void (*fill)(struct buf *b, struct detail *d, const struct html_about *about);
	} rows[] = {
		{ "rows", parts_rows }, { "objects", parts_objects }, { "flames", parts_flames },
		{ "stacks", parts_stacks }, { "texts", parts_texts }, { "head", parts_head },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct buf b = {0};

		rows[i].fill(&b, d, about);
		page_pack(&parts[i], rows[i].id, b.data ? (void *)b.data : "", b.len);
		buf_free(&b);
	}
	page_pack_text(&parts[i], "report", about->report);
	page_pack_text(&parts[i + 1], "units", about->units);
}

static size_t parts_size(const struct part parts[PARTS])
{
	size_t n = 0, i;

	for (i = 0; i < PARTS; i++)
		n += parts[i].data.len;
	return n;
}

/* --- the page --- */

static void out_blocks(struct out *o, struct detail *d)
{
	const struct vec *blocks = &d->blocks.blocks;
	uint8_t *data = NULL;
	size_t i, n = 0;
	char id[32];

	for (i = 0; i < blocks->len && !o->ret; i++) {
		const struct block *b = vec_at(blocks, struct block, i);

		if (!b->kept)
			continue;
		data = xrealloc(data, b->size, 1);
		o->ret = spill_read(&d->blocks.store, b->at, data, b->size);
		snprintf(id, sizeof(id), "b%zu", n++);
		out_section(o, id, data, b->size);
	}
	free(data);
}

static void out_data(struct out *o, const struct part parts[PARTS])
{
	int i;

	for (i = 0; i < PARTS; i++)
		if (parts[i].id)
			out_section(o, parts[i].id, parts[i].data.data, parts[i].data.len);
}

static void out_asset(struct out *o, unsigned i)
{
	out_add(o, assets[i].begin, (size_t)(assets[i].end - assets[i].begin));
}

static void out_scripts(struct out *o)
{
	unsigned i;

	out_text(o, "<script>\n");
	for (i = ASSET_SCRIPTS; i < ASSETS; i++)
		out_asset(o, i);
	out_text(o, "</script>\n");
}

/* Writes the page. @marks: the comments of the asset in their order. */
static void out_page(struct out *o, struct detail *d, const struct part parts[PARTS])
{
	const char *at = assets[ASSET_PAGE].begin;
	static const char *const marks[] = { "<!--style-->", "<!--data-->", "<!--scripts-->",
					     "<!--blocks-->" };
	unsigned i;

	for (i = 0; i < 4; i++) {
		const char *mark = strstr(at, marks[i]);

		out_add(o, at, (size_t)(mark - at));
		at = mark + strlen(marks[i]);
		if (i == 0)
			out_asset(o, ASSET_STYLE);
		else if (i == 1)
			out_data(o, parts);
		else if (i == 2)
			out_scripts(o);
		else
			out_blocks(o, d);
	}
	out_text(o, at);
	out_flush(o);
}

/*
 * Returns the room for which blocks are made: six times the room in the page. The size of the
 * tables is not known yet (their stacks are numbered with the blocks), and levels are planned with
 * their maximum cost. detail_choose() then leaves out the blocks that have no room.
 */
static size_t room_for_blocks(const struct html *h)
{
	size_t whole = HTML_LIMIT / 4 * 3, tables = (600 << 10) + h->rows.len * 18;

	return whole > tables ? (whole - tables) * 6 : 0;
}

int html_write(struct html *h, int fd, const struct html_about *about, struct error *err)
{
	struct part parts[PARTS] = {0};
	struct detail d;
	struct part *index = &parts[PARTS - 1];
	struct out o = { .fd = fd };
	struct buf b = {0};
	size_t i, used, whole = HTML_LIMIT / 4 * 3;

	collect_rank(h);
	detail_make(&d, h, about, room_for_blocks(h));
	make_parts(parts, &d, about);
	used = parts_size(parts) + ASSET_BYTES;
	detail_choose(&d, used < whole * 2 / 3 ? whole - used : whole / 3);
	parts_index(&b, &d);
	page_pack(index, "index", b.data ? (void *)b.data : "", b.len);
	out_page(&o, &d, parts);
	if (!o.ret)
		o.ret = spill_error(&h->spool, err) ?: spill_error(&d.blocks.store, err);
	else if (!spill_error(&d.blocks.store, err))
		error_set(err, o.ret, "cannot write the page: %s", strerror(-o.ret));
	for (i = 0; i < PARTS; i++)
		buf_free(&parts[i].data);
	buf_free(&b);
	buf_free(&o.buf);
	detail_free(&d);
	return o.ret;
}

struct html *html_new(struct spans *s)
{
	struct html *h = xcalloc(1, sizeof(*h));

	collect_init(h, s);
	return h;
}

void html_threads(struct html *h, struct oncpu *o)
{
	h->oncpu = o;
}

void html_forget_threads(struct html *h)
{
	h->off_forgotten = true;
}

void html_free(struct html *h)
{
	if (!h)
		return;
	collect_free(h);
	free(h);
}
