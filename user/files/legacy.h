/* SPDX-License-Identifier: Apache-2.0 */
/*
 * legacy: what `gotap text` and `gotap check` do with traces of Go 1.21 and
 * older. Both take a source whose first bytes were looked at with legacy_is();
 * they read it to its end, since those formats have their tables there, and
 * leave it open. @binary, which may be NULL, is the traced program: it names
 * the stacks of formats that hold addresses only.
 */
#ifndef GOTAP_FILES_LEGACY_H
#define GOTAP_FILES_LEGACY_H

#include <stdbool.h>

#include "read/raw_source.h"

/* Is it such a trace? Takes nothing. */
/*
 * 0 if no program was named (@binary is NULL) or it can be read: a wrong name is no wish for
 * none. The program is an input from then on (claims.h).
 */
int legacy_program(const char *binary, struct error *err);
bool legacy_is(struct raw_source *source);

/* Writes it as text to @out, "-" for standard output. @in is its name. */
int legacy_text(struct raw_source *source, const char *in, const char *out, const char *binary,
		struct error *err);

/* Writes its events as the parsers of Go up to 1.22 give them, with links (v1/view.h). */
int legacy_links(struct raw_source *source, const char *in, const char *out, struct error *err);

/*
 * Prints one line with the verdict. 0 if the trace is well, 1 if it is not, or
 * a negative errno if there is no verdict: file or program cannot be read.
 */
int legacy_check(struct raw_source *source, const char *in, const char *binary, bool json,
		 struct error *err);

#endif
