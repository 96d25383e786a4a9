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
/* Adds it to @to: it gets the v2 trace. NULL is accepted. */
void old_format_observe(struct old_format *o, struct observers *to);
/* Has it failed already? The reason comes with old_format_finish(). NULL is accepted: no. */
bool old_format_failed(const struct old_format *o);
/*
 * After the last byte of the v2 trace: waits until all is written. The first error, of reading or
 * of writing. No error where there was no generation: then there is no trace. NULL is accepted.
 */
int old_format_finish(struct old_format *o, struct error *err);
/* It is finished, and there is a trace. NULL is accepted: no. */
bool old_format_has_trace(const struct old_format *o);
/*
 * What is in the trace and what was left out; once it is finished. NULL is accepted, and returned.
 */
const struct convert_result *old_format_result(const struct old_format *o);
/* Accepts NULL. */
void old_format_free(struct old_format *o);

#endif
