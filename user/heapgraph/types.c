// SPDX-License-Identifier: Apache-2.0
/* types: see types.h. */
#include "heapgraph/types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heapgraph/internal.h"
#include "live/fields.h"
#include "live/memory.h"
#include "target/dwarf_variables.h"
#include "target/gobin.h"

enum {
	MINOR_TYPES = 22,
	/* abi.Type, Go 1.22 to 1.27 */
	T_SIZE = 0, T_TFLAG = 20, T_KIND = 23, T_STR = 40, T_ELEM = 48, T_BYTES = 80,
	T_ARRAY_LEN = 64, T_FIELDS = 56, T_METHODS = 64,
	TFLAG_EXTRA_STAR = 1 << 1, KIND_MASK = 31,
	/* of the kind up to Go 1.25, of the flags since 1.26 */
	DIRECT = 1 << 5, MINOR_DIRECT_FLAG = 26,
	FIELD_BYTES = 24, FIELD_TYPE = 8, FIELD_OFFSET = 16,
	ITAB_TYPE = 8,			/* internal/abi, ITab.Type, all releases */
	HEADER = 8,
	MOST_NAME = 1024, MOST_FIELDS = 4096, MOST_DEPTH = 16, MOST_BYTES = 1 << 20,
	MOST_DESCRIPTORS = 1 << 20, BATCH = 256,
	/* words that are looked at in all: a hostile type can have any number of fields */
	WORK_PER_OBJECT = 4096,
};

/* abi.Kind */
enum { K_ARRAY = 17, K_CHAN = 18, K_FUNC = 19, K_INTERFACE = 20, K_MAP = 21, K_POINTER = 22,
       K_SLICE = 23, K_STRING = 24, K_STRUCT = 25, K_UNSAFE = 26 };

struct field {
	uint64_t type, offset;
};

/* A type descriptor. */
struct descriptor {
	uint64_t size, elem, length;	/* length: of arrays; methods of interfaces */
	struct field *fields;
	uint32_t nfields, name;		/* number of its name; 0: not made yet */
	uint32_t slice_name;		/* of "[]name" */
	uint8_t kind;
	bool direct;			/* an interface holds the value itself: it is a pointer */
};

struct typing {
	struct heapgraph *hg;
	struct graph_types *types;
	struct map64 known;		/* address -> number in all + 1; 0: it is none */
	struct vec all;			/* struct descriptor */
	struct map64 numbers;		/* address of a text -> number of the name */
	struct vec todo;		/* struct todo */
	uint64_t low, high;		/* type descriptors of the program */
	uint64_t work_left;
};

/* An object whose pointers are followed. */
struct todo {
	uint32_t object;
	uint64_t type;
};

/* --- descriptors --- */

static bool types_fields(struct typing *t, const uint8_t *bytes, struct descriptor *d)
{
	uint64_t at = u64_at(bytes, T_FIELDS), n = u64_at(bytes, T_FIELDS + 8), i;
	uint8_t *fields;

	if (n > MOST_FIELDS)
		return false;
	fields = xcalloc(n + 1, FIELD_BYTES);
	if (n && !memory_read(t->hg->opts.proc, at, fields, n * FIELD_BYTES)) {
		free(fields);
		return false;
	}
	d->fields = xcalloc(n + 1, sizeof(*d->fields));
	for (i = 0; i < n; i++)
		d->fields[i] = (struct field){ u64_at(fields + i * FIELD_BYTES, FIELD_TYPE),
					       u64_at(fields + i * FIELD_BYTES, FIELD_OFFSET) };
	d->nfields = (uint32_t)n;
	free(fields);
	return true;
}

/* Stores the name (abi.Name: flags, a length as varint, bytes). */
static uint32_t types_number(struct typing *t, const char *text, size_t n)
{
	const char *kept = strset_add(t->types->texts, text, n);
	bool is_new;
	uint64_t *number = map64_put(&t->numbers, (uintptr_t)kept, &is_new);

	if (is_new) {
		*number = t->types->names.len;
		*(const char **)vec_push(&t->types->names, sizeof(kept)) = kept;
	}
	return (uint32_t)*number;
}

static uint32_t types_name(struct typing *t, const uint8_t *bytes)
{
	uint8_t name[MOST_NAME + 3];
	uint64_t at = t->low + u32_at(bytes, T_STR);
	size_t n = t->high - at < sizeof(name) ? t->high - at : sizeof(name), length, skip = 2;

	if (at >= t->high || n < 3 || !memory_read(t->hg->opts.proc, at, name, n))
		return TYPE_UNKNOWN;
	length = name[1] & 0x7f;
	if (name[1] & 0x80) {
		length |= (size_t)(name[2] & 0x7f) << 7;
		skip = 3;
	}
	if (bytes[T_TFLAG] & TFLAG_EXTRA_STAR && length && name[skip] == '*') {
		skip++;
		length--;
	}
	if (skip >= n || !length)
		return TYPE_UNKNOWN;
	return types_number(t, (char *)name + skip, length < n - skip ? length : n - skip);
}

