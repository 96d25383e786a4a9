// SPDX-License-Identifier: Apache-2.0
/*
 * globals: global variables with pointers (runtime/symtab.go, moduledata: data, bss, gcdatamask,
 * gcbssmask). See internal.h.
 *
 * moduledata is found in the data of the program by a row of its fields, which is the same from Go
 * 1.15 to 1.27: minpc, maxpc, text, etext, noptrdata, enoptrdata, data, edata, bss, ebss. A linker
 * of C puts data before noptrdata. The two bitmaps follow somewhere: the number of their bits is
 * that of the words of data and of bss. Where moduledata is not found, each word of the writable
 * data counts. Its field next, in the words that follow, leads to that of a plugin.
 */
#include <stdlib.h>
#include <string.h>

#include "heapgraph/internal.h"
#include "live/fields.h"
#include "live/memory.h"
#include "symbol/elf_file.h"
#include "target/gobin.h"

enum {
	ROW = 10,		/* words of the row */
	REST = 96,		/* words after it in which the bitmaps are looked for */
	MOST_DATA = 1 << 30,	/* bytes of data and of bss */
	DATA = 6, BSS = 8,	/* places in the row */
	MOST_MODULES = 64,	/* the program and its plugins */
	/* where the row is in moduledata, up to Go 1.15, and since then */
	ROW_AT_15 = 80, ROW_AT = 160,
};

/* A section with pointers; bits NULL: each word. */
struct section {
	uint64_t start, end;
	uint8_t *bits;
};

struct globals {
	struct heapgraph *hg;
	struct section sections[2 * MOST_MODULES];	/* by address */
	unsigned int n;
	bool each_word;		/* of a plugin */
	size_t next;		/* global whose edges come next */
};

static uint64_t globals_low(const struct heapgraph *hg)
{
	return hg->opts.plan->data_start + hg->opts.proc->bias;
}

static uint64_t globals_high(const struct heapgraph *hg)
{
	return hg->opts.plan->data_end + hg->opts.proc->bias;
}

static bool globals_is_row(const struct heapgraph *hg, const uint64_t *w)
{
	unsigned int i;

	if (w[0] != hg->opts.plan->text_start + hg->opts.proc->bias || w[1] <= w[0] ||
	    w[2] > w[0] || w[3] < w[1])
		return false;
	for (i = 4; i < ROW; i++)
		if (w[i] < globals_low(hg) || w[i] > globals_high(hg) || (i % 2 && w[i] < w[i - 1]))
			return false;
	return w[DATA + 1] - w[DATA] <= MOST_DATA && w[BSS + 1] - w[BSS] <= MOST_DATA;
}

/* Reads the bitmap of [@start, @end), a bitvector at @w (n, address); NULL: it is none. */
static uint8_t *globals_bitmap(const struct heapgraph *hg, const uint64_t *w, uint64_t start,
			       uint64_t end)
{
	uint64_t words = (end - start) / 8, bytes = (words + 7) / 8;
	uint8_t *bits;

	if ((w[0] & UINT32_MAX) != words || w[1] < 4096)
		return NULL;
	bits = xcalloc(1, bytes + 1);
	if (memory_read(hg->opts.proc, w[1], bits, bytes))
		return bits;
	free(bits);
	return NULL;
}

static bool globals_take_row(struct globals *gl, const uint64_t *w)
{
	struct section *data = &gl->sections[gl->n], *bss = data + 1;
	unsigned int i;

	for (i = ROW; i + 4 <= ROW + REST; i++) {
		data->bits = globals_bitmap(gl->hg, w + i, w[DATA], w[DATA + 1]);
		bss->bits = data->bits ?
			globals_bitmap(gl->hg, w + i + 2, w[BSS], w[BSS + 1]) : NULL;
		if (bss->bits)
			break;
		free(data->bits);
		data->bits = NULL;
	}
	*data = (struct section){ w[DATA], w[DATA + 1], data->bits };
	*bss = (struct section){ w[BSS], w[BSS + 1], bss->bits };
	gl->n += 2;
	return data->bits;
}

/* --- plugins --- */

