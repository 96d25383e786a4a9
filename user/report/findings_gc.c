// SPDX-License-Identifier: Apache-2.0
/*
 * findings_gc: the cost of the garbage collector: goroutines that must assist it, and Ps that its
 * workers have while other goroutines are ready. The findings name who allocates, who requests
 * cycles, and the ratio of the heap goal to the live heap.
 */
#include <stdlib.h>
#include <string.h>

#include "report/findings.h"

enum { ALLOCATORS_MAX = 1 << 16, ASSIST_STEPS = 32 };

/*
 * Least parts of the time of all Ps. The collector takes a quarter of the Ps while it marks. It
 * takes a tenth of all time if it marks for nearly half of the time, which happens if the heap may
 * hardly grow. If the heap may double (GOGC=100), a busy server loses a tenth for moments only: the
 * limit is then a quarter.
 */
#define GC_SHARE 0.1
#define GC_SHARE_ROOMY 0.25
#define ROOMY 1.6		/* heap goal / live heap */
#define GC_CYCLES 2.0		/* a second */
#define FORCED_CYCLES 2.0
#define FORCED_SHARE 0.01

/* A place at which goroutines assist, or request a cycle. */
struct allocator {
	uint32_t place;
	uint64_t count;
	double ns;
	struct few goroutines;
	int64_t from, to;		/* the longest one */
};

enum { GC_SIZES = 4096 };

struct gc_bounds {
	double least, most;	/* 0: no value */
};

struct gc {
	struct vec assists, forced;	/* struct allocator */
	struct map64 assist_of, forced_of;
	uint64_t cycles;
	/* ns: of assists; of workers on a P for which other goroutines were ready; of GC cycles */
	double assist, held, marking;
	double forced_ns;
	double ratio;			/* sum of (heap goal / live heap) over @ratios cycles */
	uint64_t ratios, heap, goal, live;
	struct gc_bounds goals, lives, per_live;	/* of the same cycles; of goal / live */
	struct vec sizes;	/* double: what lives, by cycle; of the first GC_SIZES */
};

static void gc_new(struct findings *f)
{
	struct gc *gc = xcalloc(1, sizeof(*gc));

	vec_push(&gc->assists, sizeof(struct allocator));
	vec_push(&gc->forced, sizeof(struct allocator));
	f->gc = gc;
}

static void gc_free(struct findings *f)
{
	struct gc *gc = f->gc;

	vec_free(&gc->assists);
	vec_free(&gc->forced);
	vec_free(&gc->sizes);
	map64_free(&gc->assist_of);
	map64_free(&gc->forced_of);
	free(gc);
}

static double finding_gc_overlap(const struct range_span *r, int64_t from, int64_t to)
{
	from = from > r->from ? from : r->from;
	to = to < r->to ? to : r->to;
	return to > from ? (double)(to - from) : 0;
}

/*
 * Returns the cost of an assist: the time in which the goroutine ran for the collector, or waited
 * for it. Time in which the goroutine was ready while others had the Ps is not included: on a busy
 * server that time is most of the assist.
 */
static double finding_gc_assisted(struct findings *f, const struct range_span *r)
{
	const struct goroutine *g = spans_goroutine(f->spans, r->id);
	const struct past *p;
	uint32_t number, steps;
	double ns = 0;

	if (!g)
		return 0;
	if (g->now.state == GO_RUNNING)
		ns = finding_gc_overlap(r, g->now.from, r->to) * (1 - cpu_off_share(f, g, r->to));
	number = findings_state(f, g)->past;
	for (steps = 0; steps < ASSIST_STEPS && (p = waits_past(f, number)) && p->to > r->from;
	     steps++) {
		if (p->cause == CAUSE_RAN || p->cause == CAUSE_GC)
			ns += finding_gc_overlap(r, p->from, p->to) * (1 - (double)p->off);
		number = p->before;
	}
	return ns;
}

static void finding_gc_add(struct map64 *map, struct vec *allocators, uint32_t place, uint64_t g,
			   int64_t from, int64_t to, double ns)
{
	bool is_new;
	uint32_t number = findings_number(map, allocators, sizeof(struct allocator), ALLOCATORS_MAX,
					  place, &is_new);
	struct allocator *a = vec_at(allocators, struct allocator, number);

	a->place = number ? place : 0;
	a->count++;
	a->ns += ns;
	few_add(&a->goroutines, g);
	if (to - from > a->to - a->from) {
		a->from = from;
		a->to = to;
	}
}

