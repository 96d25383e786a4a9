// SPDX-License-Identifier: Apache-2.0
/*
 * findings_stuck: goroutines that wait for goroutines that have ended. A wait without end is
 * common: for work, a signal, a connection. The wait is a defect if two things hold at the end of
 * the trace:
 *
 * the goroutines that could end the wait have ended, or wait for the goroutine that waits;
 * a goroutine needs its end: the creator of the goroutines waits for them (WaitGroup.Wait).
 *
 * Locks, for which no goroutine waits without end on purpose, are in findings_leak.c.
 */
#include <stdlib.h>
#include <string.h>

#include "report/findings.h"

enum { ENTRIES_MAX = 4096, GROUPS_MAX = 64, KNOWN_MAX = 1 << 20, LEVELS_MAX = 8 };

/* Least length of a wait that is open when the trace ends: as a part of the trace, and in ns. */
#define STUCK_SHARE 0.5
#define STUCK_NS 3e8

/* A goroutine with a long wait at the end of the trace: at a channel, or for other goroutines. */
struct entry {
	uint64_t g, creator;		/* creator: TRACEV2_NO_ID: not known */
	uint32_t place;
	uint8_t why;
	bool created;			/* during the trace */
	bool judged;
	int64_t from;
};

struct stucks {
	struct vec entries;		/* struct entry */
	/* ids, and addresses of names, of goroutines that live at the end */
	struct map64 alive, names;
	/* id of a live goroutine -> time of the last end of a goroutine that it created */
	struct map64 ended;
	struct map64 parents;		/* creators of goroutines that live at the end */
	/* goroutines that live at the end and existed before the trace */
	uint64_t orphans;
	uint64_t active;		/* goroutines that live at the end without a long wait */
	bool too_many;
};

static void stucks_new(struct findings *f)
{
	f->stucks = xcalloc(1, sizeof(struct stucks));
}

static void stucks_free(struct findings *f)
{
	struct stucks *s = f->stucks;

	vec_free(&s->entries);
	map64_free(&s->alive);
	map64_free(&s->names);
	map64_free(&s->ended);
	map64_free(&s->parents);
	free(s);
}

/* --- what finding.c shows --- */

static uint64_t creator_of(const struct goroutine *g)
{
	return g->created ? g->creator : TRACEV2_NO_ID;
}

static void finding_stuck_put(struct stucks *s, struct map64 *map, uint64_t key, uint64_t value)
{
	if (map->len >= KNOWN_MAX && !map64_get(map, key))
		s->too_many = true;
	else
		*map64_put(map, key, NULL) = value;
}

static void add_ended(struct findings *f, const struct goroutine *g, int64_t time)
{
	struct stucks *s = f->stucks;

	map64_del(&s->ended, g->id);
	if (creator_of(g) != TRACEV2_NO_ID && spans_goroutine(f->spans, g->creator))
		finding_stuck_put(s, &s->ended, g->creator, (uint64_t)time);
}

static void add_alive(struct stucks *s, const struct goroutine *g)
{
	finding_stuck_put(s, &s->alive, g->id, 1);
	finding_stuck_put(s, &s->names, (uintptr_t)g->name, 1);
	if (creator_of(g) != TRACEV2_NO_ID)
		finding_stuck_put(s, &s->parents, g->creator, 1);
	s->orphans += !g->created;
}

static bool can_be_stuck(struct findings *f, const struct stay *stay)
{
	struct stack_set *set = spans_stacks(f->spans);

	if (stay->why == WHY_JOIN)
		return stay->facts.callee &&
		       !strcmp(stack_set_frame_at(set, stay->facts.callee)->func,
			       "sync.(*WaitGroup).Wait");
	return stay->why == WHY_SEND || stay->why == WHY_RECEIVE;
}

