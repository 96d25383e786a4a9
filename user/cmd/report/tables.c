// SPDX-License-Identifier: Apache-2.0
/* tables: the tables of the report for people. See parts.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "cmd/report/parts.h"
#include "base/units.h"

static void put_rest(size_t shown, size_t all, FILE *f)
{
	if (shown < all)
		fprintf(f, "   and %zu more; --top N shows them\n", all - shown);
}

/* --- goroutines --- */

static int64_t busy_of(const struct function_row *row)
{
	return tables_dist(row, STAY_RUNNING)->sum;
}

static int report_tables_by_time(const void *a, const void *b)
{
	const struct function_row *x = *(struct function_row *const *)a,
				  *y = *(struct function_row *const *)b;

	if (x->system != y->system)
		return x->system - y->system;
	if (busy_of(x) != busy_of(y))
		return busy_of(x) > busy_of(y) ? -1 : 1;
	return (x->life.sum < y->life.sum) - (x->life.sum > y->life.sum);
}

static struct vec sorted_functions(const struct trace_report *r)
{
	const struct vec *rows = &r->tables->functions;
	struct vec sorted = {0};
	size_t i;

	for (i = 0; i < rows->len; i++)
		*(struct function_row **)vec_push(&sorted, sizeof(void *)) =
			vec_at(rows, struct function_row, i);
	vec_sort(&sorted, sizeof(void *), report_tables_by_time);
	return sorted;
}

static void print_dist(const struct trace_report *r, const char *name, const struct dist *d,
		       int64_t whole, FILE *f)
{
	fputs("   ", f);
	unit_name(f, name, 30);
	fprintf(f, "%12s %8s %6s %8s %8s %8s %8s", unit_count(d->count).text,
		unit_time(d->sum).text, unit_share((double)d->sum, (double)whole).text,
		unit_time(dist_quantile(d, 0.5)).text, unit_time(dist_quantile(d, 0.9)).text,
		unit_time(dist_quantile(d, 0.99)).text, unit_time(d->max).text);
	if (d->max_g != TRACEV2_NO_ID)
		fprintf(f, "  g %" PRIu64, d->max_g);
	fputs(" at ", f);
	report_put_instant(r, d->max_trace, d->max_from, f);
	fputc('\n', f);
}

struct stay_of_row {
	uint32_t stay;
	const struct dist *dist;
};

static int by_sum(const void *a, const void *b)
{
	const struct stay_of_row *x = a, *y = b;
	bool inner_x = !stay_is_state(x->stay), inner_y = !stay_is_state(y->stay);

	if (inner_x != inner_y)
		return inner_x - inner_y;
	return (x->dist->sum < y->dist->sum) - (x->dist->sum > y->dist->sum);
}

/* Were the threads off their CPUs for more than a thousandth of the life? */
static bool is_worth_splitting(const struct function_row *row, uint32_t first)
{
	int64_t off = 0;
	uint32_t split;

	for (split = SPLIT_ON_CPU + 1; split < SPLITS; split++)
		off += tables_dist(row, first + split)->sum;
	return off && off >= row->life.sum / 1000;
}

/* The parts of one stay, below it. */
static void print_splits(const struct trace_report *r, const struct function_row *row,
			 uint32_t first, FILE *f)
{
	struct stay_of_row parts[SPLITS];
	char name[48];
	size_t n = 0, i;
	uint32_t split;

	if (!is_worth_splitting(row, first))
		return;
	for (split = 0; split < SPLITS; split++) {
		const struct dist *d = tables_dist(row, first + split);

		if (d->count && (split == SPLIT_ON_CPU || d->sum >= row->life.sum / 1000))
			parts[n++] = (struct stay_of_row){ first + split, d };
	}
	qsort(parts, n, sizeof(*parts), by_sum);
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "  %s", tables_stay_name(r->tables, parts[i].stay));
		print_dist(r, name, parts[i].dist, row->states, f);
	}
}

