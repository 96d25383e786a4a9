/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol: from return addresses to the frames that the Go runtime's own tracer
 * would print (runtime/tracestack.go, fpunwindExpand and makeTraceFrame of
 * Go 1.22 to 1.27): inlined calls expanded, innermost first; compiler-made
 * wrappers left out unless they call gopanic, sigpanic or panicwrap; type
 * arguments of generic functions printed as [...]; every look-up at pc - 1.
 */
#ifndef GOTAP_SYMBOL_SYMBOL_H
#define GOTAP_SYMBOL_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct frame {
	const char *func;	/* interned, lives as long as the symbolizer */
	const char *file;
	uint32_t line;
	/*
	 * Key of the frame in the trace: different for every different
	 * (func, file, line), because readers since Go 1.23 key frames on it.
	 * The physical frame has the return address itself.
	 */
	uint64_t pc;
};

struct symbolizer;

enum symbol_source {
	SYMBOL_AUTO,		/* pclntab where the file has it (all Go programs), else DWARF */
	SYMBOL_DWARF,		/* libdw only */
	SYMBOL_PCLNTAB,		/* .gopclntab only */
};

struct source;

/* A file of a process, for names. */
struct symbol_file {
	const char *path;
	const char *debug;	/* its separate debug file: DWARF and symbols of C code; or NULL */
	uint64_t bias;		/* what the loader added to its link-time addresses; 0 unless PIE */
	/*
	 * How DWARF data is read: dwarf_isolated_new(). NULL: it is not, as in libgotap,
	 * which starts no process and so is linked without libdw.
	 */
	int (*dwarf)(struct source **ret, const char *path, struct error *err);
};

/*
 * DWARF data of the file at @path, by a process without privileges, as libdw was not made
 * for hostile files (dwarf_isolated.c). -ENOENT with a text if none describes Go code.
 */
int dwarf_isolated_new(struct source **ret, const char *path, struct error *err);

/* -ENOENT with a text if the wanted source is not in the file. */
int symbolizer_open(struct symbolizer **ret, const struct symbol_file *file,
		    enum symbol_source source, struct error *err);
/*
 * Adds another file of the same process: a plugin. Addresses belong to the file
 * in which they are a function's; the files of a process do not overlap.
 */
int symbolizer_add(struct symbolizer *s, const struct symbol_file *file,
		   enum symbol_source source, struct error *err);
/* Accepts NULL. */
void symbolizer_free(struct symbolizer *s);
/* "dwarf" or "pclntab": what is in use for the first file. */
const char *symbolizer_source(const struct symbolizer *s);

/*
 * Addresses that have no name because their source failed meanwhile, and one such
 * failure. @s may be NULL.
 */
uint64_t symbolizer_unanswered(const struct symbolizer *s, const char **why);

/*
 * Expands @n return addresses, leaf first, drops the first @skip logical
 * frames, and writes at most @max frames to @out. Returns their number.
 * An address outside the file's functions gives one frame whose func is the
 * ELF symbol if there is one, else "" with line 0 (the runtime does the same
 * for C frames).
 */
size_t symbolizer_stack(struct symbolizer *s, const uint64_t *pcs, size_t n,
			unsigned int skip, struct frame *out, size_t max);

/* One frame of a traceback: what stands at return address @at of those that were given. */
struct call {
	struct frame frame;
	size_t at;
	bool inlined;		/* into the frame behind it */
};

/* The same frames as symbolizer_stack() gives without a skip, and where each one is from. */
size_t symbolizer_calls(struct symbolizer *s, const uint64_t *pcs, size_t n, struct call *out,
			size_t max);

/* The Go function, not an inlined one, whose code holds the instruction at @pc. */
struct symbol_function {
	uint64_t entry;
	const char *name;	/* the linker's, lives as long as the symbolizer */
	int32_t sp_delta;	/* as symbolizer_sp_delta() */
};

bool symbolizer_function(struct symbolizer *s, uint64_t pc, struct symbol_function *ret);

/* Bytes between SP and the return address at @pc; -1: not known, or no Go function. */
int32_t symbolizer_sp_delta(struct symbolizer *s, uint64_t pc);

/* The frame of the first line of the function at @entry (a goroutine's start). */
size_t symbolizer_entry(struct symbolizer *s, uint64_t entry, struct frame *out);

#endif
