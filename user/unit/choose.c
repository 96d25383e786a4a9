// SPDX-License-Identifier: Apache-2.0
/*
 * choose: see choose.h. A candidate has as its score the time of its instances, times weights:
 *
 * - a request that the trace has as a task (group http) is the best unit there is;
 * - a name that the program itself gives (task, region), or a request of a server, is a better unit
 *   than the life of a goroutine, and that is better than a round of a loop;
 * - time in which a goroutine paces itself (it sleeps, or waits for a timer or until the trace
 *   ends) or waits for the network is no work, unless it is a part of a request or a short life;
 * - goroutines without any code of the program are helpers of a library;
 * - goroutines that began in goroutines of another candidate are a part of its work.
 *
 * Only the best candidate of a function counts.
 */
#include "unit/choose.h"

#include <stdlib.h>
#include <string.h>

enum { FEW_INSTANCES = 3, MANY_INSTANCES = 10 };

/* A further unit has this part of the score of the first one, or more. */
#define OTHERS_LEAST 0.1

#define SERVED_WEIGHT 24

static const double kind_weight[UNIT_KINDS] = {
	[UNIT_TASK] = 4, [UNIT_REGION] = 3, [UNIT_REQUEST] = 6, [UNIT_GOROUTINE] = 2,
	[UNIT_ROUND] = 1.5, [UNIT_CYCLE] = 1, [UNIT_LIFE] = 0.5,
};

static const struct unit_list *choose_list(const struct unit_lists *l, size_t i)
{
	return vec_at(&l->lists, struct unit_list, i);
}

/*
 * Goroutines that serve the requests of one connection, one after the other. Their handler is not
 * in any stack if it neither waits nor is preempted.
 */
static const char *const servers[] = {
	"net/http.(*conn).serve", "net/rpc.(*Server).ServeConn", "net/rpc.(*Server).ServeCodec",
};

static bool choose_is_server(const char *root)
{
	size_t i;

	for (i = 0; i < sizeof(servers) / sizeof(*servers); i++)
		if (!strcmp(root, servers[i]))
			return true;
	return false;
}

/* Is it a place where work arrives, and not where a goroutine waits for an answer? */
static bool is_for_work(const struct unit_list *list)
{
	return list->kind == UNIT_REQUEST ||
	       (list->wait == UNIT_WAIT_WORK && (double)list->replies < 0.3 * (double)list->n);
}

static bool choose_may(const struct unit_list *list)
{
	if (spans_is_system(list->root) || !strncmp(list->root, "runtime/", 8))
		return false;
	/* the units of such a goroutine are its requests, whatever it waits for within them */
	if (choose_is_server(list->root) && list->kind > UNIT_REQUEST)
		return false;
	if (list->kind == UNIT_LIFE)
		return true;
	return list->n >= FEW_INSTANCES && (list->kind != UNIT_ROUND || is_for_work(list));
}

/* The part of the time that is work: see the head of this file. */
static double choose_work(const struct unit_list *list)
{
	double idle = 0;

	if (list->kind == UNIT_CYCLE || list->kind == UNIT_LIFE)
		idle = (double)(list->pace + list->net);
	else if (list->kind == UNIT_ROUND)
		idle = (double)list->net;
	return (double)list->ns > idle ? (double)list->ns - idle : 0;
}

static double choose_score(const struct unit_list *list)
{
	double score = choose_work(list) * (list->served ? SERVED_WEIGHT : kind_weight[list->kind]);

	if (!list->program && !(list->kind == UNIT_REQUEST && choose_is_server(list->root)))
		score *= 0.02;
	if (!strcmp(list->root, "runtime.main"))
		score *= 0.3;
	if (list->kind != UNIT_LIFE && list->n < MANY_INSTANCES)
		score *= 0.5;
	/* a goroutine that does nothing at all: a leak, or one that waits for the end */
	if (list->kind == UNIT_LIFE && list->running < list->ns / 1000)
		score *= 0.001;
	return score;
}

