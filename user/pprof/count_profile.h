/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count_profile: a profile in the form of runtime/pprof's count profiles (printCountProfile), of
 * stacks that are not part of a trace: those of goroutines that `gotap stacks --pprof` reads. This
 * header does not include spans/spans.h: both spans.h and stacks/goroutines.h define a struct
 * goroutine.
 */
#ifndef GOTAP_PPROF_COUNT_PROFILE_H
#define GOTAP_PPROF_COUNT_PROFILE_H

#include <stdint.h>

#include "base/error.h"

struct count_profile;

/*
 * Makes an empty profile, which the caller frees with count_profile_free(). @type: the name of the
 * things that are counted, a constant.
 */
struct count_profile *count_profile_new(const char *type);
void count_profile_free(struct count_profile *p);
/*
 * Returns the number of a frame, for count_profile_add(). @pc is that of the call instruction.
 * Texts are copied.
 */
uint32_t count_profile_frame(struct count_profile *p, const char *func, const char *file,
			     uint64_t line, uint64_t pc);
/*
 * Adds @count to the stack of @n frames, leaf first. @labels are in the form of read/labels.h; "":
 * none.
 */
void count_profile_add(struct count_profile *p, const uint32_t *frames, uint32_t n,
		       const char *labels, uint64_t count);
/* Adds @count to a stack of one frame with the function @name, in place of an unknown stack. */
void count_profile_add_place(struct count_profile *p, const char *name, const char *labels,
			     uint64_t count);
/* Adds a comment to the profile; @text is copied. */
void count_profile_comment(struct count_profile *p, const char *text);
/*
 * Writes the profile to @fd, gzipped. Comments say how many stacks and labels found no room.
 * Returns -errno and an error if a write fails.
 */
int count_profile_write(struct count_profile *p, int fd, struct error *err);

#endif
