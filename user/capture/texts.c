// SPDX-License-Identifier: Apache-2.0
/* texts: see texts.h. */
#include "capture/texts.h"

#include <string.h>

#include "live/memory.h"
#include "live/text_map.h"

void texts_init(struct texts *t, const struct process *proc, const uint64_t *missing)
{
	*t = (struct texts){ .proc = proc, .missing = missing };
}

void texts_free(struct texts *t)
{
	elf_file_close(&t->file);
}

/* The addresses of all segments that the program cannot write: one, or several neighbours. */
static struct text_range constants(const struct texts *t)
{
	struct text_range range = { UINT64_MAX, 0 };
	Elf64_Phdr ph;
	size_t i = 0;

	while (elf_load_next(&t->file, &i, 0, &ph)) {
		if (ph.p_flags & PF_W)
			continue;
		if (t->proc->bias + ph.p_vaddr < range.start)
			range.start = t->proc->bias + ph.p_vaddr;
		if (t->proc->bias + ph.p_vaddr + ph.p_filesz > range.end)
			range.end = t->proc->bias + ph.p_vaddr + ph.p_filesz;
	}
	return range;
}

/* Is the program's memory there still mapped from its file? The file is held open, whatever has its path now. */
static bool is_in_place(struct texts *t)
{
	struct text_range range;
	struct error err;

	if (!t->file.size && elf_file_open_fd(&t->file, process_file_of_path(t->proc->module), &err))
		return false;
	range = constants(t);
	return !text_moved(t->proc, &range);
}

/* Returns the text's length: 0 if it is lost. */
static uint16_t fill(struct texts *t, char *to, uint64_t from, uint16_t len)
{
	const uint8_t *text = t->in_place ?
			      elf_constant_bytes(&t->file, from - t->proc->bias, len) : NULL;

	t->found++;
	memory_touch(t->proc, from);
	if (!text) {
		t->lost++;
		return 0;
	}
	memcpy(to, text, len);
	return len;
}

static void fill_record(void *ctx, uint32_t cpu, struct rec *r)
{
	struct rec_user *u = (struct rec_user *)r;
	char *second = u->text + u->len[0];
	struct texts *t = ctx;

	if (rec_layout(r->kind) != REC_LAYOUT_rec_user || !r->sub)
		return;
	if (r->sub & REC_MISSING_FIRST)
		u->len[0] = fill(t, u->text, r->ptr, u->len[0]);
	if (r->sub & REC_MISSING_SECOND)
		u->len[1] = fill(t, second, u->arg, u->len[1]);
	memmove(u->text + u->len[0], second, u->len[1]);
	r->sub = 0;
}

static void report(uint64_t lost, uint64_t now, struct buf *out)
{
	struct rec_long l = { .r = { .time = now, .kind = REC_UNREADABLE }, .arg = lost };

	if (lost)
		buf_add(out, &l, sizeof(l));
}

void texts_fill(struct texts *t, struct chunk *c, size_t end, uint64_t now)
{
	uint64_t lost = t->lost;

	if (t->found == __atomic_load_n(t->missing, __ATOMIC_RELAXED))
		return;
	t->in_place = is_in_place(t);
	chunk_each(c, end, fill_record, t);
	report(t->lost - lost, now, &c->data);
}