/* Among places of one function the one nearest to its begin is where the loop comes back to. */
static bool is_nearer(const struct unit_list *a, const struct unit_list *b)
{
	if (a->kind != b->kind || a->root != b->root || a->kind == UNIT_REQUEST ||
	    (a->kind != UNIT_ROUND && a->kind != UNIT_CYCLE))
		return false;
	return a->depth != b->depth ? a->depth < b->depth : a->n > b->n;
}

static bool choose_is_outdone(const struct unit_lists *l, size_t i)
{
	size_t k;

	for (k = 0; k < l->lists.len; k++)
		if (k != i && choose_may(choose_list(l, k)) &&
		    is_nearer(choose_list(l, k), choose_list(l, i)))
			return true;
	return false;
}

/* Is @list about goroutines that goroutines of @of begin? */
static bool is_part_of(const struct unit_list *list, const struct unit_list *of)
{
	return list->kind == UNIT_GOROUTINE && of->kind != UNIT_CYCLE && of->kind != UNIT_LIFE &&
	       list->creator == of->root &&
	       list->creators > 0 && strcmp(of->root, list->root);
}

/* The score of a part of another candidate's work is less than that of the candidate. */
static void choose_lower_parts(const struct unit_lists *l, double *scores)
{
	size_t i, k;

	for (i = 0; i < l->lists.len; i++)
		for (k = 0; k < l->lists.len; k++)
			if (scores[i] > 0 && scores[k] > scores[i] / 50 &&
			    is_part_of(choose_list(l, i), choose_list(l, k)) &&
			    strcmp(choose_list(l, k)->root, "runtime.main"))
				scores[i] *= 0.2;
}

static size_t choose_best(const struct unit_lists *l, const double *scores)
{
	size_t i, best = 0;

	for (i = 1; i < l->lists.len; i++)
		if (scores[i] > scores[best])
			best = i;
	return best;
}

/* Takes the score of a chosen list away, and those of the other lists of its function. */
static void choose_forget(const struct unit_lists *l, double *scores, size_t chosen)
{
	size_t i;

	for (i = 0; i < l->lists.len; i++)
		if (choose_list(l, i)->root == choose_list(l, chosen)->root &&
		    choose_list(l, i)->handler == choose_list(l, chosen)->handler)
			scores[i] = 0;
}

/* --- programs without units --- */

static int64_t choose_waits(const struct unit_list *list)
{
	return list->ns - list->running;
}

static int64_t choose_runs(const struct unit_list *list)
{
	return list->running;
}

/*
 * Adds the goroutines of one function, without a begin or an end in the trace, that have most of
 * @time. Those with code of the program come before the helpers of libraries.
 */
static size_t choose_life(const struct unit_lists *l, int64_t (*time)(const struct unit_list *),
			  size_t *chosen, size_t n)
{
	const struct unit_list *best = NULL;
	size_t i, at = 0;

	for (i = 0; i < l->lists.len; i++) {
		const struct unit_list *list = choose_list(l, i);

		if (list->kind != UNIT_LIFE || !choose_may(list) || time(list) <= 0 ||
		    (best && best->program > list->program) ||
		    (best && best->program == list->program && time(list) <= time(best)))
			continue;
		best = list;
		at = i;
	}
	for (i = 0; best && i < n; i++)
		if (choose_list(l, chosen[i])->root == best->root)
			return n;
	if (best)
		chosen[n++] = at;
	return n;
}

/*
 * For a program in which nothing comes to an end: the goroutines that wait most, and those that run
 * most, unless they are chosen already.
 */
static size_t choose_lives(const struct unit_lists *l, size_t *chosen, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (choose_list(l, chosen[i])->kind != UNIT_LIFE)
			return n;
	if (n < UNITS_MOST)
		n = choose_life(l, choose_runs, chosen, n);
	return n < UNITS_MOST ? choose_life(l, choose_waits, chosen, n) : n;
}

/* --- a unit that the user asks for --- */

static bool choose_is_named(const char *text, const char *name)
{
	const char *slash = text ? strrchr(text, '/') : NULL;

	return text && (!strcmp(text, name) || (slash && !strcmp(slash + 1, name)));
}

