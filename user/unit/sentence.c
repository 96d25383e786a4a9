// SPDX-License-Identifier: Apache-2.0
/* sentence: a unit of work in words. See unit.h. */
#include <string.h>

#include "base/units.h"
#include "unit/causes.h"
#include "unit/samples.h"
#include "unit/snapshot.h"
#include "unit/unit.h"
#include "why/group.h"

const char *unit_kind_name(enum unit_kind kind)
{
	static const char *const names[UNIT_KINDS] = {
		[UNIT_TASK] = "task", [UNIT_REGION] = "region", [UNIT_GOROUTINE] = "goroutine",
		[UNIT_REQUEST] = "request", [UNIT_ROUND] = "round", [UNIT_CYCLE] = "round",
		[UNIT_LIFE] = "goroutine", [UNIT_TRIGGER] = "trigger",
	};

	return names[kind];
}

/*
 * "12 rounds of main.work"; "12 requests seen in main.handle": those of which a stack shows it
 */
void unit_put_name(const struct unit *u, struct buf *text)
{
	static const char *const of[UNIT_KINDS] = {
		[UNIT_TASK] = "", [UNIT_REGION] = "", [UNIT_GOROUTINE] = "of ",
		[UNIT_REQUEST] = "seen in ", [UNIT_ROUND] = "of ", [UNIT_CYCLE] = "of ",
		[UNIT_LIFE] = "of ", [UNIT_TRIGGER] = "of ",
	};

	buf_printf(text, "%s%s %s%.200s", unit_kind_name(u->kind), u->n == 1 ? "" : "s",
		   of[u->kind], u->name);
}

/* ", 88 a second: p50 ..." */
static void put_numbers(const struct unit *u, struct buf *text)
{
	double rate = u->seconds > 0 ? (double)u->n / u->seconds : 0;

	if (rate >= 100)
		buf_printf(text, ", %s a second", unit_count((uint64_t)(rate + 0.5)).text);
	else
		buf_printf(text, ", %.2g a second", rate);
	buf_printf(text, ": p50 %s, p90 %s, p99 %s", unit_time(dist_quantile(&u->dist, 0.5)).text,
		   unit_time(dist_quantile(&u->dist, 0.9)).text,
		   unit_time(dist_quantile(&u->dist, 0.99)).text);
}

enum { SAID_MOST = 3 };

/* Shares below this one have no words of their own. */
static const double said_least = 0.04;

struct said {
	const struct unit_cause *causes[SAID_MOST];
	size_t n;
	double share;
};

static struct said sentence_said(const struct unit *u)
{
	struct said said = {0};
	size_t i;

	for (i = 0; i < u->ncauses && said.n < SAID_MOST; i++) {
		if (!unit_cause_is_known(u->causes[i].kind))
			continue;
		if (said.n && u->causes[i].share < said_least)
			break;
		said.causes[said.n++] = &u->causes[i];
		said.share += u->causes[i].share;
	}
	return said;
}

double unit_said(const struct unit *u)
{
	struct said said = sentence_said(u);
	size_t i;

	for (i = 0; i < said.n; i++)
		if (said.causes[i]->finding)
			said.share -= said.causes[i]->share;
	return said.share > 0 ? said.share : 0;
}

double unit_found(const struct unit *u, size_t finding)
{
	double share = 0;
	size_t i;

	for (i = 0; i < u->ncauses; i++)
		if (u->causes[i].finding == finding)
			share += u->causes[i].share;
	return share;
}

double unit_rest(const struct unit *u)
{
	double rest = 1 - unit_said(u);
	size_t i;

	for (i = 0; i < u->ncauses; i++)
		if (u->causes[i].finding)
			rest -= u->causes[i].share;
	return u->ncauses && rest > 0 ? rest : 0;
}

/* Shares below this one are rounding errors of sums. */
static const double sentence_nothing = 1e-6;

static void sentence_put_rest(struct buf *text, double rest, double unattributed)
{
	double others = rest - unattributed;

	if (others > sentence_nothing)
		buf_printf(text, "%s has other causes", unit_share(others, 1).text);
	if (others > sentence_nothing && unattributed > sentence_nothing)
		buf_printf(text, "; ");
	if (unattributed > sentence_nothing)
		buf_printf(text, "%s is unattributed: the trace does not say how it was spent",
			   unit_share(unattributed, 1).text);
}

void unit_put_rest(const struct unit *u, struct buf *text)
{
	sentence_put_rest(text, unit_rest(u), u->unattributed);
}

static void sentence_put_others(const struct unit_snapshot *n, struct buf *text)
{
	size_t i;

	if (!n->n_others) {
		buf_printf(text, ". No other goroutine waited at that place meanwhile");
		return;
	}
	buf_printf(text, ". At the same place waited meanwhile goroutine%s",
		   n->n_others == 1 ? "" : "s");
	for (i = 0; i < n->n_others && i < SNAPSHOT_OTHERS; i++)
		buf_printf(text, "%s %llu", i ? "," : "", (unsigned long long)n->others[i]);
	if (n->n_others > SNAPSHOT_OTHERS)
		buf_printf(text, " and %llu more",
			   (unsigned long long)(n->n_others - SNAPSHOT_OTHERS));
}