static void stucks_end(struct findings *f, const struct stay *last, int64_t time, bool ended)
{
	struct stucks *s = f->stucks;
	const struct span *now = last->span;
	double waits = (double)(time - now->from), wall = (double)(time - f->first) + 1;

	if (ended) {
		add_ended(f, now->g, time);
		return;
	}
	add_alive(s, now->g);
	if (now->state != GO_WAITING || now->gap || waits < STUCK_NS ||
	    waits < STUCK_SHARE * wall) {
		s->active++;
		return;
	}
	if (!can_be_stuck(f, last) || !last->facts.program || s->entries.len == ENTRIES_MAX)
		return;
	*(struct entry *)vec_push(&s->entries, sizeof(struct entry)) = (struct entry){
		.g = now->g->id, .creator = creator_of(now->g), .created = now->g->created,
		.place = last->facts.place, .why = last->why, .from = now->from,
	};
}

/* --- judgement: at a channel --- */

/* Goroutines that wait at one place for one reason, and their creators. */
struct group {
	uint32_t place;
	uint8_t why;
	uint64_t n;
	double ns;
	int64_t from;
	struct few goroutines;
	struct map64 creators;
};

static struct entry *entry_at(const struct findings *f, size_t i)
{
	return vec_at(&f->stucks->entries, struct entry, i);
}

static void finding_stuck_add(const struct findings *f, struct group *group, struct entry *e)
{
	e->judged = true;
	group->n++;
	group->ns += (double)(f->last - e->from);
	few_add(&group->goroutines, e->g);
	if (group->n == 1 || e->from < group->from)
		group->from = e->from;
	if (e->creator != TRACEV2_NO_ID)
		*map64_put(&group->creators, e->creator, NULL) = 1;
}

static struct group finding_stuck_group_of(const struct findings *f, const struct entry *first)
{
	struct group group = { .place = first->place, .why = first->why };
	size_t i;

	for (i = 0; i < f->stucks->entries.len; i++)
		if (entry_at(f, i)->place == group.place && entry_at(f, i)->why == group.why)
			finding_stuck_add(f, &group, entry_at(f, i));
	return group;
}

/* Returns the group of goroutines that created the goroutines of @below and wait for them. */
static struct group joiners_of(const struct findings *f, struct group *below)
{
	struct group group = { .why = WHY_JOIN };
	size_t i;

	for (i = 0; i < f->stucks->entries.len; i++) {
		struct entry *e = entry_at(f, i);

		if (e->why != WHY_JOIN || e->judged || !map64_get(&below->creators, e->g))
			continue;
		group.place = e->place;
		finding_stuck_add(f, &group, e);
	}
	return group;
}

/*
 * Have all goroutines ended that ended waits at this place, and all others with the same first
 * function? If no wait ended there, a busy goroutine may have received before others began to wait:
 * in this case all other goroutines must wait, too.
 */
static bool are_gone(struct stucks *s, const struct ended_by *by)
{
	uint32_t i;

	if (!by->goroutines.n)
		return !s->active;
	for (i = 0; i < by->goroutines.n; i++)
		if (map64_get(&s->alive, by->goroutines.ids[i]))
			return false;
	if (by->goroutines.n == FEW && by->mixed)
		return false;
	return by->mixed || !map64_get(&s->names, (uintptr_t)by->name);
}

/*
 * Was the one joiner the only goroutine that sent to this place? If no wait of the receivers ended
 * there, the joiner must have waited for them to receive.
 */
static bool only_by(struct findings *f, struct ended_by *by, const struct group *joiners,
		    const struct group *group)
{
	uint64_t joiner = joiners->goroutines.ids[0];

	if (joiners->n != 1 || by->goroutines.n > 1)
		return false;
	if (by->goroutines.n)
		return by->goroutines.ids[0] == joiner;
	by->place = waits_sent_to(f, joiner, &group->goroutines);
	return by->place != 0;
}

static void say_group(struct findings *f, struct buf *text, const struct group *group,
		      const char *waits)
{
	buf_printf(text, "%llu goroutine%s %s", (unsigned long long)group->n,
		   group->n == 1 ? " waits" : "s wait", waits);
	findings_name(f, text, group->place);
}