static void gc_range(struct findings *f, const struct range_span *r)
{
	struct gc *gc = f->gc;
	double ns;

	if (!strcmp(r->name, "GC concurrent mark phase")) {
		gc->cycles++;
		gc->marking += (double)(r->to - r->from);
	} else if (!strcmp(r->name, "GC mark assist")) {
		ns = finding_gc_assisted(f, r);
		gc->assist += ns;
		finding_gc_add(&gc->assist_of, &gc->assists, findings_stack(f, r->stack).place,
			       r->id, r->from, r->to, ns);
	}
}

static void gc_wait(struct findings *f, const struct stay *stay)
{
	const struct span *span = stay->span;
	uint32_t place = stay->facts.place;

	if (stay->why != WHY_GC_CYCLE || (span->stack && !(stay->facts.traits & STACK_GC_CALL)))
		return;
	f->gc->forced_ns += (double)(span->to - span->from);
	finding_gc_add(&f->gc->forced_of, &f->gc->forced,
		       place ? place : findings_function(f, span->g), span->g->id, span->from,
		       span->to, (double)(span->to - span->from));
}

/* A worker on a P that no other goroutine needs costs nothing. */
static void gc_system(struct findings *f, const struct stay *stay)
{
	const struct span *span = stay->span;
	double ns = (double)(span->to - span->from), queue;

	if (span->state != GO_RUNNING || strncmp(span->g->name, "runtime.gcBgMarkWorker", 22))
		return;
	queue = ps_queue(f->ps, span->to) - stay->state->queue;
	/* the time without a CPU is not the collector's: another task had the CPU */
	f->gc->held += ns > 0 ? (queue < ns ? queue : ns) * (ns - stay->off) / ns : 0;
}

static void gc_bound(struct gc_bounds *b, double value)
{
	b->least = b->least && b->least < value ? b->least : value;
	b->most = b->most > value ? b->most : value;
}

static double gc_spread(const struct gc_bounds *b)
{
	return b->least > 0 ? b->most / b->least : 1;
}

static void gc_take_cycle(struct gc *gc, double goal, double live)
{
	gc_bound(&gc->goals, goal);
	gc_bound(&gc->lives, live);
	gc_bound(&gc->per_live, goal / live);
	if (gc->sizes.len < GC_SIZES)
		*(double *)vec_push(&gc->sizes, sizeof(double)) = live;
}

/*
 * Sets the heap goal. Between two goals the heap is smallest after its sweep: that size is about
 * the size of the live heap.
 */
static void finding_gc_goal(struct gc *gc, uint64_t value)
{
	if (gc->heap && value > gc->heap) {
		gc->ratio += (double)value / (double)gc->heap;
		gc->ratios++;
		gc_take_cycle(gc, (double)value, (double)gc->heap);
		gc->live = gc->heap;
		gc->goal = value;
	}
	gc->heap = 0;
}

static void gc_metric(struct findings *f, const char *name, uint64_t value)
{
	if (!strcmp(name, "/gc/heap/goal:bytes"))
		finding_gc_goal(f->gc, value);
	else if (!strcmp(name, "/memory/classes/heap/objects:bytes") &&
		 (!f->gc->heap || value < f->gc->heap))
		f->gc->heap = value;
}

/* --- judgement --- */

static const struct allocator *most_of(const struct vec *allocators)
{
	const struct allocator *most = vec_at(allocators, struct allocator, 0);
	size_t i;

	for (i = 1; i < allocators->len; i++)
		if (vec_at(allocators, struct allocator, i)->ns > most->ns)
			most = vec_at(allocators, struct allocator, i);
	return most;
}

static double per_second(const struct findings *f, uint64_t n)
{
	return (double)n * 1e9 / findings_wall(f);
}

static double share_to_say(const struct gc *gc)
{
	return gc->ratios && gc->ratio < ROOMY * (double)gc->ratios ? GC_SHARE : GC_SHARE_ROOMY;
}

static void say_goal(const struct gc *gc, struct buf *text)
{
	if (gc->ratios)
		buf_printf(text,
			   " The heap may grow to %.1f MB while about %.1f MB live, on average "
			   "%.2f times "
			   "as much.",
			   (double)gc->goal / 1e6, (double)gc->live / 1e6,
			   gc->ratio / (double)gc->ratios);
}

/* Below 4 MB times GOGC / 100 the goal does not follow what lives. */
static const double gc_floor = 32e6;

/*
 * GOGC sets the goal as a factor of what lives, GOMEMLIMIT whatever lives. The two differ only if
 * that changes.
 */