static void sentence_put_trigger(const struct unit *u, struct buf *text)
{
	const struct snapshot_stay *w = &u->snapshot->stay;

	if (w->state != GO_WAITING) {
		buf_printf(text, "%.300s; shown for goroutine %llu%s%.200s, for %s",
			   u->snapshot->said, (unsigned long long)w->g, *w->name ? " " : "",
			   w->name, unit_time(u->ns).text);
		return;
	}
	buf_printf(text, "Goroutine %llu%s%.200s was blocked for %s (%.100s)",
		   (unsigned long long)w->g, *w->name ? " " : "", w->name,
		   unit_time(u->ns).text, w->reason);
	sentence_put_others(u->snapshot, text);
}

/* Which unit it is, and its numbers. */
static void sentence_put_head(const struct unit *u, struct buf *text)
{
	if (u->kind == UNIT_TRIGGER) {
		sentence_put_trigger(u, text);
		return;
	}
	buf_printf(text, "%s ", unit_count(u->n).text);
	unit_put_name(u, text);
	if (u->kind == UNIT_LIFE)
		buf_printf(text, ", in the trace only in part");
	else
		put_numbers(u, text);
}

void unit_put_sentence(const struct unit *u, struct buf *text)
{
	struct said said = sentence_said(u);
	size_t i;

	sentence_put_head(u, text);
	buf_printf(text, u->ncauses ? ". Composition:" : ".");
	for (i = 0; i < said.n; i++) {
		buf_printf(text, "%s %s ", i ? ";" : "",
			   unit_share(said.causes[i]->share, 1).text);
		buf_add(text, said.causes[i]->text.data, said.causes[i]->text.len);
	}
	if (!u->ncauses)
		return;
	if (1 - said.share > sentence_nothing)
		buf_printf(text, said.n ? "; " : " ");
	sentence_put_rest(text, 1 - said.share, u->unattributed);
	buf_printf(text, ".");
}

void unit_put_slow(const struct unit *u, struct buf *text)
{
	const struct unit_cause *most = NULL;
	size_t i;

	for (i = 0; i < u->ncauses; i++)
		if (!most || u->causes[i].slow > most->slow)
			most = &u->causes[i];
	if (!most || !u->groups[0].looked || !u->groups[1].looked ||
	    most->slow < (double)dist_quantile(&u->dist, 0.5) / 2)
		return;
	buf_printf(text, "The slowest 1 %% differ by %s ",
		   unit_time((int64_t)most->slow).text);
	buf_add(text, most->text.data, most->text.len);
	buf_printf(text, ".");
}

void unit_put_text(const struct unit *u, struct buf *text)
{
	size_t end;

	unit_put_sentence(u, text);
	end = text->len;
	buf_add_byte(text, ' ');
	unit_put_slow(u, text);
	if (text->len == end + 1)
		text->len = end;
}

/* --- CPU samples --- */

enum { SAMPLED_MOST = 3 };

/* A unit that runs for a smaller part of its time needs no CPU samples. */
static const double sentence_runs_least = 0.2;

/* Its first cause that runs, which has the goroutines of the most running time; NULL: none runs. */
static const struct unit_cause *sentence_running(const struct unit *u)
{
	size_t i;

	for (i = 0; i < u->ncauses; i++)
		if (u->causes[i].kind == STEP_RUNNING)
			return &u->causes[i];
	return NULL;
}

bool unit_lacks_samples(const struct unit *u, const struct unit_samples *samples)
{
	const struct unit_cause *runs = sentence_running(u);
	struct samples_row row;

	return runs && !samples_of(samples, runs->root, &row, 1);
}

void unit_put_samples(const struct unit *u, const struct unit_samples *samples, struct buf *text)
{
	const struct unit_cause *most = sentence_running(u);
	struct samples_row rows[SAMPLED_MOST];
	double runs = 0;
	size_t i, n;

	for (i = 0; i < u->ncauses; i++)
		if (u->causes[i].kind == STEP_RUNNING)
			runs += u->causes[i].share;
	if (runs < sentence_runs_least)
		return;
	n = samples_of(samples, most->root, rows, SAMPLED_MOST);
	if (!n)
		buf_printf(text, "The functions that run are not in the trace: it has no CPU "
			   "samples of them.");
	for (i = 0; i < n; i++) {
		buf_printf(text, i ? ", " : "CPU samples of goroutines of %.200s: ", most->root);
		buf_printf(text, "%s %.200s (%.100s:%llu)", unit_share(rows[i].share, 1).text,
			   rows[i].function, rows[i].file,
			   (unsigned long long)rows[i].line);
	}
	if (n)
		buf_printf(text, ".");
}