/* Less than a thousandth of a life says nothing, but for what lies within other stays. */
static bool is_worth_a_line(const struct function_row *row, uint32_t stay)
{
	const struct dist *d = tables_dist(row, stay);

	if (!d->count || stay_is_split(stay))
		return false;
	if (stay == STAY_CALL && is_worth_splitting(row, STAY_LINUX_CALL))
		return true;
	/* The same as the part with a P, where none or little was without. */
	if ((stay == STAY_CALL && tables_dist(row, STAY_SYSCALL_BLOCKED)->sum < d->sum / 100))
		return false;
	return stay <= STAY_RUNNABLE || d->sum >= row->life.sum / 1000;
}

static void print_function(const struct trace_report *r, const struct function_row *row, FILE *f)
{
	struct stay_of_row stays[STAYS];
	size_t n = 0, i;
	uint32_t stay;

	show_printf(f, "%s  ", tables_name(r->tables, row));
	report_put_place(row->file, row->line, f);
	fprintf(f, "  %s goroutine%s", unit_count(row->goroutines).text,
		row->goroutines == 1 ? "" : "s");
	if (row->created)
		fprintf(f, ", %s created", unit_count(row->created).text);
	if (row->ended)
		fprintf(f, ", %s ended", unit_count(row->ended).text);
	fprintf(f, r->only ? "; had the label for %s together\n" : "; lived %s together\n",
		unit_time(row->life.sum).text);
	for (stay = 0; stay < tables_stays(r->tables); stay++)
		if (is_worth_a_line(row, stay))
			stays[n++] = (struct stay_of_row){ stay, tables_dist(row, stay) };
	qsort(stays, n, sizeof(*stays), by_sum);
	for (i = 0; i < n; i++) {
		print_dist(r, tables_stay_name(r->tables, stays[i].stay), stays[i].dist,
			   row->states, f);
		if (stays[i].stay == STAY_RUNNING)
			print_splits(r, row, STAY_LINUX, f);
		else if (stays[i].stay == STAY_CALL)
			print_splits(r, row, STAY_LINUX_CALL, f);
	}
}

static void print_functions(const struct trace_report *r, FILE *f)
{
	struct vec sorted = sorted_functions(r);
	size_t i, shown = 0, system = 0;

	fprintf(f,
		"\nGOROUTINES BY %s, those that ran longest first\n%-33s%12s %8s %6s %8s %8s %8s "
		"%8s  %s\n",
		r->tables->options.label ? "LABEL" : "FUNCTION", "", "COUNT", "SUM", "SHARE", "P50",
		"P90", "P99", "MAX", "THE LONGEST");
	for (i = 0; i < sorted.len; i++) {
		const struct function_row *row = *vec_at(&sorted, struct function_row *, i);

		system += row->system;
		if (row->system || shown == r->tables->options.top)
			continue;
		print_function(r, row, f);
		shown++;
	}
	put_rest(shown, sorted.len - system, f);
	vec_free(&sorted);
}

/* --- the runtime's own goroutines --- */

static void print_runtime(const struct trace_report *r, int64_t whole, FILE *f)
{
	struct vec sorted = sorted_functions(r);
	size_t i;

	for (i = 0; i < sorted.len; i++) {
		const struct function_row *row = *vec_at(&sorted, struct function_row *, i);
		const struct dist *d = tables_dist(row, STAY_RUNNING);

		if (!row->system || !d->sum)
			continue;
		print_dist(r, tables_name(r->tables, row), d, whole, f);
	}
	vec_free(&sorted);
}

static bool ran_itself(const struct trace_report *r)
{
	size_t i;

	for (i = 0; i < r->tables->functions.len; i++) {
		const struct function_row *row =
			vec_at(&r->tables->functions, struct function_row, i);

		if (row->system && busy_of(row))
			return true;
	}
	return false;
}

static void print_columns(const char *title, FILE *f)
{
	fprintf(f, "\n%-33s%12s %8s %6s %8s %8s %8s %8s  %s\n", title, "COUNT", "SUM", "SHARE",
		"P50", "P90", "P99", "MAX", "THE LONGEST");
}

/* --- scheduling latency --- */

static uint64_t count_below(const struct dist *d, uint64_t from, uint64_t to)
{
	uint64_t n = 0;
	unsigned i;

	for (i = 0; i < DIST_BUCKETS; i++)
		if (dist_bucket_from(i) >= from && dist_bucket_from(i) < to)
			n += dist_bucket(d, i);
	return n;
}

