// SPDX-License-Identifier: Apache-2.0
/* view_head: the lines about the whole program and about gotap itself. See view.h. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/percent.h"
#include "top/short.h"
#include "top/view.h"

enum { BAR = 10 };

/* A line that is drawn piece by piece. */
struct line {
	struct screen *screen;
	int row, col;
};

static void head_put(struct line *l, enum style style, const char *text)
{
	l->col +=
		screen_put(l->screen, l->row, l->col, screen_cols(l->screen) - l->col, style, text);
}

#define PUT(l, style, ...) \
	do { \
		char text_[256]; \
		snprintf(text_, sizeof(text_), __VA_ARGS__); \
		head_put(l, style, text_); \
	} while (0)

static void put_title(const struct view *v, struct line *l, const struct ui *u,
		      const struct top_sample *s)
{
	time_t seconds = s ? (time_t)(s->wall_ns / 1000000000) : 0;
	char clock[16] = "";
	struct tm tm;

	PUT(l, STYLE_BOLD, "%s ", v->program);
	PUT(l, STYLE_PLAIN, "(process %d, %s)", v->pid, v->go_version);
	if (!s) {
		head_put(l, STYLE_PLAIN, "  the first interval is not over yet");
		return;
	}
	if (localtime_r(&seconds, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	PUT(l, STYLE_PLAIN, "  %s, last %.3g s", clock, (double)(s->to - s->from) / 1e9);
	if (u->paused)
		head_put(l, STYLE_BAD, "  PAUSED");
}

/* --- gotap itself: losses first --- */

static void head_put_losses(struct line *l, const struct top_sample *s)
{
	const struct top_machine *m = &s->machine;

	PUT(l, m->lost ? STYLE_BAD : STYLE_PLAIN, "lost %" PRIu64, m->lost);
	if (m->lost_ever != m->lost)
		PUT(l, STYLE_PLAIN, " (%" PRIu64 " ever)", m->lost_ever);
	PUT(l, m->repairs ? STYLE_BAD : STYLE_PLAIN, ", repairs %" PRIu64, m->repairs);
	if (m->repairs_ever != m->repairs)
		PUT(l, STYLE_PLAIN, " (%" PRIu64 " ever)", m->repairs_ever);
	if (s->unrecorded)
		PUT(l, STYLE_BAD, ", NOT RECORDED %s", short_time(s->unrecorded).text);
	if (*m->level)
		PUT(l, STYLE_BAD, ", budget: %s", m->level);
}

static void head_put_gotap(const struct view *v, struct line *l, const struct ui *u,
			   const struct top_sample *s)
{
	const struct top_machine *m = &s->machine;

	head_put(l, STYLE_HEAD, "gotap ");
	head_put_losses(l, s);
	if (m->cpu_probes >= 0)
		PUT(l, STYLE_PLAIN, "; probes %s %% CPU (limit %s)",
		    percent_text(m->cpu_probes * 100).text, percent_text(m->cpu_budget * 100).text);
	PUT(l, STYLE_PLAIN, ", itself %s %%, %s records/s", percent_text(m->cpu_own * 100).text,
	    short_count((uint64_t)top_rate(s, m->records)).text);
}

/* --- the program --- */

static void put_cpu(const struct view *v, struct line *l, const struct ui *u,
		    const struct top_sample *s)
{
	const struct top_machine *m = &s->machine;

	head_put(l, STYLE_HEAD, "CPU ");
	if (m->cpu < 0)
		head_put(l, STYLE_PLAIN, "not known");
	else
		PUT(l, STYLE_PLAIN, "%.1f %%", m->cpu * 100);
	if (s->gomaxprocs)
		PUT(l, STYLE_PLAIN, ", GOMAXPROCS %" PRIu64, s->gomaxprocs);
	if (!m->has_quota)
		return;
	PUT(l, STYLE_PLAIN, ", quota %.3g %%",
	    m->period_ns ? (double)m->quota_ns * 100 / (double)m->period_ns : 0);
	PUT(l, m->throttled ? STYLE_BAD : STYLE_PLAIN, ", throttled %" PRIu64 " times, %s",
	    m->throttled, short_time(m->throttled_ns).text);
}

static void head_put_goroutines(const struct view *v, struct line *l, const struct ui *u,
				const struct top_sample *s)
{
	const struct top_numbers *n = &s->all;

	head_put(l, STYLE_HEAD, "goroutines ");
	PUT(l, STYLE_BOLD, "%" PRIu64, top_total(n));
	PUT(l, STYLE_PLAIN, " (system %" PRIu64 "): ", s->system_now);
	PUT(l, STYLE_PLAIN,
	    "%" PRIu64 " run, %" PRIu64 " runnable, %" PRIu64 " syscall, %" PRIu64 " wait",
	    n->now[TOP_RUNNING], n->now[TOP_RUNNABLE], n->now[TOP_SYSCALL], n->now[TOP_WAITING]);
	PUT(l, STYLE_PLAIN, "; +%s", short_real(top_rate(s, n->created)).text);
	PUT(l, STYLE_PLAIN, " -%s/s", short_real(top_rate(s, n->ended)).text);
}

static void put_queue(const struct view *v, struct line *l, const struct ui *u,
		      const struct top_sample *s)
{
	const struct top_waits *w = &s->all.sched;

	head_put(l, STYLE_HEAD, "run queue ");
	PUT(l, STYLE_PLAIN, "%s mean, %" PRIu64 " most",
	    short_real(top_mean(s, s->all.ns[TOP_RUNNABLE])).text, s->runnable_max);
	PUT(l, STYLE_PLAIN, "; %s waits", short_count(w->count).text);
	if (!w->count)
		return;
	PUT(l, STYLE_PLAIN, ", p50 %s", short_time(w->p50).text);
	PUT(l, STYLE_PLAIN, ", p99 %s", short_time(w->p99).text);
	PUT(l, STYLE_PLAIN, ", max %s", short_time(w->max).text);
}

static void head_put_gc(const struct view *v, struct line *l, const struct ui *u,
			const struct top_sample *s)
{
	head_put(l, STYLE_HEAD, "GC ");
	PUT(l, STYLE_PLAIN, "%" PRIu64 " cycles, marks %.1f %% of the time", s->gc.cycles,
	    top_mean(s, s->gc.mark_ns) * 100);
	PUT(l, STYLE_PLAIN, "; world stopped %" PRIu64 " times, %s", s->gc.stops,
	    short_time(s->gc.stopped_ns).text);
	if (s->heap.bytes)
		PUT(l, STYLE_PLAIN, "; heap %s", short_bytes(s->heap.bytes).text);
	if (s->heap.goal)
		PUT(l, STYLE_PLAIN, " of %s", short_bytes(s->heap.goal).text);
}

/* --- units, waits --- */

/* "unit rounds of main.work 88.2/s, p50 1.02ms, p99 4.31ms, max 4.4ms" */
static void head_put_unit(struct line *l, const struct top_units *units, const struct top_unit *u)
{
	double rate = units->ns ? (double)u->n * 1e9 / (double)units->ns : 0;

	head_put(l, STYLE_HEAD, "unit ");
	PUT(l, STYLE_BOLD, "%.120s", u->name);
	PUT(l, STYLE_PLAIN, " %s/s", short_real(rate).text);
	if (!u->n)
		return;
	PUT(l, STYLE_PLAIN, ", p50 %s", short_time(u->p50).text);
	PUT(l, STYLE_PLAIN, ", p99 %s", short_time(u->p99).text);
	PUT(l, STYLE_PLAIN, ", max %s", short_time(u->max).text);
}

/* "requests 830/s, 1.2 % failed, p50 1.02ms, p99 4.3ms, max 12ms; 2 open, the oldest for 1.3s" */
static int put_requests(struct screen *screen, const struct top_sample *s, int row, int rows)
{
	const struct top_requests *q = &s->requests;
	struct line l = { screen, row, 0 };

	if (!q->known || rows <= 0)
		return 0;
	head_put(&l, STYLE_HEAD, "requests ");
	PUT(&l, STYLE_BOLD, "%s/s", short_real(top_rate(s, q->took.count)).text);
	if (q->took.count) {
		PUT(&l, q->failed ? STYLE_BAD : STYLE_PLAIN, ", %s %% failed",
		    percent_text((double)q->failed * 100 / (double)q->took.count).text);
		PUT(&l, STYLE_PLAIN, ", p50 %s", short_time(q->took.p50).text);
		PUT(&l, STYLE_PLAIN, ", p99 %s", short_time(q->took.p99).text);
		PUT(&l, STYLE_PLAIN, ", max %s", short_time(q->took.max).text);
	}
	PUT(&l, STYLE_PLAIN, "; %s open", short_count(q->open).text);
	if (q->open)
		PUT(&l, STYLE_PLAIN, ", the oldest for %s", short_time(q->oldest).text);
	return 1;
}

/* Draws a line for each unit. Returns the number of lines. */
static int put_units(struct screen *screen, const struct top_sample *s, int row, int rows)
{
	const struct top_units *units = &s->units;
	struct line none = { screen, row, 0 };
	int i, n = (int)units->list.len < rows ? (int)units->list.len : rows;

	for (i = 0; i < n; i++) {
		struct line l = { screen, row + i, 0 };

		head_put_unit(&l, units, vec_at(&units->list, struct top_unit, i));
		if (!i && units->skipped)
			PUT(&l, STYLE_BAD, ", %" PRIu64 " parts of a second left out",
			    units->skipped);
	}
	if (n || rows <= 0)
		return n;
	head_put(&none, STYLE_HEAD, "unit ");
	head_put(&none, STYLE_PLAIN, units->known ? "none: nothing repeats" : "not known yet");
	return 1;
}

/* "blocked 9.1: chan receive 8 (p99 1.02ms), sync 1.1 (p99 31us)": means; the most first. */
static void head_put_blocked(const struct view *v, struct line *l, const struct ui *u,
			const struct top_sample *s)
{
	uint64_t all = 0;
	size_t i;

	for (i = 0; i < s->waits.len; i++)
		all += vec_at(&s->waits, struct top_wait, i)->ns;
	head_put(l, STYLE_HEAD, "blocked ");
	PUT(l, STYLE_PLAIN, "%s", short_real(top_mean(s, all)).text);
	for (i = 0; i < s->waits.len; i++) {
		const struct top_wait *w = vec_at(&s->waits, struct top_wait, i);

		PUT(l, STYLE_PLAIN, "%s%s", i ? ", " : ": ",
		    *w->text ? w->text : "(since before)");
		PUT(l, STYLE_PLAIN, " %s", short_real(top_mean(s, w->ns)).text);
		if (w->ended.count)
			PUT(l, STYLE_DIM, " (p99 %s)", short_time(w->ended.p99).text);
	}
}

/* --- Ps --- */

static uint64_t head_cells(const struct top_sample *s, uint64_t ns, int width)
{
	double share = top_mean(s, ns);

	return (uint64_t)(share * width + 0.5);
}

/*
 * Draws a bar like "P0 [|||||s    ]": | for time with a running goroutine, s for time in a system
 * call.
 */
static void put_bar(struct line *l, const struct top_sample *s, const struct top_proc *p)
{
	char bar[BAR + 1];
	uint64_t run = head_cells(s, p->running, BAR),
		 sys = head_cells(s, p->running + p->syscall, BAR), i;

	for (i = 0; i < BAR; i++)
		bar[i] = i < run ? '|' : i < sys ? 's' : ' ';
	bar[BAR] = 0;
	PUT(l, STYLE_PLAIN, "P%-2" PRIu64 "[", p->id);
	head_put(l, run >= BAR - 1 ? STYLE_BUSY : STYLE_GOOD, bar);
	PUT(l, STYLE_PLAIN, "]%3.0f%% ", top_mean(s, p->running) * 100);
}

/* Draws one character for each P, if there are many Ps. */
static void put_levels(const struct view *v, struct line *l, const struct ui *u,
		       const struct top_sample *s)
{
	static const char *const levels[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	size_t i;

	head_put(l, STYLE_HEAD, "Ps ");
	PUT(l, STYLE_PLAIN, "%.1f run of %zu [", top_mean(s, s->all.ns[TOP_RUNNING]), s->procs.len);
	for (i = 0; i < s->procs.len; i++) {
		const struct top_proc *p = vec_at(&s->procs, struct top_proc, i);
		uint64_t level = head_cells(s, p->running, screen_is_utf8(l->screen) ? 8 : 9);

		if (screen_is_utf8(l->screen))
			head_put(l, STYLE_GOOD, levels[level > 8 ? 8 : level]);
		else
			PUT(l, STYLE_GOOD, "%c", level ? (char)('0' + level) : ' ');
	}
	head_put(l, STYLE_PLAIN, "]");
}

static int put_bars(struct screen *screen, const struct top_sample *s, int row, int rows)
{
	enum { COLUMNS_OF_BAR = 3 + 1 + BAR + 1 + 4 + 1 };
	int in_line = screen_cols(screen) / COLUMNS_OF_BAR, used = 0;
	size_t i;

	if (in_line < 1)
		in_line = 1;
	for (i = 0; i < s->procs.len; i++) {
		int at = (int)i / in_line;
		struct line l = { screen, row + at, (int)i % in_line * COLUMNS_OF_BAR };

		if (at >= rows)
			break;
		put_bar(&l, s, vec_at(&s->procs, struct top_proc, i));
		used = at + 1;
	}
	return used;
}

/* --- */

typedef void put_fn(const struct view *v, struct line *l, const struct ui *u,
		    const struct top_sample *s);

/* In the order of importance: a screen without room for all lines has the first ones. */
static put_fn *const lines[] = { put_title, head_put_gotap, put_cpu, head_put_goroutines };
/* and those below the units */
static put_fn *const lower_lines[] = { head_put_blocked, put_queue, head_put_gc };

static int head_lines(const struct view *v, struct screen *screen, const struct ui *u,
		      const struct top_sample *s, put_fn *const *list, int n, int row, int rows)
{
	int i;

	for (i = 0; i < n && row < rows; i++, row++) {
		struct line l = { screen, row, 0 };

		list[i](v, &l, u, s);
	}
	return row;
}

int view_head(const struct view *v, struct screen *screen, const struct ui *u,
	      const struct top_sample *s, int rows)
{
	int row = head_lines(v, screen, u, s, lines, s ? (int)(sizeof(lines) / sizeof(*lines)) : 1,
			     0, rows);

	if (row == rows || !s)
		return row;
	row += put_requests(screen, s, row, rows - row);
	row += put_units(screen, s, row, rows - row);
	row = head_lines(v, screen, u, s, lower_lines,
			 (int)(sizeof(lower_lines) / sizeof(*lower_lines)), row, rows);
	if (row == rows)
		return row;
	if (s->procs.len <= VIEW_BARS)
		return row + put_bars(screen, s, row, rows - row);
	put_levels(v, &(struct line){ screen, row, 0 }, u, s);
	return row + 1;
}
