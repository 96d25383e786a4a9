// SPDX-License-Identifier: Apache-2.0
/* predict: one change: which time it is about, both replays, the range, or why there is none. */
#include "whatif/internal.h"

#include <math.h>
#include <string.h>

#include "why/place.h"

static const struct {
	const char *word, *noun;
	uint32_t classes;	/* 1 << enum class_kind of the time */
} predict_kinds[WHATIF_KINDS] = {
	[WHATIF_FUNCTION] = { "function", "running time", 1 << CLASS_RUN },
	[WHATIF_LOCK] = { "lock", "time", 1 << CLASS_RUN | 1 << CLASS_SLEEP |
			  1 << CLASS_NETWORK | 1 << CLASS_SYSCALL },
	[WHATIF_SLEEP] = { "sleep", "sleep", 1 << CLASS_SLEEP },
	[WHATIF_NETWORK] = { "network", "wait for the network", 1 << CLASS_NETWORK },
	[WHATIF_SYSCALL] = { "syscall", "system call", 1 << CLASS_SYSCALL },
	[WHATIF_GC] = { "gc", "work of the collector", 0 },
};

const char *whatif_kind_name(enum whatif_kind kind)
{
	return predict_kinds[kind].word;
}

/* --- the time of a change --- */

static bool predict_is_named(const char *function, const char *name)
{
	const char *slash = strrchr(function, '/');

	return function == name || !strcmp(function, name) ||
	       (slash && !strcmp(slash + 1, name));
}

/* Returns the text of the spans for a function that classes or samples have; NULL: none has it. */
static const char *predict_name(const struct whatif *w, const char *name)
{
	const struct classes *c = &w->p->classes;
	size_t i;
	uint8_t k;

	for (i = 1; i < c->list.len; i++)
		for (k = 0; k < class_at(c, (uint32_t)i)->nnames; k++)
			if (predict_is_named(class_at(c, (uint32_t)i)->names[k], name))
				return class_at(c, (uint32_t)i)->names[k];
	for (i = 1; i < c->sampled.len; i++)
		if (predict_is_named(vec_at(&c->sampled, struct class_sampled, i)->function, name))
			return vec_at(&c->sampled, struct class_sampled, i)->function;
	return NULL;
}

static double predict_share(const struct classes *c, uint32_t class,
			    const struct whatif_change *change, bool *sure)
{
	if (!change->name || !(predict_kinds[change->kind].classes >> class_at(c, class)->kind & 1))
		return 0;
	return classes_share(c, class, change->name, sure);
}

/* Sets the factors of the classes that the change is about, and sums up their time. */
static void predict_factors(struct whatif *w, struct whatif_prediction *p)
{
	const struct classes *c = &w->p->classes;
	double ns = 0, unsure = 0, most = 0;
	size_t i;

	p->file = "";
	for (i = 0; i < c->list.len; i++) {
		const struct class *k = class_at(c, (uint32_t)i);
		bool sure = true;
		double share = predict_share(c, (uint32_t)i, &p->change, &sure);
		double part = share * (double)k->ns;

		w->factors[i] = (float)(1 - share * p->change.by);
		ns += part;
		unsure += sure ? 0 : part;
		/* a hundredth less is the rounding of a third of 3 ms */
		if (k->kind == CLASS_SLEEP &&
		    (double)k->nominal * (1 - p->change.by) < 0.99 * POLLER_NS)
			p->coarse += part;
		/* the line of a class is that of its common frame */
		if (part > most && k->names[0] == p->change.name) {
			most = part;
			p->file = k->file;
			p->line = k->line;
		}
	}
	p->seconds = ns / 1e9;
	p->unsure = ns > 0 ? unsure / ns : 0;
	p->coarse = ns > 0 ? p->coarse / ns : 0;
}

/* --- reasons against it --- */

static bool predict_is_pace(const struct whatif *w, const char *name)
{
	const struct classes *c = &w->p->classes;
	size_t i;

	for (i = 1; i < c->list.len; i++)
		if (class_at(c, (uint32_t)i)->pace && class_at(c, (uint32_t)i)->names[0] == name)
			return true;
	return false;
}

static bool predict_is_rwmutex(const struct stack_set *stacks, uint32_t stack)
{
	uint32_t n, i;
	const uint32_t *frames = stack_set_of(stacks, stack, &n);

	for (i = 0; i < n && i < 4; i++)
		if (!strncmp(stack_set_frame_at(stacks, frames[i])->func, "sync.(*RWMutex).", 16))
			return true;
	return false;
}

enum predict_held { LOCK_NONE, LOCK_OF_ONE, LOCK_OF_MANY };

/* Did anybody wait for a lock that the function unlocks? An RWMutex can have several holders. */
static enum predict_held predict_lock(const struct whatif *w, const char *name)
{
	const struct stack_set *stacks = w->p->classes.stacks;
	enum predict_held found = LOCK_NONE;
	size_t i;

	for (i = 1; i < w->p->ops.len; i++) {
		const struct op *op = op_at(w->p, (uint32_t)i);
		const struct stack_frame *at = op->kind == OP_POST && op->flags & OP_OF_LOCK ?
			place_frame(stacks, op->stack) : NULL;

		if (!at || at->func != name)
			continue;
		if (predict_is_rwmutex(stacks, op->stack))
			return LOCK_OF_MANY;
		found = LOCK_OF_ONE;
	}
	return found;
}