static void say_who_is_gone(struct findings *f, struct buf *text, const struct group *group,
			    const struct ended_by *by)
{
	if (!by->goroutines.n && group->why == WHY_SEND) {
		buf_printf(text, "no wait there ended in the recording, and all other goroutines "
				 "wait as well");
		return;
	}
	if (group->why == WHY_SEND && !by->mixed && by->name[0]) {
		buf_printf(text, "the goroutines of %s received there, at ", by->name);
		findings_name(f, text, by->place);
		buf_printf(text, ", and all of them have ended");
		return;
	}
	findings_name(f, text, by->place);
	buf_printf(text, group->why == WHY_SEND ?
				 " received there, and those that did have all ended" :
				 " sent there, and now waits itself for those that receive: likely "
				 "a close of the "
				 "channel is missing");
}

static void say_joiners(struct findings *f, struct buf *text, struct group *joiners)
{
	const char *waits = " for them at ";
	struct group next;
	int level;

	for (level = 0; joiners->n && level < LEVELS_MAX; level++) {
		buf_printf(text, level ? "; " : ". ");
		say_group(f, text, joiners, waits + 1);
		waits = " for those at ";
		next = joiners_of(f, joiners);
		map64_free(&joiners->creators);
		*joiners = next;
	}
	buf_printf(text, ".");
}

static void judge_channel(struct findings *f, const struct entry *first)
{
	struct group group = finding_stuck_group_of(f, first), joiners = joiners_of(f, &group);
	struct ended_by by = waits_ended_by(f, group.place, group.why);
	struct buf text = { 0 };
	bool hopeless = group.why == WHY_SEND ? are_gone(f->stucks, &by) :
		only_by(f, &by, &joiners, &group);

	if (hopeless && joiners.n) {
		say_group(f, &text, &group,
			  group.why == WHY_SEND ? "for ever to send at " :
						  "for ever to receive at ");
		buf_printf(&text, ", the longest ");
		findings_time(&text, (double)(f->last - group.from));
		buf_printf(&text, " up to the end of the recording: ");
		say_who_is_gone(f, &text, &group, &by);
		say_joiners(f, &text, &joiners);
		f->lost += group.ns;
		findings_add(f,
			     &(struct verdict){ "stuck", group.ns, group.place, &group.goroutines,
						group.from, f->last },
			     &text);
	}
	map64_free(&joiners.creators);
	map64_free(&group.creators);
}

/* --- judgement: for goroutines --- */

/*
 * Judges a goroutine that waits for goroutines (WaitGroup.Wait) although all goroutines that it
 * created have ended.
 */
static void judge_join(struct findings *f, const struct entry *e)
{
	struct stucks *s = f->stucks;
	const uint64_t *ended = map64_get(&s->ended, e->g);
	struct few one = { .ids = { e->g }, .n = 1 };
	struct buf text = { 0 };
	int64_t from;
	double ns;

	/*
	 * a goroutine from before the trace may have created each other goroutine from before the
	 * trace
	 */
	if (!ended || map64_get(&s->parents, e->g) || (!e->created && s->orphans > 1))
		return;
	from = (int64_t)*ended > e->from ? (int64_t)*ended : e->from;
	ns = (double)(f->last - from);
	if (ns < STUCK_NS || ns < STUCK_SHARE * findings_wall(f))
		return;
	findings_name(f, &text, e->place);
	buf_printf(&text, " waits for goroutines (WaitGroup.Wait) although all that it began have "
			  "ended, for ");
	findings_time(&text, ns);
	buf_printf(&text, " up to the end of the recording: likely a call of Done is missing.");
	f->lost += ns;
	findings_add(f, &(struct verdict){ "stuck", ns, e->place, &one, from, f->last }, &text);
}

static void stucks_judge(struct findings *f)
{
	size_t i, groups = 0;

	if (f->stucks->too_many)
		return;
	for (i = 0; i < f->stucks->entries.len && groups < GROUPS_MAX; i++) {
		if (entry_at(f, i)->judged || entry_at(f, i)->why == WHY_JOIN)
			continue;
		judge_channel(f, entry_at(f, i));
		groups++;
	}
	for (i = 0; i < f->stucks->entries.len; i++)
		if (!entry_at(f, i)->judged && entry_at(f, i)->why == WHY_JOIN)
			judge_join(f, entry_at(f, i));
}

const struct findings_family findings_of_stucks = {
	.new = stucks_new,
	.free = stucks_free,
	.last_stay = stucks_end,
	.judge = stucks_judge,
};