static bool types_read(struct typing *t, uint64_t addr, struct descriptor *d)
{
	uint8_t bytes[T_BYTES];

	*d = (struct descriptor){0};
	if (addr < t->low || addr >= t->high || addr % 8 ||
	    !memory_read(t->hg->opts.proc, addr, bytes, sizeof(bytes)))
		return false;
	d->size = u64_at(bytes, T_SIZE);
	d->kind = bytes[T_KIND] & KIND_MASK;
	d->elem = u64_at(bytes, T_ELEM);
	if (d->kind == K_ARRAY)
		d->length = u64_at(bytes, T_ARRAY_LEN);
	if (d->kind == K_INTERFACE)
		d->length = u64_at(bytes, T_METHODS);
	d->direct = bytes[t->hg->opts.plan->minor >= MINOR_DIRECT_FLAG ? T_TFLAG : T_KIND] & DIRECT;
	d->name = types_name(t, bytes);
	return d->size < 1ULL << 40 && d->kind <= K_UNSAFE && d->name != TYPE_UNKNOWN &&
	       (d->kind != K_STRUCT || types_fields(t, bytes, d));
}

static struct descriptor *types_descriptor(struct typing *t, uint64_t addr)
{
	struct descriptor d;
	uint64_t *known;
	bool is_new;

	if (t->all.len >= MOST_DESCRIPTORS && !map64_get(&t->known, addr))
		return NULL;
	known = map64_put(&t->known, addr, &is_new);
	if (is_new) {
		*known = 0;
		if (types_read(t, addr, &d)) {
			*(struct descriptor *)vec_push(&t->all, sizeof(d)) = d;
			*map64_get(&t->known, addr) = t->all.len;
		} else {
			free(d.fields);
		}
		known = map64_get(&t->known, addr);
	}
	return *known ? vec_at(&t->all, struct descriptor, *known - 1) : NULL;
}

static uint32_t types_slice_name(struct typing *t, struct descriptor *d)
{
	char *text;

	if (d->slice_name)
		return d->slice_name;
	text = xasprintf("[]%s", *vec_at(&t->types->names, const char *, d->name));
	d->slice_name = types_number(t, text, strlen(text));
	free(text);
	return d->slice_name;
}

/* --- objects --- */

/* Returns the begin of the values of an object, which a header may come before. */
static uint64_t types_begin(const struct graph_span *s, uint32_t object)
{
	uint64_t at = s->base + (object - s->first) * s->elemsize;

	return s->large || s->noscan || s->elemsize <= GRAPH_SMALL ? at : at + HEADER;
}

/*
 * Gives the object at @addr the type; @many: it has several values. Only an address of its begin
 * says what the object is: a pointer to a field does not.
 */
static void types_give(struct typing *t, uint64_t addr, uint64_t type, bool many)
{
	uint32_t object = heapgraph_object_at(t->hg, addr);
	const struct graph_span *s;
	struct descriptor *d;

	if (object == GRAPH_NONE || t->types->of[object])
		return;
	s = heapgraph_span_of(t->hg, object);
	if (addr != types_begin(s, object))
		return;
	d = types_descriptor(t, type);
	if (!d || !d->size || d->size > s->elemsize)
		return;
	many |= d->size * 2 <= s->elemsize - HEADER && s->elemsize > 2 * GRAPH_SMALL;
	t->types->of[object] = many ? types_slice_name(t, d) : d->name;
	if (!s->noscan)
		*(struct todo *)vec_push(&t->todo, sizeof(struct todo)) =
			(struct todo){ object, type };
}

static void types_give_number(struct typing *t, uint64_t addr, uint32_t number)
{
	uint32_t object = heapgraph_object_at(t->hg, addr);

	if (object != GRAPH_NONE && !t->types->of[object])
		t->types->of[object] = number;
}

/* Gives the type to the container of a map or channel: it has no descriptor of its own. */
static void types_give_name(struct typing *t, uint64_t addr, uint64_t type)
{
	struct descriptor *d = types_descriptor(t, type);

	if (d)
		types_give_number(t, addr, d->name);
}

