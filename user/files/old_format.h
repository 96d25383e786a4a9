/* SPDX-License-Identifier: Apache-2.0 */
/*
 * old_format: a trace in a format before Go 1.22 that is written while a recording goes on. The
 * recording writes a v2 trace, as always, and this converts it, generation by generation, in a
 * thread of its own: so the result is that of `gotap convert`, and needs no more memory than that.
 */
#ifndef GOTAP_FILES_OLD_FORMAT_H
#define GOTAP_FILES_OLD_FORMAT_H

#include "files/output.h"
#include "rewrite/convert.h"
#include "trace/observer.h"

/* The format of the v2 trace that is converted: the one with all events. */
enum { OLD_FORMAT_FROM = 26 };

struct old_format;

/*
 * Starts to convert to @version (convert.h), into @out, which stays the caller's. *@ret is NULL,
 * and 0 is returned, if that is no old format.
 */
int old_format_start(struct old_format **ret, const struct output *out, int version,
		     struct error *err);
/* Adds an observer to @to that gives the v2 trace to the thread. NULL is accepted. */
void old_format_observe(struct old_format *o, struct observers *to);
/*
 * Returns whether the conversion has failed already; old_format_finish() gives the reason. NULL is
 * accepted: no.
 */
bool old_format_failed(const struct old_format *o);
/*
 * To be called after the last byte of the v2 trace. Waits until all is written, and returns the
 * first error of reading or writing. A v2 trace without a generation is no error, and there is no
 * trace then. NULL is accepted.
 */
int old_format_finish(struct old_format *o, struct error *err);
/* Returns whether the conversion is finished and has a trace. NULL is accepted: no. */
bool old_format_has_trace(const struct old_format *o);
/*
 * Returns the counts of what is in the trace and what was left out, once it is finished. NULL is
 * accepted, and returned.
 */
const struct convert_result *old_format_result(const struct old_format *o);
/* Accepts NULL. */
void old_format_free(struct old_format *o);

#endif
