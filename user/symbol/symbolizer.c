// SPDX-License-Identifier: Apache-2.0
/*
 * symbolizer: see symbol.h. In: return addresses of a process. Out: frames as the runtime's tracer
 * writes them. Uses one source of names (source.h) per file.
 *
 * A trace has few distinct addresses, each very often (some thousands in a million stacks), so that
 * each is expanded once and kept until symbolizer_free(), with its keys. A program that forges
 * records can name any number of addresses: after KEPT_PCS of them a new one is expanded each time.
 */
#include "symbol/symbol.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/map64.h"
#include "base/strset.h"
#include "base/vec.h"
#include "symbol/elf_functions.h"
#include "symbol/names.h"
#include "symbol/pclntab.h"
#include "symbol/pclntab_source.h"
#include "symbol/source.h"

/* The text of cmd/compile, 18 MB, has 180,000 calls; a stack has only addresses behind calls. */
enum { KEPT_PCS = 1 << 18 };

/* A frame, and its kind, by which wrappers around it are shown or left out. */
struct known_frame {
	struct frame frame;
	enum func_kind kind;
};

/* The frames of one address: frames[first] to frames[first + n - 1] of the symbolizer. */
struct known_pc {
	uint32_t first, n;
	bool is_c;
};

/* One file that is mapped into the process. */
struct file {
	struct elf_file image;
	struct elf_file debug;	/* its debug file, for symbols, if there is one */
	struct source *source;
	struct pclntab *table;	/* NULL if the file has none */
	struct elf_functions c_functions;
	bool c_loaded;
	uint64_t bias;
};

struct symbolizer {
	struct vec files;	/* struct file: the program, its plugins */
	struct strset *names;
	struct vec frames;	/* struct known_frame; from kept_frames on: of one more address */
	size_t kept_frames;
	struct vec pcs;		/* struct known_pc */
	struct map64 by_return;	/* return address -> index in pcs */
	struct map64 by_entry;	/* start of a function -> index in pcs */
	struct map64 keys;	/* frame.pc in use as a key -> index in frames */
};

/*
 * Opens the function table and then the wanted source. The runtime's own tracer reads the function
 * table, and every Go binary has it, stripped or not. It answers ten times as fast as DWARF (10,000
 * addresses of cmd/compile: 13 against 190 ms), so that DWARF is used only if there is no table.
 * With DWARF the table, if there is one, is used for the entries of functions (symbolizer_entry).
 */
static int open_sources(struct file *f, const struct symbol_file *from, enum symbol_source which,
			struct error *err)
{
	int rc = pclntab_from_elf(&f->table, &f->image, err);

	if ((which == SYMBOL_PCLNTAB || !from->dwarf) && rc)
		return err ? error_prefix(err, "'%s'", from->path) : rc;
	if (which == SYMBOL_DWARF || !f->table)
		return from->dwarf(&f->source, from->debug ? from->debug : from->path, err);
	f->source = pclntab_source_new(f->table);
	return 0;
}

static void file_close(struct file *f)
{
	if (f->source)
		f->source->ops->free(f->source);
	pclntab_free(f->table);
	elf_functions_free(&f->c_functions);
	elf_file_close(&f->image);
	elf_file_close(&f->debug);
}

static struct symbolizer *symbolizer_empty(void)
{
	struct symbolizer *s = xcalloc(1, sizeof(*s));

	s->names = strset_new();
	return s;
}

struct symbolizer *symbolizer_from_source(struct source *src, uint64_t bias)
{
	struct symbolizer *s = symbolizer_empty();
	struct file *f = vec_push(&s->files, sizeof(*f));

	f->source = src;
	f->bias = bias;
	return s;
}

int symbolizer_add(struct symbolizer *s, const struct symbol_file *file,
		   enum symbol_source source, struct error *err)
{
	struct file f = { .bias = file->bias };
	int rc = 0;

	if (file->image)
		f.image = elf_file_borrow(file->image);
	else
		rc = elf_file_open(&f.image, file->path, err);
	if (!rc && file->debug)
		rc = elf_file_open(&f.debug, file->debug, err);
	if (rc)
		error_prefix(err, "'%s'", f.image.size ? file->debug : file->path);
	else
		rc = open_sources(&f, file, source, err);
	if (rc)
		file_close(&f);
	else
		*(struct file *)vec_push(&s->files, sizeof(f)) = f;
	return rc;
}

int symbolizer_open(struct symbolizer **ret, const struct symbol_file *file,
		    enum symbol_source source, struct error *err)
{
	struct symbolizer *s = symbolizer_empty();
	int rc = symbolizer_add(s, file, source, err);

