/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inferred: why a goroutine waits, from its stack. For a wait that began before the trace, the
 * trace has a stack, but no reason. The function that blocks is on that stack, and each such
 * function parks for one reason (the callers of runtime.gopark, Go 1.5 to 1.27). Whoever shows an
 * inferred reason must say that it is inferred.
 */
#ifndef GOTAP_SPANS_INFERRED_H
#define GOTAP_SPANS_INFERRED_H

#include "spans/spans.h"

/*
 * Returns the reason as tables and pages show it: the recorded reason, or the inferred one as "sync
 * (by its stack)". A text of spans_text().
 */
const char *inferred_of_span(struct spans *s, const struct span *span);

#endif
