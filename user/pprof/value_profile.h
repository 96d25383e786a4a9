/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value_profile: a profile in the form of runtime/pprof, of stacks that are not part of a trace and
 * have up to four values each: those of the heap, block and mutex profiles that `gotap heap` reads.
 * As count_profile.h, this header does not include spans/spans.h.
 */
#ifndef GOTAP_PPROF_VALUE_PROFILE_H
#define GOTAP_PPROF_VALUE_PROFILE_H

#include <stdint.h>

#include "base/error.h"

enum { VALUE_PROFILE_VALUES = 4 };

/* Constants. What a value counts, and in which unit; the period: of what a sample is taken. */
struct value_profile_form {
	struct {
		const char *type, *unit;
	} values[VALUE_PROFILE_VALUES], period;
	unsigned int nvalues;
	/* the value that `go tool pprof` shows first; NULL: the last one */
	const char *default_type;
};

struct value_profile;

/* @form must outlive the result, which the caller frees with value_profile_free(). */
struct value_profile *value_profile_new(const struct value_profile_form *form, uint64_t period);
void value_profile_free(struct value_profile *p);
/* How long the profile took, ns: of one that counts between two moments. */
void value_profile_set_duration(struct value_profile *p, int64_t ns);
/*
 * Returns the number of a frame, for value_profile_add(). @pc is that of the call instruction.
 * Texts are copied.
 */
uint32_t value_profile_frame(struct value_profile *p, const char *func, const char *file,
			     uint64_t line, uint64_t pc);
/*
 * Adds form->nvalues @values to the stack of @n frames, leaf first. @bytes: the size of each
 * object, 0: none.
 */
void value_profile_add(struct value_profile *p, const uint32_t *frames, uint32_t n, uint64_t bytes,
		       const int64_t *values);
/* Adds a comment to the profile; @text is copied. */
void value_profile_comment(struct value_profile *p, const char *text);
/*
 * Writes the profile to @fd, gzipped; messages call the file @name. Comments say how many stacks
 * found no room. Returns -errno and an error if a write fails.
 */
int value_profile_write(struct value_profile *p, int fd, const char *name, struct error *err);

#endif
