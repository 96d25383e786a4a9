/* SPDX-License-Identifier: Apache-2.0 */
/*
 * legacy: traces of Go 1.21 and older as text, for `gotap text`. The caller has looked at the
 * first bytes of the source with legacy_is(). Each function reads the source to its end, since
 * those formats have their tables there, and leaves it open. @binary, which may be NULL, is the
 * traced program: it names the stacks of formats that hold addresses only.
 */
#ifndef GOTAP_FILES_LEGACY_H
#define GOTAP_FILES_LEGACY_H

#include <stdbool.h>

#include "read/raw_source.h"

/*
 * Checks the program. Returns 0 if none was named (@binary is NULL) or it can be read, else an
 * error. The program is an input from then on (claims.h).
 */
int legacy_program(const char *binary, struct error *err);
/* Returns whether the source has such a trace. Its bytes remain unread. */
bool legacy_is(struct raw_source *source);

/* Writes the trace as text to @out, "-" for standard output. @in is the name of the source. */
int legacy_text(struct raw_source *source, const char *in, const char *out, const char *binary,
		struct error *err);

/* Writes the events as the parsers of Go up to 1.22 give them, with links (v1/view.h). */
int legacy_links(struct raw_source *source, const char *in, const char *out, struct error *err);

#endif