	if (rc)
		symbolizer_free(s);
	else
		*ret = s;
	return rc;
}

void symbolizer_free(struct symbolizer *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->files.len; i++)
		file_close(vec_at(&s->files, struct file, i));
	vec_free(&s->files);
	strset_free(s->names);
	vec_free(&s->frames);
	vec_free(&s->pcs);
	map64_free(&s->by_return);
	map64_free(&s->by_entry);
	map64_free(&s->keys);
	free(s);
}

const char *symbolizer_source(const struct symbolizer *s)
{
	return vec_at(&s->files, struct file, 0)->source->ops->name;
}

uint64_t symbolizer_unanswered(const struct symbolizer *s, const char **why)
{
	uint64_t n = 0;
	size_t i;

	*why = "";
	for (i = 0; s && i < s->files.len; i++) {
		const struct source *source = vec_at(&s->files, struct file, i)->source;

		n += source->unanswered;
		if (source->unanswered)
			*why = source->failure.text;
	}
	return n;
}

static const char *intern_func(struct symbolizer *s, const char *name)
{
	char text[NAME_MAX_TRACE + 1];

	return strset_add(s->names, text, name_for_trace(name, text, sizeof(text)));
}

static const char *intern_file(struct symbolizer *s, const char *name)
{
	size_t n = strnlen(name, NAME_MAX_READ);
	size_t drop = n > NAME_MAX_TRACE ? n - NAME_MAX_TRACE : 0;

	return strset_add(s->names, name + drop, n - drop);
}

static bool frame_equal(const struct frame *a, const struct frame *b)
{
	return a->func == b->func && a->file == b->file && a->line == b->line;
}

/* Returns whether @pc is free, or already stands for the text of @f, the last frame. */
static bool is_key_for(const struct symbolizer *s, const struct frame *f, uint64_t pc)
{
	const uint64_t *at = map64_get(&s->keys, pc);
	size_t i;

	if (at)
		return frame_equal(f, &vec_at(&s->frames, struct known_frame, *at)->frame);
	for (i = s->kept_frames; i + 1 < s->frames.len; i++) {
		const struct frame *other = &vec_at(&s->frames, struct known_frame, i)->frame;

		if (other->pc == pc)
			return frame_equal(f, other);
	}
	return true;
}

/*
 * Adds a frame. It has the first key from @key downwards that is free or already stands for the
 * same text. The physical frame begins with its own address, and gets it unless that is the key of
 * an inlined frame nearby.
 */
static void frame_add(struct symbolizer *s, const struct source_frame *f, uint64_t key)
{
	struct known_frame *k = vec_push(&s->frames, sizeof(*k));

	k->frame.func = intern_func(s, f->func);
	k->frame.file = intern_file(s, f->file);
	k->frame.line = f->line;
	k->kind = f->kind;
	while (!is_key_for(s, &k->frame, key))
		key--;
	k->frame.pc = key;
}

/* Keeps the frames that were added last, with their keys. */
static void frames_keep(struct symbolizer *s)
{
	for (; s->kept_frames < s->frames.len; s->kept_frames++) {
		bool is_new;
		uint64_t pc = vec_at(&s->frames, struct known_frame, s->kept_frames)->frame.pc;
		uint64_t *at = map64_put(&s->keys, pc, &is_new);

		if (is_new)
			*at = s->kept_frames;
	}
}

static const char *c_function_in(struct file *f, uint64_t addr)
{
	if (!f->c_loaded && f->image.size)
		elf_functions_load(&f->c_functions, f->debug.size ? &f->debug : &f->image);
	f->c_loaded = true;
	return elf_functions_at(&f->c_functions, addr - f->bias);
}

static const char *c_function(struct symbolizer *s, uint64_t addr)
{
	const char *name = NULL;
	size_t i;

	for (i = 0; i < s->files.len && !name; i++)
		name = c_function_in(vec_at(&s->files, struct file, i), addr);
	return name ? name : "";
}

static size_t go_frames(struct symbolizer *s, uint64_t addr, struct source_frame *out)
{
	size_t i, n = 0;

	for (i = 0; i < s->files.len && !n; i++) {
		struct file *f = vec_at(&s->files, struct file, i);

		n = f->source->ops->expand(f->source, addr - f->bias, out);
	}
	return n;
}

/* Expands the instruction at @call_pc; the physical frame gets the key @key. */
static struct known_pc symbolizer_expand(struct symbolizer *s, uint64_t call_pc, uint64_t key)
{
	struct source_frame out[SOURCE_MAX_INLINE];
	size_t i, n = go_frames(s, call_pc, out);
	struct known_pc pc = { .first = (uint32_t)s->frames.len, .n = (uint32_t)n };