static void print_bar(int64_t from, int64_t to, uint64_t n, uint64_t all, FILE *f)
{
	char range[80];

	if (!n)
		return;
	snprintf(range, sizeof(range), "%s to %s", unit_time(from).text, unit_time(to).text);
	fprintf(f, "   %-28s%14s %7s  %.*s\n", range, unit_count(n).text,
		unit_share((double)n, (double)all).text, (int)((double)n / (double)all * 50 + 0.5),
		"##################################################");
}

/* From a power of four to the next: two octaves. */
static void print_latency(const struct trace_report *r, FILE *f)
{
	struct dist d = {0};
	uint64_t from = 0, to = 256;

	tables_total(r->tables, STAY_RUNNABLE, false, &d);
	if (d.count) {
		fprintf(f,
			"\nWAIT FOR A P (runnable until running): %s times, p50 %s, p90 %s, p99 "
			"%s, max %s, %s in all\n",
			unit_count(d.count).text, unit_time(dist_quantile(&d, 0.5)).text,
			unit_time(dist_quantile(&d, 0.9)).text,
			unit_time(dist_quantile(&d, 0.99)).text, unit_time(d.max).text,
			unit_time(d.sum).text);
		for (; from <= (uint64_t)d.max && from < 1ULL << 60; from = to, to *= 4)
			print_bar((int64_t)from, (int64_t)to, count_below(&d, from, to), d.count,
				  f);
	}
	dist_free(&d);
}

void report_print_goroutines(const struct trace_report *r, FILE *f)
{
	print_functions(r, f);
	print_latency(r, f);
}

/* --- GC --- */

static void print_windows(const struct mmu_curve *c, FILE *f)
{
	static const char *const lengths[MMU_WINDOWS] = { "100 us", "1 ms", "10 ms", "100 ms",
							  "1 s" };
	unsigned w, n = 0;

	for (w = 0; w < MMU_WINDOWS; w++) {
		const struct mmu_window *window = &c->windows[w];

		if (!window->known || window->whole)
			continue;
		fprintf(f, "%s %s in %s", n++ ? "," : "", unit_share(window->min, 1).text,
			lengths[w]);
	}
}

static void print_utilisation(const struct trace_report *r, FILE *f)
{
	uint32_t i;

	for (i = 0; i < r->tables->traces.len; i++) {
		const struct mmu_curve *all = mmu_curve(trace_at(r, i)->mmu, MMU_ALL);

		if (!all->known || all->mean >= 1)
			continue;
		fputs("   mutator utilisation", f);
		if (!is_one(r))
			fprintf(f, " in trace %" PRIu32, i + 1);
		fprintf(f, ": the program had %s of the Ps' time;\n      in the worst window",
			unit_share(all->mean, 1).text);
		print_windows(all, f);
		fputc('\n', f);
	}
}

/* The length of all traces, and that of all their Ps. */
static void time_of_traces(const struct trace_report *r, int64_t *whole, int64_t *procs)
{
	uint32_t i;

	*whole = *procs = 0;
	for (i = 0; i < r->tables->traces.len; i++) {
		const struct trace_row *t = trace_at(r, i);
		uint64_t n = t->gomaxprocs_max < 1 << 16 ? t->gomaxprocs_max : 1 << 16;

		*whole += t->last - t->first;
		*procs += (t->last - t->first) * (int64_t)n;
	}
}

void report_print_gc(const struct trace_report *r, FILE *f)
{
	const struct tables *t = r->tables;
	struct dist assist = {0};
	int64_t whole, procs;
	size_t i;

	if (!t->gc_cycles.count && !t->gc_open && !t->stw.len && !ran_itself(r))
		return;
	time_of_traces(r, &whole, &procs);
	print_columns("GC AND STOPS OF THE WORLD", f);
	if (t->gc_cycles.count)
		print_dist(r, "GC cycles (concurrent mark)", &t->gc_cycles, whole, f);
	for (i = 0; i < t->stw.len; i++) {
		const struct stw_row *row = vec_at(&t->stw, struct stw_row, i);

		print_dist(r, *row->reason ? row->reason : "(no reason)", &row->dist, whole, f);
	}
	tables_total(t, STAY_ASSIST, true, &assist);
	if (assist.count)
		print_dist(r, "mark assists", &assist, procs, f);
	dist_free(&assist);
	print_runtime(r, procs, f);
	print_utilisation(r, f);
}

