/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source: an implementation of names for program counters. There are two, DWARF and .gopclntab,
 * which must give the same answers. The symbolizer uses one of them, and does the part that does
 * not depend on the format: wrappers, skips, keys, caches.
 *
 * In: a link-time address inside the instruction in question (for a return address: minus 1). Out:
 * the inlined calls around it and the function.
 */
#ifndef GOTAP_SYMBOL_SOURCE_H
#define GOTAP_SYMBOL_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Deeper inlining is cut. The compiler's budget (80 nodes, 1.15 to 1.27) allows a few dozen levels;
 * the bound is for hostile files.
 */
enum { SOURCE_MAX_INLINE = 100 };

enum func_kind {
	FUNC_NORMAL,
	FUNC_WRAPPER,	/* made by the compiler: abi.FuncIDWrapper */
	/* gopanic, sigpanic, panicwrap: a wrapper that calls one of them is shown */
	FUNC_PANIC,
};

/* The strings live until the next call on the same source. */
struct source_frame {
	const char *func;	/* the linker's name: type arguments written out */
	const char *file;
	uint32_t line;
	enum func_kind kind;
};

struct symbolizer;

struct source {
	const struct source_ops *ops;
	struct error failure;	/* why the source answers no more; code 0 while it does */
	uint64_t unanswered;	/* addresses that it did not answer since */
};

struct source_ops {
	const char *name;
	/*
	 * Stores the frames at @pc, the innermost first, the physical function last. Returns their
	 * number, at most SOURCE_MAX_INLINE; 0 if @pc is in no Go function.
	 */
	size_t (*expand)(struct source *src, uint64_t pc, struct source_frame *out);
	void (*free)(struct source *src);
};

/*
 * Makes a source that reads DWARF with libdw in this process, from the file @fd, which messages
 * call @path. The caller keeps and closes @fd. -ENOENT with a text if the file has no DWARF that
 * describes Go code.
 */
int dwarf_source_new(struct source **ret, int fd, const char *path, struct error *err);

/*
 * Makes a symbolizer of a source alone, without a file, for tests of the part that does not depend
 * on files. The symbolizer owns @src from then on.
 */
struct symbolizer *symbolizer_from_source(struct source *src, uint64_t bias);

/*
 * Returns the kind that cmd/internal/objabi.GetFuncID gives by name alone. It never is a wrapper
 * that the compiler has made: the compiler marks these, and their names do not show it.
 */
enum func_kind func_kind_by_name(const char *name);

#endif