	if (!n) {
		out[0] = (struct source_frame){ .file = "" };
		out[0].func = c_function(s, call_pc);
		pc.n = 1;
		pc.is_c = true;
		frame_add(s, &out[0], key);
	}
	for (i = 0; i < n; i++)
		frame_add(s, &out[i], i + 1 == n ? key : key - 1);
	return pc;
}

static void pc_keep(struct symbolizer *s, struct map64 *index, uint64_t key, struct known_pc pc)
{
	bool is_new;

	frames_keep(s);
	*map64_put(index, key, &is_new) = s->pcs.len;
	*(struct known_pc *)vec_push(&s->pcs, sizeof(pc)) = pc;
}

/*
 * Returns the frames of @key from @index; if they are not there, expands the instruction at
 * @call_pc. The frames of an address that is not kept are valid until the next call.
 */
static struct known_pc symbolizer_lookup(struct symbolizer *s, struct map64 *index, uint64_t key,
			      uint64_t call_pc)
{
	const uint64_t *at = map64_get(index, key);
	struct known_pc pc;

	if (at)
		return *vec_at(&s->pcs, struct known_pc, *at);
	s->frames.len = s->kept_frames;
	pc = symbolizer_expand(s, call_pc, key);
	if (s->pcs.len < KEPT_PCS)
		pc_keep(s, index, key, pc);
	return pc;
}

/* The state that fpunwindExpand() carries from frame to frame. */
struct unwind {
	enum func_kind last;
	unsigned int skip;
	struct frame *out;	/* where frames go, */
	struct call *calls;	/* or calls, if they are wanted instead */
	size_t at;		/* index of the return address */
	size_t n, max;
};

static void unwind_add(struct unwind *u, const struct known_frame *k, bool inlined)
{
	if (u->skip)
		u->skip--;
	else if (u->out)
		u->out[u->n++] = k->frame;
	else
		u->calls[u->n++] = (struct call){ k->frame, u->at, inlined };
}

static void unwind_pc(struct unwind *u, const struct symbolizer *s, struct known_pc pc)
{
	const struct known_frame *k = vec_at(&s->frames, struct known_frame, pc.first);
	const struct known_frame *end = k + pc.n;

	for (; k < end && u->n < u->max; k++) {
		if (k->kind != FUNC_WRAPPER || u->last == FUNC_PANIC)
			unwind_add(u, k, k + 1 < end);
		/* a C frame does not change lastFuncID */
		if (!pc.is_c)
			u->last = k->kind;
	}
}

size_t symbolizer_stack(struct symbolizer *s, const uint64_t *pcs, size_t n,
			unsigned int skip, struct frame *out, size_t max)
{
	struct unwind u = { .skip = skip, .out = out, .max = max };
	size_t i;

	for (i = 0; i < n && u.n < max; i++)
		unwind_pc(&u, s, symbolizer_lookup(s, &s->by_return, pcs[i], pcs[i] - 1));
	return u.n;
}

size_t symbolizer_calls(struct symbolizer *s, const uint64_t *pcs, size_t n, struct call *out,
			size_t max)
{
	struct unwind u = { .calls = out, .max = max };

	for (; u.at < n && u.n < max; u.at++)
		unwind_pc(&u, s, symbolizer_lookup(s, &s->by_return, pcs[u.at], pcs[u.at] - 1));
	return u.n;
}

size_t symbolizer_entry(struct symbolizer *s, uint64_t entry, struct frame *out)
{
	struct known_pc pc;
	size_t i;

	for (i = 0; i < s->files.len; i++) {
		const struct file *f = vec_at(&s->files, struct file, i);

		if (f->table)
			entry = pclntab_unwrap(f->table, entry - f->bias) + f->bias;
	}
	pc = symbolizer_lookup(s, &s->by_entry, entry, entry);

	*out = vec_at(&s->frames, struct known_frame, pc.first)->frame;
	return 1;
}

bool symbolizer_function(struct symbolizer *s, uint64_t pc, struct symbol_function *ret)
{
	struct pclntab_func fn;
	size_t i;

	for (i = 0; i < s->files.len; i++) {
		const struct file *f = vec_at(&s->files, struct file, i);

		if (!f->table || !pclntab_func_at(f->table, pc - f->bias, &fn))
			continue;
		ret->entry = fn.entry + f->bias;
		ret->name = fn.name;
		ret->sp_delta = pclntab_sp_delta(f->table, &fn, pc - f->bias);
		return true;
	}
	return false;
}

int32_t symbolizer_sp_delta(struct symbolizer *s, uint64_t pc)
{
	struct symbol_function fn;

	return symbolizer_function(s, pc, &fn) ? fn.sp_delta : -1;
}
