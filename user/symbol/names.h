/* SPDX-License-Identifier: Apache-2.0 */
/* names: the changes that the Go runtime makes to a function's name before it prints it. */
#ifndef GOTAP_SYMBOL_NAMES_H
#define GOTAP_SYMBOL_NAMES_H

#include <stddef.h>

#include "symbol/source.h"

/*
 * Writes the name as runtime.Frame.Function has it: everything from the first '[' to the last ']'
 * becomes "[...]" (runtime/traceback.go, funcNamePiecesForPrint, since Go 1.21), and a name of more
 * than 1024 bytes keeps only the last 1024 (makeTraceFrame). Writes at most @cap - 1 bytes and a
 * NUL to @buf; returns the length.
 */
size_t name_for_trace(const char *name, char *buf, size_t cap);

enum {
	/* Longest result; a buffer of one byte more always holds it. */
	NAME_MAX_TRACE = 1024,
	/*
	 * Bytes of a name that are read: no linker writes longer names. A hostile file may have
	 * them, and refer to them often.
	 */
	NAME_MAX_READ = 64 * 1024,
};

#endif