/* --- regions and tasks --- */

static int by_whole(const void *a, const void *b)
{
	const struct type_row *x = *(struct type_row *const *)a, *y = *(struct type_row *const *)b;
	int64_t nx = x->whole.sum + x->open_ns, ny = y->whole.sum + y->open_ns;

	return (nx < ny) - (nx > ny);
}

struct part {
	const char *name;
	int64_t ns;
};

static int by_ns(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

static int64_t time_of(const struct type_row *row)
{
	int64_t all = row->elsewhere;
	uint32_t stay;

	for (stay = 0; stay < row->sums.n; stay++)
		if (stay_is_state(stay))
			all += stay_sum(&row->sums, stay);
	return all;
}

/* Do the parts add up to all of @ran? Not if one of several traces has no file of threads. */
static bool is_all_split(const struct type_row *row, int64_t ran)
{
	int64_t sum = 0;
	uint32_t split;

	for (split = 0; split < SPLITS; split++)
		sum += stay_sum(&row->sums, STAY_LINUX + split);
	return sum == ran;
}

/*
 * Is @stay a part of the line? The parts of running stand in place of running itself, if threads
 * were off their CPUs for more than a hundredth of it. The parts of system calls are only in the
 * JSON.
 */
static bool is_part(const struct type_row *row, uint32_t stay)
{
	int64_t ran = stay_sum(&row->sums, STAY_RUNNING);
	bool split = stay_sum(&row->sums, STAY_LINUX + SPLIT_ON_CPU) < ran - ran / 100 &&
		stay_sum(&row->sums, STAY_LINUX + SPLIT_UNKNOWN) < ran && is_all_split(row, ran);

	if (stay == STAY_RUNNING)
		return !split;
	return stay_is_split(stay) ? split && stay < STAY_LINUX_CALL : stay != STAY_CALL;
}

/* The parts that have more than a thousandth of @all, the largest first. */
static size_t breakdown(const struct trace_report *r, const struct type_row *row, int64_t all,
			struct part parts[static STAYS + 1])
{
	size_t n = 0;
	uint32_t stay;

	for (stay = 0; stay < row->sums.n; stay++)
		if (is_part(row, stay) && stay_sum(&row->sums, stay) > all / 1000)
			parts[n++] = (struct part){ tables_stay_name(r->tables, stay),
						    stay_sum(&row->sums, stay) };
	if (row->elsewhere > all / 1000)
		parts[n++] = (struct part){ "on other goroutines", row->elsewhere };
	qsort(parts, n, sizeof(*parts), by_ns);
	return n;
}

void report_put_breakdown(const struct trace_report *r, const struct type_row *row, FILE *f)
{
	struct part parts[STAYS + 1];
	int64_t all = time_of(row);
	size_t n = breakdown(r, row, all, parts), i;

	fputs("      ", f);
	for (i = 0; i < n && i < 6; i++)
		show_printf(f, "%s%s %s", i ? ", " : "", parts[i].name,
			    unit_share((double)parts[i].ns, (double)all).text);
	fputs(n > 6 ? ", ...\n" : "\n", f);
}

static void print_type(const struct trace_report *r, const struct type_row *row, int64_t whole,
		       FILE *f)
{
	char name[64];

	if (row->whole.count)
		print_dist(r, *row->type ? row->type : "(no name)", &row->whole, whole, f);
	if (row->open) {
		fputs("   ", f);
		snprintf(name, sizeof(name), "%s", row->whole.count ? "" : row->type);
		unit_name(f,
			  row->whole.count ? "  not whole in the trace" :
			  *name ? name : "(no name)",
			  30);
		fprintf(f, "%12s %8s%s\n", unit_count(row->open).text, unit_time(row->open_ns).text,
			row->whole.count ? "" : "  not whole in the trace");
	}
	if (row->unwatched)
		fprintf(f, "      %s of them at a time were too many to say where they spent %s\n",
			unit_count(row->unwatched).text, unit_time(row->unwatched_ns).text);
	report_put_breakdown(r, row, f);
}

static void print_types(const struct trace_report *r, const struct vec *rows, const char *title,
			FILE *f)
{
	struct vec sorted = {0};
	int64_t whole = 0;
	size_t i;

	for (i = 0; i < rows->len; i++) {
		struct type_row *row = vec_at(rows, struct type_row, i);

		if (report_is_request(r, row->type))
			continue;	/* the table of requests has it */
		*(struct type_row **)vec_push(&sorted, sizeof(row)) = row;
		whole += row->whole.sum + row->open_ns;
	}
	vec_sort(&sorted, sizeof(void *), by_whole);
	if (sorted.len)
		print_columns(title, f);
	for (i = 0; i < sorted.len && i < r->tables->options.top; i++)
		print_type(r, *vec_at(&sorted, struct type_row *, i), whole, f);
	put_rest(i, sorted.len, f);
	vec_free(&sorted);
}

void report_print_sections(const struct trace_report *r, FILE *f)
{
	print_types(r, &r->tables->regions, "REGIONS", f);
	print_types(r, &r->tables->tasks, "TASKS", f);
}

/* --- the longest --- */

static void report_tables_put_stack(const struct trace_report *r, uint32_t stack, FILE *f)
{
	const struct stack_frame *leaf = NULL;
	uint32_t i = 0;

	/* The runtime's own frames say nothing that the state does not. */
	while ((leaf = stack_set_at(spans_stacks(r->spans), stack, i)) &&
	       !strncmp(leaf->func, "runtime.", 8))
		i++;
	if (!leaf)
		leaf = stack_set_at(spans_stacks(r->spans), stack, 0);
	if (!leaf)
		return;
	show_printf(f, "  %s ", leaf->func);
	report_put_place(leaf->file, leaf->line, f);
}

static void print_moment(const struct trace_report *r, const char *what, const struct moment *m,
			 FILE *f)
{
	fputs("   ", f);
	unit_name(f, *m->text ? m->text : what, 30);
	fprintf(f, " %8s  ", unit_time(m->to - m->from).text);
	if (m->g != TRACEV2_NO_ID)
		fprintf(f, "g %" PRIu64 " ", m->g);
	fputs("at ", f);
	report_put_instant(r, m->trace, m->from, f);
	if (m->open)
		fputs(" (and beyond the trace)", f);
	report_tables_put_stack(r, m->stack, f);
	fputc('\n', f);
}

static void print_longest(const struct trace_report *r, const char *what, const struct longest *l,
			  size_t n, FILE *f)
{
	struct vec sorted = {0};
	size_t i;

	tables_longest(l, &sorted);
	for (i = 0; i < sorted.len && i < n; i++)
		print_moment(r, what, vec_at(&sorted, struct moment, i), f);
	vec_free(&sorted);
}

/*
 * States that are left out here: to sleep is what most system calls do, and what is unknown
 * explains nothing.
 */
static bool is_plain_split(uint32_t stay)
{
	return stay == STAY_LINUX_CALL + SPLIT_SLEEPING || stay == STAY_LINUX + SPLIT_UNKNOWN ||
	       stay == STAY_LINUX_CALL + SPLIT_UNKNOWN || stay == STAY_LINUX + SPLIT_SLEEPING;
}

/* A few of each. */
void report_print_longest(const struct trace_report *r, FILE *f)
{
	const struct tables *t = r->tables;
	size_t n = t->options.top < 3 ? t->options.top : t->options.top / 3 + (t->options.top < 6);
	uint32_t stay;

	fprintf(f, "\nTHE LONGEST, to look at in a viewer\n");
	for (stay = 0; stay < tables_stays(t); stay++)
		if (stay != STAY_SYSCALL && stay != STAY_SYSCALL_BLOCKED && !is_plain_split(stay))
			print_longest(r,
				      stay == STAY_CALL ? "system call" : tables_stay_name(t, stay),
				      &t->stays[stay], n, f);
	if (!r->only) {
		print_longest(r, "GC cycle", &t->gc, n, f);
		print_longest(r, "stop of the world", &t->stops, n, f);
	}
	print_longest(r, "region", &t->region, n, f);
	print_longest(r, "task", &t->task, n, f);
}
