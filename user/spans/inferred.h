/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inferred: why a goroutine waits, from where it waits. A wait that began before the trace has no
 * reason in it, only a stack: the functions that park there tell, since each parks for one reason
 * (the callers of runtime.gopark, Go 1.5 to 1.27). Whoever shows it says that it is inferred.
 */
#ifndef GOTAP_SPANS_INFERRED_H
#define GOTAP_SPANS_INFERRED_H

#include "spans/spans.h"

/* The reason as the runtime of today names it: "chan receive"; NULL: the stack does not tell. */
const char *inferred_reason(const struct stack_set *s, uint32_t stack);
/*
 * Why it waits, as tables and pages name it: its reason, or "sync (by its stack)" where only the
 * stack tells. A spans_text().
 */
const char *inferred_of_span(struct spans *s, const struct span *span);

#endif
