/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count_profile: a profile in the form of runtime/pprof's count profiles (printCountProfile), of
 * stacks that are no part of a trace: goroutines as `gotap stacks --pprof` reads them. It hides
 * spans.h, which has other names for those.
 */
#ifndef GOTAP_PPROF_COUNT_PROFILE_H
#define GOTAP_PPROF_COUNT_PROFILE_H

#include <stdint.h>

#include "base/error.h"

struct count_profile;

/* @type: what is counted, a constant. */
struct count_profile *count_profile_new(const char *type);
void count_profile_free(struct count_profile *p);
/* The number of a frame; @pc is that of the call. Texts are copied. */
uint32_t count_profile_frame(struct count_profile *p, const char *func, const char *file,
			     uint64_t line, uint64_t pc);
/*
 * Adds @count to the stack of @n frames, leaf first, with labels as read/labels.h has them ("":
 * none).
 */
void count_profile_add(struct count_profile *p, const uint32_t *frames, uint32_t n,
		       const char *labels, uint64_t count);
/* The same to a stack of one frame of that name, which stands for a stack that is not known. */
void count_profile_add_place(struct count_profile *p, const char *name, const char *labels,
			     uint64_t count);
/* A text that goes with the profile. */
void count_profile_comment(struct count_profile *p, const char *text);
/* Writes it to @fd, gzipped; says in it what found no room. */
int count_profile_write(struct count_profile *p, int fd, struct error *err);

#endif
