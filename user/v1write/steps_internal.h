/* SPDX-License-Identifier: Apache-2.0 */
/* steps_internal: what the parts of steps share. */
#ifndef GOTAP_V1WRITE_STEPS_INTERNAL_H
#define GOTAP_V1WRITE_STEPS_INTERNAL_H

#include "v1write/steps.h"

/* --- steps_state.c --- */

/* Returns the tick for an event of @p that is later than all events so far. */
uint64_t steps_tick(struct v1_steps *s, const struct v1_p *p);
/* Returns a tick that no other event has, for an event that is written later. */
uint64_t steps_own_tick(struct v1_steps *s);
/* Writes an event at its tick. */
void steps_put(struct v1_steps *s, struct v1_p *p, unsigned int type, const uint64_t *args,
	       uint64_t stack);
/*
 * The same at a tick that is later than the events of @p only: no event of another P depends on
 * this one.
 */
void steps_put_local(struct v1_steps *s, struct v1_p *p, unsigned int type, const uint64_t *args,
		     uint64_t stack);

/* Makes @p, which does not run, run on @thread. */
void steps_p_runs(struct v1_steps *s, struct v1_p *p, uint64_t thread);
void steps_g_free(struct v1_g *g);

#define STEPS_ARGS(...) ((const uint64_t[]){ __VA_ARGS__ })
#define STEPS_NONE STEPS_ARGS(0)

/* --- steps_go.c --- */

/* Takes the goroutine that @p runs off it. No event has shown that the goroutine left. */
void steps_clear(struct v1_steps *s, struct v1_p *p);
bool steps_has_ended(const struct v1_steps *s, uint64_t id);

#endif
