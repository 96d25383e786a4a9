// SPDX-License-Identifier: Apache-2.0
/* texts: see texts.h. */
#include "capture/texts.h"

#include <string.h>

#include "live/memory.h"
#include "live/text_map.h"

void texts_init(struct texts *t, const struct process *proc, uint64_t types,
		const uint64_t *missing)
{
	*t = (struct texts){ .proc = proc, .types = types, .missing = missing };
}

void texts_free(struct texts *t)
{
	elf_file_close(&t->file);
}

/* Finds the addresses of all segments that the program cannot write: one, or several neighbours. */
static struct text_range texts_constants(const struct texts *t)
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

/*
 * Returns whether the program's memory at @addr is still mapped from its file. The file is held
 * open, so that a new file at its path does not matter.
 */
static bool is_in_place(struct texts *t)
{
	struct text_range range;
	struct error err;

	if (!t->file.size &&
	    elf_file_open_fd(&t->file, process_file_of_path(t->proc->module), &err))
		return false;
	range = texts_constants(t);
	return !text_moved(t->proc, &range);
}

/*
 * Returns @n bytes of the program's file that are mapped at @addr; NULL: there are none, or the
 * program may have changed them.
 */
static const uint8_t *constant_at(const struct texts *t, uint64_t addr, uint64_t n)
{
	return t->in_place ? elf_constant_bytes(&t->file, addr - t->proc->bias, n) : NULL;
}

/* Copies a text of the program's file. Returns its length, 0 if it is lost. */
static uint16_t capture_fill(struct texts *t, char *to, uint64_t from, uint16_t len)
{
	const uint8_t *text = constant_at(t, from, len);

	t->found++;
	memory_touch(t->proc, from);
	if (!text) {
		t->lost++;
		return 0;
	}
	memcpy(to, text, len);
	return len;
}

/* The members of abi.Type that the record of a type needs. */
struct type {
	uint64_t size, ptr_bytes;
	uint8_t flags;
	int32_t name;		/* offset from the first type */
};

enum { TYPE_BYTES = 48, TYPE_FLAGS_AT = 20, TYPE_NAME_AT = 40, TYPE_EXTRA_STAR = 2 };

static bool type_at(const struct texts *t, uint64_t addr, struct type *ret)
{
	const uint8_t *bytes = constant_at(t, addr, TYPE_BYTES);

	if (!bytes)
		return false;
	memcpy(&ret->size, bytes, sizeof(ret->size));
	memcpy(&ret->ptr_bytes, bytes + sizeof(ret->size), sizeof(ret->ptr_bytes));
	memcpy(&ret->name, bytes + TYPE_NAME_AT, sizeof(ret->name));
	ret->flags = bytes[TYPE_FLAGS_AT];
	return true;
}

/*
 * Copies at most @room bytes of the abi.Name at @addr, without its first @skip ones. Returns how
 * many, -1: it is not there.
 */
static int copy_name(const struct texts *t, uint64_t addr, size_t skip, char *to, size_t room)
{
	const uint8_t *head = constant_at(t, addr, 3), *text;
	size_t n;

	if (!head)
		return -1;
	n = head[1] & 0x7f;
	addr += 2;
	if (head[1] & 0x80) {
		n |= (size_t)(head[2] & 0x7f) << 7;
		addr++;
	}
	if (n <= skip)
		return 0;
	n = n - skip < room ? n - skip : room;
	text = constant_at(t, addr + skip, n);
	if (!text)
		return -1;
	memcpy(to, text, n);
	return (int)n;
}

/*
 * Puts the data that the file has of a type into its record. Returns the length of the name, -1:
 * the file does not have it.
 */
static int take_type(const struct texts *t, struct rec_user *u)
{
	size_t room = u->room < REC_TEXT_MAX ? u->room : REC_TEXT_MAX;
	struct type type;

	if (!type_at(t, u->r.id, &type))
		return -1;
	u->r.ptr = type.size;
	u->arg = type.ptr_bytes;
	if (type.name < 0)
		return 0;
	return copy_name(t, t->types + (uint32_t)type.name, !!(type.flags & TYPE_EXTRA_STAR),
			 u->text, room);
}