static bool globals_is_row_of_plugin(const uint64_t *w)
{
	unsigned int i;

	if (w[0] < 4096 || w[1] <= w[0] || w[2] > w[0] || w[3] < w[1])
		return false;
	for (i = 4; i < ROW; i++)
		if (w[i] < 4096 || (i % 2 && w[i] < w[i - 1]))
			return false;
	return !(w[DATA] % 8) && !(w[BSS] % 8) && w[DATA + 1] - w[DATA] <= MOST_DATA &&
	       w[BSS + 1] - w[BSS] <= MOST_DATA;
}

static bool globals_is_known(const struct globals *gl, const uint64_t *w)
{
	unsigned int k;

	for (k = 0; k < gl->n; k++)
		if (w[DATA] < gl->sections[k].end && gl->sections[k].start < w[BSS + 1])
			return true;
	return false;
}

/* Replaces the words of a module by those of the next one; false: there is none. */
static bool globals_next_module(const struct globals *gl, uint64_t words[ROW + REST])
{
	unsigned int at = gl->hg->opts.plan->minor <= 15 ? ROW_AT_15 : ROW_AT, i;
	uint64_t next[ROW + REST];

	for (i = ROW; i < ROW + REST; i++) {
		if (words[i] < 4096 || words[i] % 8 ||
		    !memory_read(gl->hg->opts.proc, words[i] + at, next, ROW * 8) ||
		    !globals_is_row_of_plugin(next) || globals_is_known(gl, next))
			continue;
		if (!memory_read(gl->hg->opts.proc, words[i] + at, next, sizeof(next)))
			memset(next + ROW, 0, REST * 8);
		memcpy(words, next, sizeof(next));
		return true;
	}
	return false;
}