static void say_setting(const struct gc *gc, struct buf *text)
{
	static const double same = 1.1, alike = 1.3, changes = 1.5;

	if (gc->ratios < 4)
		return;
	if (gc->goals.least >= gc_floor && gc_spread(&gc->goals) <= same &&
	    gc_spread(&gc->lives) >= changes)
		buf_printf(text,
			   " The goal is the same while what lives changes %.1f fold: a limit "
			   "(GOMEMLIMIT) sets it, and not GOGC.",
			   gc_spread(&gc->lives));
	else if (gc_spread(&gc->goals) >= changes && gc_spread(&gc->per_live) <= alike)
		buf_printf(text,
			   " The goal follows what lives: GOGC sets it, at about %.0f.",
			   100 * (gc->ratio / (double)gc->ratios - 1));
}

static struct gc_bounds gc_bounds_of(const struct gc *gc, size_t from, size_t to)
{
	struct gc_bounds b = {0};

	for (; from < to; from++)
		gc_bound(&b, *vec_at(&gc->sizes, double, from));
	return b;
}

/* What goes up and down is in the last third of the cycles as small as in the first one. */
static void say_growth(const struct gc *gc, struct buf *text)
{
	static const double grows = 1.2;
	size_t n = gc->sizes.len;
	struct gc_bounds first = gc_bounds_of(gc, 0, n / 3), last = gc_bounds_of(gc, n - n / 3, n);

	if (n >= 9 && last.least >= grows * first.most)
		buf_printf(text,
			   " What lives grows from %.1f MB to %.1f MB in %zu cycles: a heap "
			   "profile shows what keeps it, which a trace does not.",
			   first.least / 1e6, last.most / 1e6, n);
}

static void say_cycles(struct findings *f)
{
	const struct gc *gc = f->gc;
	const struct allocator *a = most_of(&gc->assists);
	struct buf text = { 0 };

	buf_printf(&text,
		   "The garbage collector runs %.0f times a second and marks %.0f %% of the time: "
		   "goroutines assist it ",
		   per_second(f, gc->cycles), 100 * gc->marking / findings_wall(f));
	findings_time(&text, gc->assist);
	buf_printf(&text, ", and its workers hold Ps that others are ready for ");
	findings_time(&text, gc->held);
	if (a->ns > 0) {
		buf_printf(&text, "; most is allocated at ");
		findings_name(f, &text, a->place);
		buf_printf(&text, ", which assists %.0f %% of that", 100 * a->ns / gc->assist);
	}
	buf_printf(&text, ".");
	say_goal(gc, &text);
	say_setting(gc, &text);
	say_growth(gc, &text);
	findings_add(f,
		     &(struct verdict){ "gc", gc->assist + gc->held, a->place, &a->goroutines,
					a->from, a->to },
		     &text);
}

static void say_forced(struct findings *f, double ns)
{
	const struct gc *gc = f->gc;
	const struct allocator *a = most_of(&gc->forced);
	struct buf text = { 0 };

	findings_name(f, &text, a->place);
	buf_printf(&text,
		   " asks for a cycle of the garbage collector again and again (runtime.GC, "
		   "debug.FreeOSMemory): %.0f cycles a second, which mark %.0f %% of the time; it "
		   "waits for them ",
		   per_second(f, gc->cycles), 100 * gc->marking / findings_wall(f));
	findings_time(&text, a->ns);
	buf_printf(&text, ".");
	findings_add(f,
		     &(struct verdict){ "forced gc", ns, a->place, &a->goroutines, a->from, a->to },
		     &text);
}

static void gc_judge(struct findings *f)
{
	const struct gc *gc = f->gc;
	double taken = gc->assist + gc->held;
	bool forced = gc->forced_ns > 0 && per_second(f, gc->cycles) >= FORCED_CYCLES &&
		(double)most_of(&gc->forced)->count >= 0.5 * (double)gc->cycles;

	f->lost += taken + gc->forced_ns;
	if (forced && taken + gc->forced_ns >= FORCED_SHARE * findings_wall(f))
		say_forced(f, taken + gc->forced_ns);
	else if (per_second(f, gc->cycles) >= GC_CYCLES &&
		 taken >= share_to_say(gc) * findings_wall(f) * (double)ps_count(f->ps))
		say_cycles(f);
}

const struct findings_family findings_of_gc = {
	.new = gc_new,
	.free = gc_free,
	.stay = gc_wait,
	.runtime_stay = gc_system,
	.range = gc_range,
	.metric = gc_metric,
	.judge = gc_judge,
};
