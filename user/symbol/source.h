/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source: where names of program counters come from. Two implementations,
 * DWARF and .gopclntab, that must answer alike; the symbolizer on top of them
 * does what does not depend on the format: wrappers, skips, keys, caches.
 *
 * In: a link-time address inside the instruction in question (for a return
 * address: minus 1). Out: the inlined calls around it and the function.
 */
#ifndef GOTAP_SYMBOL_SOURCE_H
#define GOTAP_SYMBOL_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Deeper inlining is cut. The compiler's budget (80 nodes, 1.15 to 1.27) ends
 * it at a few dozen; the bound is for files that lie.
 */
enum { SOURCE_MAX_INLINE = 100 };

enum func_kind {
	FUNC_NORMAL,
	FUNC_WRAPPER,	/* made by the compiler: abi.FuncIDWrapper */
	FUNC_PANIC,	/* gopanic, sigpanic, panicwrap: a wrapper calling it is shown */
};

/* Strings live until the next call on the same source. */
struct source_frame {
	const char *func;	/* the linker's name: type arguments written out */
	const char *file;
	uint32_t line;
	enum func_kind kind;
};

struct symbolizer;

struct source {
	const struct source_ops *ops;
	struct error failure;	/* why it answers no more; code 0 while it does */
	uint64_t unanswered;	/* addresses that it was asked for since */
};

struct source_ops {
	const char *name;
	/*
	 * Innermost frame first, the physical function last. Returns their
	 * number, at most SOURCE_MAX_INLINE; 0 if @pc is in no Go function.
	 */
	size_t (*expand)(struct source *src, uint64_t pc, struct source_frame *out);
	void (*free)(struct source *src);
};

/*
 * Reads DWARF with libdw in this process, from the file @fd, which is named @path. The caller keeps
 * and closes @fd. -ENOENT with a text if the file has no DWARF that describes Go code.
 */
int dwarf_source_new(struct source **ret, int fd, const char *path, struct error *err);

/*
 * A symbolizer on a source alone, without a file: for tests of what does not
 * depend on files. Owns @src from then on.
 */
struct symbolizer *symbolizer_from_source(struct source *src, uint64_t bias);

/*
 * The kind that cmd/internal/objabi.GetFuncID gives by name alone. Wrappers
 * proper are marked by the compiler and cannot be told by their names.
 */
enum func_kind func_kind_by_name(const char *name);

#endif