static void fill_type(struct texts *t, struct rec_user *u)
{
	int n = take_type(t, u);

	t->found++;
	t->lost += n < 0;
	u->len[0] = n > 0 ? (uint16_t)n : 0;
}

/*
 * The first bytes of @text are the address of the text. Returns the text's length: 0 if it is lost.
 */
static uint8_t fill_label_text(struct texts *t, char *text, uint8_t len)
{
	uint64_t from;

	memcpy(&from, text, sizeof(from));
	memset(text, 0, sizeof(from));
	return (uint8_t)capture_fill(t, text, from, len);
}

static void fill_label(struct texts *t, struct rec_label *l)
{
	if (l->flags & REC_LABEL_KEY_MISSING) {
		l->key_len = fill_label_text(t, l->key, l->key_len);
		l->flags |= l->key_len ? 0 : REC_LABEL_KEY_CUT;
	}
	if (l->flags & REC_LABEL_VALUE_MISSING) {
		l->value_len = fill_label_text(t, l->value, l->value_len);
		l->flags |= l->value_len ? 0 : REC_LABEL_VALUE_CUT;
	}
	l->flags &= (uint8_t)~(REC_LABEL_KEY_MISSING | REC_LABEL_VALUE_MISSING);
}

static void fill_labels(struct texts *t, struct rec_user *u)
{
	struct rec_label *labels = (struct rec_label *)u->text;
	size_t i;

	for (i = 0; i < u->len[0] / sizeof(*labels); i++)
		fill_label(t, &labels[i]);
}

/*
 * A Go string. In a position-independent program the dynamic linker writes it, since it has an
 * address. The file then has no such constant, but the string's page is in memory.
 */
struct go_string {
	uint64_t at, len;
};

/* The record has the address of the Go string, which says where the text is. */
static void fill_message(struct texts *t, struct rec_user *u)
{
	const uint8_t *bytes = constant_at(t, u->r.ptr, sizeof(struct go_string));
	struct go_string s = {0};

	memory_touch(t->proc, u->r.ptr);
	if (bytes)
		memcpy(&s, bytes, sizeof(s));
	u->r.ptr = s.at;
	u->len[0] = capture_fill(t, u->text, s.at, (uint16_t)(s.len < u->room ? s.len : u->room));
}

/* The text of @len[0] bytes is at address @ptr of the program, that of @len[1] bytes at @arg. */
static void fill_texts(struct texts *t, struct rec_user *u)
{
	char *second = u->text + u->len[0];

	if (u->r.sub & REC_MISSING_FIRST)
		u->len[0] = capture_fill(t, u->text, u->r.ptr, u->len[0]);
	if (u->r.sub & REC_MISSING_SECOND)
		u->len[1] = capture_fill(t, second, u->arg, u->len[1]);
	memmove(u->text + u->len[0], second, u->len[1]);
}

static void fill_death(struct texts *t, struct rec_user *u)
{
	if (u->r.sub & REC_MISSING_SECOND)
		fill_message(t, u);
	else
		fill_texts(t, u);
}

static void fill_record(void *ctx, uint32_t cpu, struct rec *r)
{
	struct rec_user *u = (struct rec_user *)r;
	struct texts *t = ctx;

	if (rec_layout(r->kind) != REC_LAYOUT_rec_user || !r->sub)
		return;
	switch (r->kind) {
	case REC_OBJECT_TYPE:
		fill_type(t, u);
		break;
	case REC_USER_LABELS:
		fill_labels(t, u);
		break;
	case REC_PROGRAM_DIES:
		fill_death(t, u);
		break;
	default:
		fill_texts(t, u);
	}
	r->sub = 0;
}

static void texts_report(uint64_t lost, uint64_t now, struct buf *out)
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
	texts_report(t->lost - lost, now, &c->data);
}