/* Returns the number of the best list of @name, however good; @l->lists.len: there is none. */
static size_t choose_named(const struct unit_lists *l, const char *name)
{
	size_t i, best = l->lists.len;
	double score, most = -1;

	for (i = 0; i < l->lists.len; i++) {
		const struct unit_list *list = choose_list(l, i);

		if (!choose_is_named(list->handler ? list->handler : list->root, name))
			continue;
		score = choose_may(list) && !choose_is_outdone(l, i) ? choose_score(list) : 0;
		if (score > most) {
			most = score;
			best = i;
		}
	}
	return best;
}

/* Puts list @i at its place among the @n chosen ones; returns how many there are then. */
static size_t choose_insert(const struct unit_lists *l, size_t *chosen, size_t n, size_t i)
{
	size_t at = n < UNITS_ROUTES ? n : UNITS_ROUTES - 1;

	if (n == UNITS_ROUTES && choose_list(l, chosen[at])->ns >= choose_list(l, i)->ns)
		return n;
	while (at && choose_list(l, chosen[at - 1])->ns < choose_list(l, i)->ns) {
		chosen[at] = chosen[at - 1];
		at--;
	}
	chosen[at] = i;
	return n < UNITS_ROUTES ? n + 1 : n;
}

size_t choose_routes(const struct unit_lists *l, size_t chosen[UNITS_ROUTES])
{
	size_t i, n = 0;

	for (i = 0; i < l->lists.len; i++)
		if (choose_list(l, i)->served)
			n = choose_insert(l, chosen, n, i);
	return n;
}

size_t choose_alike(const struct unit_lists *l, const struct unit_list *like)
{
	size_t i, best = l->lists.len;

	for (i = 0; i < l->lists.len; i++) {
		const struct unit_list *list = choose_list(l, i);

		if (list->kind != like->kind || strcmp(list->root, like->root) ||
		    strcmp(list->handler ? list->handler : "",
			   like->handler ? like->handler : "") || choose_is_outdone(l, i))
			continue;
		if (best == l->lists.len || list->ns > choose_list(l, best)->ns)
			best = i;
	}
	return best;
}

/* The goroutines of connections, and those that serve one request of HTTP/2 each. */
static bool choose_is_of_http(const char *root)
{
	static const char handler[] = "erverConn).runHandler";
	size_t n = strlen(root), tail = sizeof(handler) - 1;

	return !strcmp(root, servers[0]) || (n > tail && !strcmp(root + n - tail, handler));
}

/*
 * Are these goroutines, or their rounds, what serves requests that the trace has as tasks (group
 * http)? They are no other unit than those.
 */
static bool choose_is_served(const struct unit_lists *l, const struct unit_list *list)
{
	size_t i;

	if (list->kind == UNIT_TASK || list->kind == UNIT_REGION || !choose_is_of_http(list->root))
		return false;
	for (i = 0; i < l->lists.len; i++)
		if (choose_list(l, i)->served)
			return true;
	return false;
}

size_t choose_units(const struct unit_lists *l, int64_t wall, const char *name,
		    size_t chosen[UNITS_MOST])
{
	double *scores, first = 0, score;
	size_t i, n = 0, named = name ? choose_named(l, name) : 0;

	if (name && named == l->lists.len)
		return 0;
	scores = xcalloc(l->lists.len + 1, sizeof(*scores));
	for (i = 0; i < l->lists.len; i++)
		if (choose_may(choose_list(l, i)) && !choose_is_outdone(l, i) &&
		    !choose_is_served(l, choose_list(l, i)))
			scores[i] = choose_score(choose_list(l, i));
	choose_lower_parts(l, scores);
	if (name) {
		first = scores[named];
		chosen[n++] = named;
		choose_forget(l, scores, named);
	}
	while (n < UNITS_MOST && l->lists.len) {
		i = choose_best(l, scores);
		score = scores[i];
		if (score <= first * OTHERS_LEAST || score < (double)wall * 1e-4)
			break;
		choose_forget(l, scores, i);
		first = n ? first : score;
		chosen[n++] = i;
	}
	free(scores);
	return choose_lives(l, chosen, n);
}
