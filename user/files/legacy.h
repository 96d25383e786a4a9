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
 * 0 if no program was named (@binary is NULL) or it can be read: a wrong name is no wish for
 * none. The program is an input from then on (claims.h).
 */
int legacy_program(const char *binary, struct error *err);
/* Is it such a trace? Takes nothing. */
bool legacy_is(struct raw_source *source);

/* Writes it as text to @out, "-" for standard output. @in is its name. */
int legacy_text(struct raw_source *source, const char *in, const char *out, const char *binary,
		struct error *err);

/* Writes its events as the parsers of Go up to 1.22 give them, with links (v1/view.h). */
int legacy_links(struct raw_source *source, const char *in, const char *out, struct error *err);

#endif