static void predict_refuse_lock(struct whatif *w, struct whatif_prediction *p)
{
	switch (predict_lock(w, p->change.name)) {
	case LOCK_NONE:
		buf_printf(whatif_reason(&p->reasons, "lock"),
			   "nobody waited for a lock that it unlocks");
		break;
	case LOCK_OF_MANY:
		buf_printf(whatif_reason(&p->reasons, "rwmutex"),
			   "it unlocks an RWMutex: the trace does not show which readers have one");
		break;
	default:
		break;
	}
}

static void predict_refuse(struct whatif *w, struct whatif_prediction *p)
{
	const char *noun = predict_kinds[p->change.kind].noun;

	if (p->change.kind == WHATIF_GC)
		return;
	if (p->seconds <= 0)
		buf_printf(whatif_reason(&p->reasons, "time"), "the trace has no %s of it", noun);
	else if (p->unsure > WHATIF_UNSURE)
		buf_printf(whatif_reason(&p->reasons, "attribution"),
			   "%.0f %% of the time can be that of other functions, because the trace "
			   "has too few CPU samples (record --cpu-samples)", 100 * p->unsure);
	if (p->coarse > WHATIF_UNSURE)
		buf_printf(whatif_reason(&p->reasons, "resolution"),
			   "sleeps would be shorter than 1 ms, which is the resolution of the "
			   "runtime's poller: an idle program would not sleep less");
	if (p->change.kind == WHATIF_LOCK)
		predict_refuse_lock(w, p);
	if (p->change.kind == WHATIF_SLEEP && predict_is_pace(w, p->change.name))
		buf_printf(whatif_reason(&p->reasons, "pace"),
			   "it is the pace of its own goroutine's loop, and no part of the work");
}

/* --- the replays --- */

static void predict_widen(struct whatif_range *r, double low, double high)
{
	if (isnan(r->low) || low < r->low)
		r->low = low;
	if (isnan(r->high) || high > r->high)
		r->high = high;
}

/*
 * The standard error of the ratio of the rates, from how much the parts of the replays with the
 * same work differ. It is 0 for a uniform trace.
 */
static double predict_error(const struct measured *base, const struct measured *changed)
{
	double ratio[ROUNDS_PARTS], mean = 0, square = 0;
	int i;

	for (i = 0; i < ROUNDS_PARTS; i++) {
		ratio[i] = changed->parts[i] / base->parts[i];
		mean += ratio[i] / ROUNDS_PARTS;
	}
	for (i = 0; i < ROUNDS_PARTS; i++)
		square += (ratio[i] - mean) * (ratio[i] - mean);
	return sqrt(square / (ROUNDS_PARTS - 1) / ROUNDS_PARTS) / mean;
}

static void predict_variant(struct whatif *w, struct whatif_prediction *p, enum rerun_variant v)
{
	struct rerun_change change = { .factors = w->factors,
					.no_gc = p->change.kind == WHATIF_GC };
	const struct whatif_answer *a = &w->answer;
	struct rerun_result y = rerun_run(w->p, &w->rounds, v, &change);
	double error = predict_error(&a->base[v], &y.measured), off, ratio;
	int q;

	w->steps += w->p->ops.len;
	p->rates[v] = NAN;
	if (!y.ended)
		return;
	for (q = 0; q < ROUNDS_QUANTITIES; q++) {
		ratio = y.measured.value[q] / a->base[v].value[q];
		if (!a->valid[v][q] || isnan(ratio))
			continue;
		off = fabs(a->base[v].value[q] / a->trace.value[q] - 1) +
			(isnan(error) ? 0 : error) + WHATIF_MODEL * fabs(log(ratio));
		predict_widen(&p->value[q], ratio / (1 + off), ratio * (1 + off));
		if (q == ROUNDS_RATE)
			p->rates[v] = ratio;
	}
}

static void predict_compare(struct whatif_prediction *p)
{
	const struct whatif_range *r = &p->value[ROUNDS_RATE];

	if (isnan(r->low))
		buf_printf(whatif_reason(&p->reasons, "replay"),
			   "the replay with the change has no rate");
	else if (r->high > WHATIF_WIDE * r->low)
		buf_printf(whatif_reason(&p->reasons, "wide"),
			   "it could be %.2f or %.2f times as many: what the channels hold, or the "
			   "parts of the trace, differ too much", r->low, r->high);
}

struct whatif_prediction whatif_ask(struct whatif *w, const struct whatif_change *change)
{
	struct whatif_prediction p = { .change = *change, .at_least = change->kind == WHATIF_GC };
	int i;

	for (i = 0; i < ROUNDS_QUANTITIES; i++)
		p.value[i] = (struct whatif_range){ NAN, NAN };
	for (i = 0; i < RERUN_VARIANTS; i++)
		p.rates[i] = NAN;
	predict_factors(w, &p);
	predict_refuse(w, &p);
	for (i = 0; i < RERUN_VARIANTS && !p.reasons.len; i++)
		if (w->answer.valid[i][ROUNDS_RATE])
			predict_variant(w, &p, (enum rerun_variant)i);
	if (!p.reasons.len)
		predict_compare(&p);
	return p;
}

void whatif_predict(struct whatif *w, const struct whatif_change *change)
{
	struct whatif_change asked = *change;
	struct whatif_prediction *p;

	if (w->answer.reasons.len)
		return;
	if (asked.name)
		asked.name = predict_name(w, asked.name);
	p = vec_push(&w->answer.predictions, sizeof(*p));
	*p = whatif_ask(w, &asked);
	if (!asked.name)
		p->change.name = change->name;
}