static int globals_sections_by_address(const void *a, const void *b)
{
	const struct section *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void globals_take_plugins(struct globals *gl, uint64_t words[ROW + REST])
{
	while (gl->n + 2 <= 2 * MOST_MODULES && globals_next_module(gl, words))
		gl->each_word |= !globals_take_row(gl, words);
	qsort(gl->sections, gl->n, sizeof(gl->sections[0]), globals_sections_by_address);
}

static void globals_drop_sections(struct globals *gl)
{
	while (gl->n)
		free(gl->sections[--gl->n].bits);
}

/* @words: a row, and what follows. False: it is not that of the program, or has no bitmaps. */
static bool globals_take_program(struct globals *gl, uint64_t words[ROW + REST])
{
	globals_drop_sections(gl);
	if (!globals_take_row(gl, words))
		return false;
	globals_take_plugins(gl, words);
	return true;
}

/* Looks for the row. Without the bitmaps every word of data and of bss counts. */
static void globals_find(struct globals *gl)
{
	enum { PIECE_WORDS = GRAPH_PIECE / 8, OVERLAP = ROW + REST };
	uint64_t *words = xcalloc(PIECE_WORDS + OVERLAP, 8), at, n;
	size_t i;
	bool found = false;

	for (at = globals_low(gl->hg); at < globals_high(gl->hg) && !found &&
	     !stop_requested(gl->hg->opts.stop); at += GRAPH_PIECE) {
		n = globals_high(gl->hg) - at;
		n = n < GRAPH_PIECE + OVERLAP * 8 ? n : GRAPH_PIECE + OVERLAP * 8;
		memset(words, 0, GRAPH_PIECE + OVERLAP * 8);
		if (!memory_read_parts(gl->hg->opts.proc, at, words, n))
			continue;
		for (i = 0; i < PIECE_WORDS && i + ROW <= n / 8 && !found; i++)
			if (globals_is_row(gl->hg, words + i))
				found = globals_take_program(gl, words + i);
	}
	if (!gl->n) {
		gl->sections[0].start = globals_low(gl->hg);
		gl->sections[0].end = globals_high(gl->hg);
		gl->n = 1;
	}
	gl->hg->counts.globals_each_word = !found || gl->each_word;
	free(words);
}

/* --- names --- */

static int globals_by_address(const void *a, const void *b)
{
	const struct graph_global *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static void globals_add(struct heapgraph *hg, uint64_t addr, uint64_t size, const char *name)
{
	struct graph_global *g = vec_push(&hg->globals, sizeof(*g));

	*g = (struct graph_global){ addr, size, name };
}

static void globals_name(struct globals *gl)
{
	enum { MOST = 1 << 24 };
	const struct gobin *bin = gl->hg->opts.bin;
	const struct elf_file *f = bin ? gobin_dwarf_file(bin) : NULL;
	uint64_t bias = gl->hg->opts.proc->bias;
	struct elf_symbols symbols;
	size_t i;
	unsigned int k;

	if (!f && bin)
		f = gobin_elf(bin);
	if (!f || !elf_symbols_of(f, &symbols))
		return;
	for (i = 0; i < symbols.n && i < MOST; i++) {
		Elf64_Sym s = elf_symbol(&symbols, i);

		if (ELF64_ST_TYPE(s.st_info) != STT_OBJECT || !s.st_size || s.st_value % 8)
			continue;
		for (k = 0; k < gl->n; k++)
			if (s.st_value + bias >= gl->sections[k].start &&
			    s.st_value + bias < gl->sections[k].end &&
			    s.st_size <= gl->sections[k].end - (s.st_value + bias))
				globals_add(gl->hg, s.st_value + bias, s.st_size,
					    elf_string(&symbols.names, s.st_name));
	}
	vec_sort(&gl->hg->globals, sizeof(struct graph_global), globals_by_address);
}

/* Makes the list without overlaps, with a global for each part that has no name. */
static void globals_fill_gaps(struct globals *gl)
{
	struct vec named = gl->hg->globals;
	size_t i = 0;
	unsigned int k;

	gl->hg->globals = (struct vec){0};
	for (k = 0; k < gl->n; k++) {
		uint64_t at = gl->sections[k].start, end = gl->sections[k].end;

		for (; i < named.len && vec_at(&named, struct graph_global, i)->addr < end; i++) {
			const struct graph_global *g = vec_at(&named, struct graph_global, i);

			if (g->addr < at)
				continue;
			if (g->addr > at)
				globals_add(gl->hg, at, g->addr - at, NULL);
			globals_add(gl->hg, g->addr, g->size, g->name);
			at = g->addr + g->size;
		}
		if (at < end)
			globals_add(gl->hg, at, end - at, NULL);
	}
	vec_free(&named);
}

/* --- their edges --- */

/* Begins the nodes of all globals that begin up to @addr. */
static void globals_begin(struct globals *gl, uint64_t addr)
{
	while (gl->next < gl->hg->globals.len &&
	       vec_at(&gl->hg->globals, struct graph_global, gl->next)->addr <= addr) {
		graph_begin_node(gl->hg);
		gl->next++;
	}
}

static void globals_scan_piece(struct globals *gl, const struct section *s, uint64_t at,
			       const uint8_t *bytes, uint64_t n)
{
	uint64_t i, word;

	for (i = 0; i + 8 <= n; i += 8) {
		word = (at + i - s->start) / 8;
		globals_begin(gl, at + i);
		if (!s->bits || s->bits[word / 8] >> word % 8 & 1)
			graph_add_word(gl->hg, u64_at(bytes + i, 0));
	}
}

static void globals_scan_section(struct globals *gl, const struct section *s)
{
	uint8_t *bytes = xcalloc(1, GRAPH_PIECE);
	uint64_t at, n;

	for (at = s->start; at < s->end && !stop_requested(gl->hg->opts.stop); at += n) {
		n = s->end - at < GRAPH_PIECE ? s->end - at : GRAPH_PIECE;
		gl->hg->counts.unreadable_bytes += n - memory_read_parts(gl->hg->opts.proc, at,
									 bytes, n);
		globals_scan_piece(gl, s, at, bytes, n);
	}
	free(bytes);
}

void graph_find_globals(struct heapgraph *hg, struct globals **ret)
{
	struct globals *gl = xcalloc(1, sizeof(*gl));

	gl->hg = hg;
	globals_find(gl);
	globals_name(gl);
	globals_fill_gaps(gl);
	*ret = gl;
}

void graph_scan_globals(struct globals *gl)
{
	unsigned int k;

	for (k = 0; k < gl->n; k++)
		globals_scan_section(gl, &gl->sections[k]);
	globals_begin(gl, UINT64_MAX);
}

void graph_globals_free(struct globals *gl)
{
	if (!gl)
		return;
	globals_drop_sections(gl);
	free(gl);
}
