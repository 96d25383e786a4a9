// SPDX-License-Identifier: Apache-2.0
/*
 * dwarf_isolated: runs dwarf_source in a process without privileges (base/isolated_service.h). In:
 * a file with DWARF data, which may be made to break libdw. Out: frames, which may be false, but
 * lie within their answer.
 *
 * An answer has the number of its frames, the frames, and the text that they point into. If the
 * process ends or takes too long, all later addresses have no name, and the report has their
 * number.
 */
#include "symbol/symbol.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/isolated_service.h"
#include "base/open_under.h"
#include "symbol/names.h"
#include "symbol/source.h"

struct sent_frame {
	uint32_t func, file;	/* offsets in the text */
	uint32_t line, kind;
};

enum { LONGEST_ANSWER = sizeof(uint32_t) + SOURCE_MAX_INLINE * (sizeof(struct sent_frame) +
							       2 * NAME_MAX_READ) };

/* The arguments for the process. */
struct begin {
	int fd;
	const char *path;
};

struct dwarf_isolated {
	struct source source;
	int fd;
	struct isolated_service *service;
	struct buf answer;
};

/* --- in the process --- */

static int isolated_dwarf_begin(void *ctx, void **state, struct error *err)
{
	const struct begin *b = ctx;
	struct source *source;
	int r = dwarf_source_new(&source, b->fd, b->path, err);

	if (!r)
		*state = source;
	return r;
}

static uint32_t isolated_dwarf_add_text(struct buf *text, const char *s)
{
	uint32_t at = (uint32_t)text->len;

	buf_add(text, s, strnlen(s, NAME_MAX_READ - 1));
	buf_add_byte(text, 0);
	return at;
}

static void isolated_dwarf_answer(void *state, const void *question, struct buf *ret)
{
	struct source_frame frames[SOURCE_MAX_INLINE];
	struct source *source = state;
	struct buf text = {0};
	uint64_t pc;
	uint32_t i, n;

	memcpy(&pc, question, sizeof(pc));
	n = (uint32_t)source->ops->expand(source, pc, frames);
	buf_add(ret, &n, sizeof(n));
	for (i = 0; i < n; i++) {
		struct sent_frame f = { .line = frames[i].line, .kind = frames[i].kind };

		f.func = isolated_dwarf_add_text(&text, frames[i].func);
		f.file = isolated_dwarf_add_text(&text, frames[i].file);
		buf_add(ret, &f, sizeof(f));
	}
	buf_add(ret, text.data, text.len);
	buf_free(&text);
}

static void isolated_dwarf_end(void *state)
{
	struct source *source = state;

	source->ops->free(source);
}

/* --- in gotap --- */

static bool isolated_dwarf_take_frame(struct source_frame *ret, const uint8_t *sent,
				      const char *text, size_t size)
{
	struct sent_frame f;

	memcpy(&f, sent, sizeof(f));
	if (f.func >= size || f.file >= size || f.kind > FUNC_PANIC)
		return false;
	*ret = (struct source_frame){ text + f.func, text + f.file, f.line,
				      (enum func_kind)f.kind };
	return true;
}

/* Returns the number of frames in @a, or -EBADMSG. */
static ssize_t isolated_dwarf_take_frames(const struct buf *a, struct source_frame *out)
{
	size_t head, size, i;
	const char *text;
	uint32_t n;

	if (a->len < sizeof(n))
		return -EBADMSG;
	memcpy(&n, a->data, sizeof(n));
	if (n > SOURCE_MAX_INLINE)
		return -EBADMSG;
	head = sizeof(n) + n * sizeof(struct sent_frame);
	if (a->len < head)
		return -EBADMSG;
	text = (const char *)a->data + head;
	size = a->len - head;
	if (n && (!size || text[size - 1]))
		return -EBADMSG;
	for (i = 0; i < n; i++)
		if (!isolated_dwarf_take_frame(&out[i],
					       a->data + sizeof(n) + i * sizeof(struct sent_frame),
					       text, size))
			return -EBADMSG;
	return (ssize_t)n;
}

static size_t isolated_dwarf_expand(struct source *src, uint64_t pc, struct source_frame *out)
{
	struct dwarf_isolated *d = (struct dwarf_isolated *)src;
	ssize_t n = -1;

	if (!src->failure.code &&
	    !isolated_service_ask(d->service, &pc, &d->answer, &src->failure)) {
		n = isolated_dwarf_take_frames(&d->answer, out);
		if (n < 0)
			error_set(&src->failure, (int)n, "what was read of it is no answer");
	}
	if (n < 0)
		src->unanswered++;
	return n < 0 ? 0 : (size_t)n;
}

static void dwarf_isolated_free(struct source *src)
{
	struct dwarf_isolated *d = (struct dwarf_isolated *)src;

	isolated_service_end(d->service);
	cleanup_close(&d->fd);
	buf_free(&d->answer);
	free(d);
}

static const struct source_ops ops = {
	.name = "dwarf",
	.expand = isolated_dwarf_expand,
	.free = dwarf_isolated_free,
};

static int isolated_dwarf_start(struct isolated_service **ret, struct begin *b, struct error *err)
{
	const struct isolated_service_work work = {
		.name = "gotap-names",
		.open = isolated_dwarf_begin,
		.answer = isolated_dwarf_answer,
		.close = isolated_dwarf_end,
		.ctx = b,
		.fd = b->fd,
		.question = sizeof(uint64_t),
		.longest = LONGEST_ANSWER,
	};

	return isolated_service_start(ret, &work, err);
}

int dwarf_isolated_new(struct source **ret, const char *path, struct error *err)
{
	_cleanup_close_ int fd = open_regular(path);
	struct isolated_service *service;
	struct begin b = { fd, path };
	struct dwarf_isolated *d;
	int r;

	if (fd < 0)
		return error_set(err, fd, "cannot open '%s': %s", path, strerror(-fd));
	r = isolated_dwarf_start(&service, &b, err);
	if (r)
		return r == -ENOENT ? r : error_prefix(err, "DWARF data of '%s'", path);
	d = xcalloc(1, sizeof(*d));
	d->source.ops = &ops;
	d->service = service;
	d->fd = take_fd(&fd);
	*ret = &d->source;
	return 0;
}