/* What an interface holds: a pointer itself, or the address of a value. */
static void types_interface(struct typing *t, uint64_t type, uint64_t data, bool has_methods)
{
	struct descriptor *d;

	if (!type || !data ||
	    (has_methods && !memory_read(t->hg->opts.proc, type + ITAB_TYPE, &type, 8)))
		return;
	d = types_descriptor(t, type);
	if (!d)
		return;
	if (d->kind == K_POINTER)
		types_give(t, data, d->elem, false);
	else if (d->kind == K_MAP || d->kind == K_CHAN)
		types_give_name(t, data, type);
	else if (d->kind == K_FUNC)
		types_give_number(t, data, TYPE_CLOSURE);
	else if (!d->direct)
		types_give(t, data, type, false);
}

static void types_value(struct typing *t, uint64_t type, const uint8_t *bytes, uint64_t n,
			unsigned int depth);

static void types_elements(struct typing *t, uint64_t type, const uint8_t *bytes, uint64_t n,
			   unsigned int depth)
{
	const struct descriptor *d = types_descriptor(t, type);
	uint64_t size = d ? d->size : 0, at;

	if (!size)
		return;
	for (at = 0; at + size <= n && t->work_left; at += size)
		types_value(t, type, bytes + at, size, depth + 1);
}

static void types_struct(struct typing *t, const struct descriptor *d, const uint8_t *bytes,
			 uint64_t n, unsigned int depth)
{
	const struct field *fields = d->fields;
	uint32_t i, nfields = d->nfields;

	for (i = 0; i < nfields && t->work_left; i++)
		if (fields[i].offset < n)
			types_value(t, fields[i].type, bytes + fields[i].offset,
				    n - fields[i].offset, depth + 1);
}

/* Follows the pointers of a value of @type, of which there are @n bytes at least. */
static void types_value(struct typing *t, uint64_t type, const uint8_t *bytes, uint64_t n,
			unsigned int depth)
{
	const struct descriptor *found = types_descriptor(t, type);
	struct descriptor d;

	if (!found || depth > MOST_DEPTH || n < found->size || !t->work_left)
		return;
	d = *found;		/* others may be added meanwhile */
	t->work_left--;
	if (d.kind == K_STRUCT)
		types_struct(t, &d, bytes, n, depth);
	else if (d.kind == K_ARRAY && d.size)
		types_elements(t, d.elem, bytes, d.size, depth);
	else if (d.kind == K_POINTER)
		types_give(t, u64_at(bytes, 0), d.elem, false);
	else if (d.kind == K_SLICE)
		types_give(t, u64_at(bytes, 0), d.elem, true);
	else if (d.kind == K_STRING)
		types_give_number(t, u64_at(bytes, 0), TYPE_STRING);
	else if (d.kind == K_INTERFACE)
		types_interface(t, u64_at(bytes, 0), u64_at(bytes, 8), d.length);
	else if (d.kind == K_MAP || d.kind == K_CHAN)
		types_give_name(t, u64_at(bytes, 0), type);
	else if (d.kind == K_FUNC)
		types_give_number(t, u64_at(bytes, 0), TYPE_CLOSURE);
}

static void types_follow(struct typing *t, struct todo todo, uint8_t *bytes)
{
	const struct graph_span *s = heapgraph_span_of(t->hg, todo.object);
	uint64_t begin = types_begin(s, todo.object);
	uint64_t n = s->base + (todo.object - s->first + 1) * s->elemsize - begin;

	n = n < MOST_BYTES ? n : MOST_BYTES;
	if (memory_read(t->hg->opts.proc, begin, bytes, n))
		types_elements(t, todo.type, bytes, n, 0);
}

static int types_follow_all(struct typing *t, struct error *err)
{
	uint8_t *bytes = xcalloc(1, MOST_BYTES);
	unsigned int i = 0;
	int r = 0;

	while (t->todo.len && !r) {
		types_follow(t, *vec_at(&t->todo, struct todo, --t->todo.len), bytes);
		if (!(++i % 4096))
			r = graph_stopped(t->hg, err);
	}
	free(bytes);
	return r;
}

/* --- where types begin --- */

static void types_read_headers(struct typing *t, struct memory_range *ranges, size_t n)
{
	size_t i;

	memory_read_each(t->hg->opts.proc, ranges, n);
	for (i = 0; i < n; i++)
		if (ranges[i].ok)
			types_give(t, ranges[i].addr + HEADER, *(uint64_t *)ranges[i].to, false);
}

static void types_by_headers(struct typing *t)
{
	struct memory_range ranges[BATCH];
	uint64_t headers[BATCH];
	size_t i, n = 0;
	uint32_t k;

	for (i = 0; i < t->hg->spans.len && !stop_requested(t->hg->opts.stop); i++) {
		const struct graph_span *s = vec_at(&t->hg->spans, struct graph_span, i);

		if (s->noscan || (!s->large && s->elemsize <= GRAPH_SMALL))
			continue;
		if (s->large) {
			types_give(t, s->base, s->large_type, false);
			continue;
		}
		for (k = 0; k < s->nelems; k++) {
			if (!graph_is_allocated(t->hg, s->first + k))
				continue;
			ranges[n] = (struct memory_range){ s->base + k * s->elemsize, &headers[n],
							   HEADER, false };
			if (++n == BATCH) {
				types_read_headers(t, ranges, n);
				n = 0;
			}
		}
	}
	types_read_headers(t, ranges, n);
}

