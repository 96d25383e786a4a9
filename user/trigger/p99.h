/* SPDX-License-Identifier: Apache-2.0 */
/*
 * p99: tells whether more than 1 % of the stays or units that ended within the last second took
 * longer than the limit of a rule (window.h).
 */
#ifndef GOTAP_TRIGGER_P99_H
#define GOTAP_TRIGGER_P99_H

#include "trigger/internal.h"

struct p99;

/* Frees with free(3). */
struct p99 *p99_new(void);
void p99_count(struct p99 *p, bool longer);
/*
 * All up to @time was counted. Makes a fact of @r when more than 1 % of 100 or more took longer
 * than its limit, and did not at the last call. @what names them in the text of the fact: "waits
 * for a P".
 */
void p99_pass(struct p99 *p, struct rule *r, uint64_t time, const char *what);
void p99_forget(struct p99 *p);

#endif
