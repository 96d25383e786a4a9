/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol: from return addresses to the frames that the Go runtime's own tracer would print
 * (runtime/tracestack.go, fpunwindExpand and makeTraceFrame of Go 1.22 to 1.27). Inlined calls are
 * expanded, innermost first. Wrappers made by the compiler are left out unless they call gopanic,
 * sigpanic or panicwrap. Type arguments of generic functions are printed as [...]. Every look-up is
 * at pc - 1.
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
	 * Key of the frame in the trace. Two frames with different (func, file, line) have
	 * different keys, because readers since Go 1.23 identify a frame by it. The physical frame
	 * has the return address as its key.
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
struct elf_file;

/* A file of a process, for names. */
struct symbol_file {
	const char *path;
	/* its separate debug file, with DWARF and symbols of C code; or NULL */
	const char *debug;
	uint64_t bias;		/* load address minus link-time address; 0 unless PIE */
	/*
	 * The function that reads DWARF data: dwarf_isolated_new(). NULL: no DWARF data is read, as
	 * in libgotap, which starts no process and is therefore linked without libdw.
	 */
	int (*dwarf)(struct source **ret, const char *path, struct error *err);
	/* the open file, which must outlive the symbolizer; NULL: it is opened by its path */
	const struct elf_file *image;
};

/*
 * Makes a source for the DWARF data of the file at @path, read by a process without privileges,
 * because libdw was not made for hostile files (dwarf_isolated.c). -ENOENT with a text if no DWARF
 * data there describes Go code.
 */
int dwarf_isolated_new(struct source **ret, const char *path, struct error *err);

/*
 * Opens @file for names; symbolizer_free() frees the symbolizer. -ENOENT with a text if the file
 * does not have the wanted source.
 */
int symbolizer_open(struct symbolizer **ret, const struct symbol_file *file,
		    enum symbol_source source, struct error *err);
/*
 * Adds another file of the same process: a plugin. An address belongs to the file that has a
 * function there; the files of a process do not overlap.
 */
int symbolizer_add(struct symbolizer *s, const struct symbol_file *file,
		   enum symbol_source source, struct error *err);
/* Accepts NULL. */
void symbolizer_free(struct symbolizer *s);
/* Returns "dwarf" or "pclntab": the source that is in use for the first file. */
const char *symbolizer_source(const struct symbolizer *s);

/*
 * Returns the number of addresses without a name because their source failed meanwhile; *@why is
 * the text of one failure. @s may be NULL.
 */
uint64_t symbolizer_unanswered(const struct symbolizer *s, const char **why);

/*
 * Expands @n return addresses, leaf first, drops the first @skip logical frames, and writes at most
 * @max frames to @out. Returns their number. An address outside the file's functions gives one
 * frame. Its func is the ELF symbol if there is one, and if not "" with line 0, as the runtime has
 * it for C frames.
 */
size_t symbolizer_stack(struct symbolizer *s, const uint64_t *pcs, size_t n,
			unsigned int skip, struct frame *out, size_t max);

/* One frame of a traceback, which belongs to return address @at among the given ones. */
struct call {
	struct frame frame;
	size_t at;
	bool inlined;		/* into the next frame */
};

/*
 * Stores the frames of symbolizer_stack() without a skip, each with the index of its return
 * address.
 */
size_t symbolizer_calls(struct symbolizer *s, const uint64_t *pcs, size_t n, struct call *out,
			size_t max);

/* The physical Go function, not an inlined one, whose code holds the instruction at @pc. */
struct symbol_function {
	uint64_t entry;
	const char *name;	/* the linker's name, lives as long as the symbolizer */
	int32_t sp_delta;	/* see symbolizer_sp_delta() */
};

bool symbolizer_function(struct symbolizer *s, uint64_t pc, struct symbol_function *ret);

/* Returns the bytes between SP and the return address at @pc; -1: not known, or no Go function. */
int32_t symbolizer_sp_delta(struct symbolizer *s, uint64_t pc);

/* Stores the frame of the first line of the function at @entry, where a goroutine starts. */
size_t symbolizer_entry(struct symbolizer *s, uint64_t entry, struct frame *out);

#endif