static void types_of_runtime(struct typing *t)
{
	size_t i;

	for (i = 0; i < t->hg->opaque.made; i++) {
		const struct map64_slot *slot = &t->hg->opaque.slots[i];

		if (slot->used)
			t->types->of[slot->key] = slot->value == GRAPH_G ? TYPE_G : TYPE_SUDOG;
	}
}

/* --- what global variables point to --- */

static void types_of_variable(struct typing *t, const struct dwarf_variable *v, uint8_t *bytes)
{
	const struct process *proc = t->hg->opts.proc;
	uint64_t type = t->low + v->type, pointer;
	const struct descriptor *d = v->type < t->high - t->low ? types_descriptor(t, type) : NULL;

	if (!d)
		return;
	if (v->form != DWARF_VALUE) {
		if (memory_read(proc, v->addr + proc->bias, &pointer, sizeof(pointer)))
			types_give(t, pointer, type, v->form == DWARF_SLICE);
	} else if (d->size && d->size <= MOST_BYTES &&
		   memory_read(proc, v->addr + proc->bias, bytes, d->size)) {
		types_value(t, type, bytes, d->size, 0);
	}
}

/* A program without DWARF data has no types of variables, and that is no error. */
static void types_of_variables(struct typing *t)
{
	const struct gobin *bin = t->hg->opts.bin;
	const struct elf_file *f = bin ? gobin_dwarf_file(bin) : NULL;
	struct dwarf_variables *all;
	uint8_t *bytes;
	struct error *err = &t->types->variables;
	uint32_t i;
	int r;

	if (!f && bin)
		f = gobin_elf(bin);
	if (!f)
		return;
	all = xcalloc(1, sizeof(*all));
	bytes = xcalloc(1, MOST_BYTES);
	r = dwarf_variables_read(f, all, err);
	if (!r || r == -ENOENT)
		*err = (struct error){0};
	t->types->variables_left_out = all->left_out;
	for (i = 0; i < all->n && !stop_requested(t->hg->opts.stop); i++)
		types_of_variable(t, &all->all[i], bytes);
	free(bytes);
	free(all);
}

/* Objects without pointers and without a known type. */
static void types_of_rest(struct typing *t)
{
	size_t i;
	uint32_t k;

	for (i = 0; i < t->hg->spans.len; i++) {
		const struct graph_span *s = vec_at(&t->hg->spans, struct graph_span, i);

		for (k = 0; s->noscan && k < s->nelems; k++)
			if (!t->types->of[s->first + k])
				t->types->of[s->first + k] = TYPE_NOSCAN;
	}
}

static void types_free(struct typing *t)
{
	size_t i;

	for (i = 0; i < t->all.len; i++)
		free(vec_at(&t->all, struct descriptor, i)->fields);
	vec_free(&t->all);
	vec_free(&t->todo);
	map64_free(&t->known);
	map64_free(&t->numbers);
}

int graph_types_find(struct graph_types *ret, struct heapgraph *hg, struct error *err)
{
	static const char *const fixed[] = { "(unknown)", "(no pointers)", "runtime.g",
					     "runtime.sudog", "string", "func (closure)" };
	const struct plan *plan = hg->opts.plan;
	struct typing t = {
		.hg = hg, .types = ret,
		.low = plan->types_start + hg->opts.proc->bias,
		.high = plan->types_end + hg->opts.proc->bias,
		.work_left = (uint64_t)hg->counts.objects * WORK_PER_OBJECT + (1 << 20),
	};
	size_t i;
	int r = 0;

	*ret = (struct graph_types){
		.texts = strset_new(),
		.of = xcalloc((size_t)hg->nobjects + 1, sizeof(uint32_t)),
	};
	for (i = 0; i < TYPE_FIRST; i++)
		types_number(&t, fixed[i], strlen(fixed[i]));
	types_of_runtime(&t);
	if (plan->minor >= MINOR_TYPES && t.low < t.high) {
		types_by_headers(&t);
		types_of_variables(&t);
		r = types_follow_all(&t, err);
	}
	types_of_rest(&t);
	types_free(&t);
	return r ? r : graph_stopped(hg, err);
}

void graph_types_free(struct graph_types *t)
{
	vec_free(&t->names);
	strset_free(t->texts);
	free(t->of);
	*t = (struct graph_types){0};
}
