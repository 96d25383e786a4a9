// SPDX-License-Identifier: Apache-2.0
/* report_trace_text: the report for people. See report_trace.h. Columns fit into 110. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "cmd/report_trace.h"
#include "cmd/units.h"

/* --- parts of lines --- */

static const struct trace_row *trace_at(const struct trace_report *r, uint32_t i)
{
	return vec_at(&r->tables->traces, struct trace_row, i);
}

static bool is_one(const struct trace_report *r)
{
	return r->tables->traces.len == 1;
}

/* "1.204511 s", and of which trace. */
static void put_instant(const struct trace_report *r, uint32_t trace, int64_t time, FILE *f)
{
	fputs(unit_instant(time - trace_at(r, trace)->first).text, f);
	if (!is_one(r))
		fprintf(f, " of trace %" PRIu32, trace + 1);
}

static void put_place(const char *file, uint64_t line, FILE *f)
{
	const char *base = strrchr(file, '/');

	if (*file)
		show_printf(f, "%s:%" PRIu64, base ? base + 1 : file, line);
}

static void put_rest(size_t shown, size_t all, FILE *f)
{
	if (shown < all)
		fprintf(f, "   and %zu more; --top N shows them\n", all - shown);
}

/* --- head --- */

static void print_trace(const struct trace_report *r, uint32_t i, FILE *f)
{
	const struct trace_row *t = trace_at(r, i);

	if (!is_one(r))
		fprintf(f, "Trace %" PRIu32 ": ", i + 1);
	show_printf(f, "%s: %s, %s events", t->name, unit_time(t->last - t->first).text,
		    unit_count(t->events).text);
	if (t->gomaxprocs_max)
		fprintf(f, ", GOMAXPROCS %" PRIu64, t->gomaxprocs_max);
	fprintf(f, ", at most %s goroutines", unit_count(t->goroutines_max).text);
	if (t->heap_live_max)
		fprintf(f, " and %s of heap", unit_bytes(t->heap_live_max).text);
	fputc('\n', f);
}

static void print_head(const struct trace_report *r, FILE *f)
{
	uint32_t i;

	for (i = 0; i < r->tables->traces.len; i++)
		print_trace(r, i, f);
}

/* --- findings --- */

/* Breaks lines between words, all @indent columns in. */
static void put_wrapped(const char *text, unsigned indent, FILE *f)
{
	char *shown = show_dup(text), *word, *rest = shown;
	unsigned column = indent;

	while ((word = strsep(&rest, " "))) {
		unsigned n = (unsigned)strlen(word);

		if (column > indent && column + 1 + n > 110) {
			fprintf(f, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			fputc(' ', f);
			column++;
		}
		fputs(word, f);
		column += n;
	}
	fputc('\n', f);
	free(shown);
}

static void put_goroutines(const struct finding *finding, FILE *f)
{
	size_t i, n = finding->ngoroutines < 6 ? finding->ngoroutines : 6;

	for (i = 0; i < n; i++)
		fprintf(f, "%s%" PRIu64, i ? ", " : finding->ngoroutines == 1 ? "goroutine " : "goroutines ",
			finding->goroutines[i]);
	if (n < finding->ngoroutines)
		fputs(", ...", f);
}

static void print_finding(const struct trace_report *r, size_t number, const struct trace_finding *tf, FILE *f)
{
	const struct finding *finding = tf->finding;

	fprintf(f, "%2zu. %5s  ", number, unit_share(tf->share, 1).text);
	put_wrapped(finding->text, 12, f);
	fprintf(f, "%12s", "");
	if (*finding->function)
		show_printf(f, "%s ", finding->function);
	put_place(finding->file, finding->line, f);
	if (finding->ngoroutines) {
		fputs(*finding->function || *finding->file ? "; " : "", f);
		put_goroutines(finding, f);
	}
	fprintf(f, "; look at %s to %s", unit_instant(finding->from).text, unit_instant(finding->to).text);
	if (!is_one(r))
		fprintf(f, " of trace %" PRIu32, tf->trace + 1);
	fputc('\n', f);
}

static void print_findings(const struct trace_report *r, FILE *f)
{
	size_t i;

	fputs("\nFINDINGS", f);
	if (!r->findings.len) {
		fputs(": none. Nothing in the trace costs enough to be worth a sentence.\n", f);
		return;
	}
	fprintf(f, ", and their share of the %s that goroutines lost\n", unit_time((int64_t)(r->lost * 1e9)).text);
	for (i = 0; i < r->findings.len; i++)
		print_finding(r, i + 1, vec_at(&r->findings, struct trace_finding, i), f);
}

/* --- what is missing --- */

static void print_notes(const struct trace_report *r, FILE *f)
{
	const struct vec *notes = &r->tables->notes;
	size_t i;

	for (i = 0; i < notes->len; i++) {
		const struct note *note = vec_at(notes, struct note, i);

		fputs("  at ", f);
		put_instant(r, note->trace, note->time, f);
		show_printf(f, ": %s\n", note->text);
	}
	if (r->tables->notes_total > notes->len)
		fprintf(f, "  and %" PRIu64 " notes more\n", r->tables->notes_total - notes->len);
}

static void print_unrecorded(const struct trace_report *r, FILE *f)
{
	uint32_t i;

	for (i = 0; i < r->tables->traces.len; i++) {
		const struct trace_row *t = trace_at(r, i);

		if (!t->unrecorded)
			continue;
		fprintf(f, "  %s of", unit_time(t->unrecorded).text);
		if (!is_one(r))
			fprintf(f, " trace %" PRIu32 ",", i + 1);
		fprintf(f, " %s: nothing is known of that time; it counts as a wait, \"%s\"\n",
			unit_time(t->last - t->first).text, SPANS_GAP);
	}
}

static bool lacks_stacks(const struct trace_report *r)
{
	uint64_t waits = 0, stackless = 0;
	uint32_t i;

	for (i = 0; i < r->tables->traces.len; i++) {
		waits += trace_at(r, i)->waits;
		stackless += trace_at(r, i)->stackless;
	}
	return waits && stackless > waits / 2;
}

static bool has_stay(const struct trace_report *r, uint32_t stay)
{
	struct dist sum = {0};
	bool has;

	tables_total(r->tables, stay, true, &sum);
	has = sum.count;
	dist_free(&sum);
	return has;
}

static void print_dropped(const struct trace_report *r, FILE *f)
{
	uint64_t texts = spans_texts_dropped(r->spans), stacks = stack_set_dropped(spans_stacks(r->spans));

	if (texts || stacks)
		fprintf(f, "  %s names and %s stacks found no room in memory, and are left out\n",
			unit_count(texts).text, unit_count(stacks).text);
	if (r->tables->unclosed)
		fprintf(f, "  states of %" PRIu64 " goroutines do not add up to their life: please report that\n",
			r->tables->unclosed);
}

static bool has_heap(const struct trace_report *r)
{
	uint32_t i;

	for (i = 0; i < r->tables->traces.len; i++)
		if (!trace_at(r, i)->heap_live_max)
			return false;
	return true;
}

/* A group of events that was left out and one that had none look the same in a trace. */
static void print_absent(const struct trace_report *r, FILE *f)
{
	if (!has_stay(r, STAY_CALL))
		fputs("  no system calls: none was made, or they were left out\n", f);
	if (!r->tables->gc_cycles.count && !r->tables->gc_open)
		fputs("  no GC cycle: there was none, or the group gc was left out\n", f);
	if (!has_heap(r))
		fputs("  no size of the heap: the group heap was left out\n", f);
	if (lacks_stacks(r))
		fputs("  most waits have no stack: where in the code they are is not known\n", f);
}

static void print_missing(const struct trace_report *r, FILE *f)
{
	char *text = NULL;
	size_t len = 0;
	FILE *m = open_memstream(&text, &len);

	if (!m)
		return;
	print_unrecorded(r, m);
	print_notes(r, m);
	print_absent(r, m);
	print_dropped(r, m);
	fclose(m);
	if (len)
		fprintf(f, "\nNOT IN THE TRACE\n%s", text);
	free(text);
}

/* --- goroutines --- */

static int64_t busy_of(const struct function_row *row)
{
	return tables_dist(row, STAY_RUNNING)->sum;
}

static int by_time(const void *a, const void *b)
{
	const struct function_row *x = *(struct function_row *const *)a, *y = *(struct function_row *const *)b;

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
		*(struct function_row **)vec_push(&sorted, sizeof(void *)) = vec_at(rows, struct function_row, i);
	qsort(sorted.data, sorted.len, sizeof(void *), by_time);
	return sorted;
}

static void print_dist(const struct trace_report *r, const char *name, const struct dist *d, int64_t whole, FILE *f)
{
	fputs("   ", f);
	unit_name(f, name, 30);
	fprintf(f, "%12s %8s %6s %8s %8s %8s %8s", unit_count(d->count).text, unit_time(d->sum).text,
		unit_share((double)d->sum, (double)whole).text, unit_time(dist_quantile(d, 0.5)).text,
		unit_time(dist_quantile(d, 0.9)).text, unit_time(dist_quantile(d, 0.99)).text,
		unit_time(d->max).text);
	if (d->max_g != TRACEV2_NO_ID)
		fprintf(f, "  g %" PRIu64, d->max_g);
	fputs(" at ", f);
	put_instant(r, d->max_trace, d->max_from, f);
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

/* Less than a thousandth of a life says nothing, but for what lies within other stays. */
static bool is_worth_a_line(const struct function_row *row, uint32_t stay)
{
	const struct dist *d = tables_dist(row, stay);

	/* The same as the part with a P, where none or little was without. */
	if (!d->count || (stay == STAY_CALL && tables_dist(row, STAY_SYSCALL_BLOCKED)->sum < d->sum / 100))
		return false;
	return stay <= STAY_RUNNABLE || d->sum >= row->life.sum / 1000;
}

static void print_function(const struct trace_report *r, const struct function_row *row, FILE *f)
{
	struct stay_of_row stays[STAYS];
	size_t n = 0, i;
	uint32_t stay;

	show_printf(f, "%s  ", tables_name(r->tables, row));
	put_place(row->file, row->line, f);
	fprintf(f, "  %s goroutine%s", unit_count(row->goroutines).text, row->goroutines == 1 ? "" : "s");
	if (row->created)
		fprintf(f, ", %s created", unit_count(row->created).text);
	if (row->ended)
		fprintf(f, ", %s ended", unit_count(row->ended).text);
	fprintf(f, "; lived %s together\n", unit_time(row->life.sum).text);
	for (stay = 0; stay < tables_stays(r->tables); stay++)
		if (is_worth_a_line(row, stay))
			stays[n++] = (struct stay_of_row){ stay, tables_dist(row, stay) };
	qsort(stays, n, sizeof(*stays), by_sum);
	for (i = 0; i < n; i++)
		print_dist(r, tables_stay_name(r->tables, stays[i].stay), stays[i].dist, row->states, f);
}

static void print_functions(const struct trace_report *r, FILE *f)
{
	struct vec sorted = sorted_functions(r);
	size_t i, shown = 0, system = 0;

	fprintf(f, "\nGOROUTINES BY %s, those that ran longest first\n%-33s%12s %8s %6s %8s %8s %8s %8s  %s\n",
		r->tables->options.label ? "LABEL" : "FUNCTION", "", "COUNT", "SUM", "SHARE", "P50", "P90", "P99",
		"MAX", "THE LONGEST");
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
		const struct function_row *row = vec_at(&r->tables->functions, struct function_row, i);

		if (row->system && busy_of(row))
			return true;
	}
	return false;
}

static void print_columns(const char *title, FILE *f)
{
	fprintf(f, "\n%-33s%12s %8s %6s %8s %8s %8s %8s  %s\n", title, "COUNT", "SUM", "SHARE", "P50", "P90", "P99",
		"MAX", "THE LONGEST");
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
	fprintf(f, "   %-28s%14s %7s  %.*s\n", range, unit_count(n).text, unit_share((double)n, (double)all).text,
		(int)((double)n / (double)all * 50 + 0.5), "##################################################");
}

/* From a power of four to the next: two octaves. */
static void print_latency(const struct trace_report *r, FILE *f)
{
	struct dist d = {0};
	uint64_t from = 0, to = 256;

	tables_total(r->tables, STAY_RUNNABLE, false, &d);
	if (d.count) {
		fprintf(f, "\nWAIT FOR A P (runnable until running): %s times, p50 %s, p90 %s, p99 %s, max %s, %s in all\n",
			unit_count(d.count).text, unit_time(dist_quantile(&d, 0.5)).text,
			unit_time(dist_quantile(&d, 0.9)).text, unit_time(dist_quantile(&d, 0.99)).text,
			unit_time(d.max).text, unit_time(d.sum).text);
		for (; from <= (uint64_t)d.max && from < 1ULL << 60; from = to, to *= 4)
			print_bar((int64_t)from, (int64_t)to, count_below(&d, from, to), d.count, f);
	}
	dist_free(&d);
}

/* --- GC --- */

static void print_windows(const struct mmu_curve *c, FILE *f)
{
	static const char *const lengths[MMU_WINDOWS] = { "100 us", "1 ms", "10 ms", "100 ms", "1 s" };
	unsigned w, n = 0;

	for (w = 0; w < MMU_WINDOWS; w++) {
		const struct mmu_window *window = &c->windows[w];

		if (!window->known || window->whole)
			continue;
		fprintf(f, "%s %s in %s", n++ ? "," : "", unit_share(window->min, 1).text, lengths[w]);
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
		fprintf(f, ": the program had %s of the Ps' time; in the worst window", unit_share(all->mean, 1).text);
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

static void print_gc(const struct trace_report *r, FILE *f)
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

/* The parts that have more than a thousandth of @all, the largest first. */
static size_t breakdown(const struct trace_report *r, const struct type_row *row, int64_t all,
			struct part parts[static STAYS + 1])
{
	size_t n = 0;
	uint32_t stay;

	for (stay = 0; stay < row->sums.n; stay++)
		if (stay != STAY_CALL && stay_sum(&row->sums, stay) > all / 1000)
			parts[n++] = (struct part){ tables_stay_name(r->tables, stay),
						    stay_sum(&row->sums, stay) };
	if (row->elsewhere > all / 1000)
		parts[n++] = (struct part){ "on other goroutines", row->elsewhere };
	qsort(parts, n, sizeof(*parts), by_ns);
	return n;
}

static void print_breakdown(const struct trace_report *r, const struct type_row *row, FILE *f)
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

static void print_type(const struct trace_report *r, const struct type_row *row, int64_t whole, FILE *f)
{
	char name[64];

	if (row->whole.count)
		print_dist(r, *row->type ? row->type : "(no name)", &row->whole, whole, f);
	if (row->open) {
		fputs("   ", f);
		snprintf(name, sizeof(name), "%s", row->whole.count ? "" : row->type);
		unit_name(f, row->whole.count ? "  not whole in the trace" : *name ? name : "(no name)",
			  30);
		fprintf(f, "%12s %8s%s\n", unit_count(row->open).text, unit_time(row->open_ns).text,
			row->whole.count ? "" : "  not whole in the trace");
	}
	if (row->unwatched)
		fprintf(f, "      %s of them at a time were too many to say where they spent %s\n",
			unit_count(row->unwatched).text, unit_time(row->unwatched_ns).text);
	print_breakdown(r, row, f);
}

static void print_types(const struct trace_report *r, const struct vec *rows, const char *title, FILE *f)
{
	struct vec sorted = {0};
	int64_t whole = 0;
	size_t i;

	if (!rows->len)
		return;
	for (i = 0; i < rows->len; i++) {
		struct type_row *row = vec_at(rows, struct type_row, i);

		*(struct type_row **)vec_push(&sorted, sizeof(row)) = row;
		whole += row->whole.sum + row->open_ns;
	}
	qsort(sorted.data, sorted.len, sizeof(void *), by_whole);
	print_columns(title, f);
	for (i = 0; i < sorted.len && i < r->tables->options.top; i++)
		print_type(r, *vec_at(&sorted, struct type_row *, i), whole, f);
	put_rest(i, sorted.len, f);
	vec_free(&sorted);
}

/* --- the longest --- */

static void put_stack(const struct trace_report *r, uint32_t stack, FILE *f)
{
	const struct stack_frame *leaf = NULL;
	uint32_t i = 0;

	/* The runtime's own frames say nothing that the state does not. */
	while ((leaf = stack_set_at(spans_stacks(r->spans), stack, i)) && !strncmp(leaf->func, "runtime.", 8))
		i++;
	if (!leaf)
		leaf = stack_set_at(spans_stacks(r->spans), stack, 0);
	if (!leaf)
		return;
	show_printf(f, "  %s ", leaf->func);
	put_place(leaf->file, leaf->line, f);
}

static void print_moment(const struct trace_report *r, const char *what, const struct moment *m, FILE *f)
{
	fputs("   ", f);
	unit_name(f, *m->text ? m->text : what, 30);
	fprintf(f, " %8s  ", unit_time(m->to - m->from).text);
	if (m->g != TRACEV2_NO_ID)
		fprintf(f, "g %" PRIu64 " ", m->g);
	fputs("at ", f);
	put_instant(r, m->trace, m->from, f);
	if (m->open)
		fputs(" (and beyond the trace)", f);
	put_stack(r, m->stack, f);
	fputc('\n', f);
}

static void print_longest(const struct trace_report *r, const char *what, const struct longest *l, size_t n, FILE *f)
{
	struct vec sorted = {0};
	size_t i;

	tables_longest(l, &sorted);
	for (i = 0; i < sorted.len && i < n; i++)
		print_moment(r, what, vec_at(&sorted, struct moment, i), f);
	vec_free(&sorted);
}

/* A few of each. */
static void print_all_longest(const struct trace_report *r, FILE *f)
{
	const struct tables *t = r->tables;
	size_t n = t->options.top < 3 ? t->options.top : t->options.top / 3 + (t->options.top < 6);
	uint32_t stay;

	fprintf(f, "\nTHE LONGEST, to look at in a viewer\n");
	for (stay = 0; stay < tables_stays(t); stay++)
		if (stay != STAY_SYSCALL && stay != STAY_SYSCALL_BLOCKED)
			print_longest(r, stay == STAY_CALL ? "system call" : tables_stay_name(t, stay),
				      &t->stays[stay], n, f);
	print_longest(r, "GC cycle", &t->gc, n, f);
	print_longest(r, "stop of the world", &t->stops, n, f);
	print_longest(r, "region", &t->region, n, f);
	print_longest(r, "task", &t->task, n, f);
}

void trace_report_print(const struct trace_report *r, FILE *f)
{
	print_head(r, f);
	print_findings(r, f);
	print_missing(r, f);
	print_functions(r, f);
	print_latency(r, f);
	trace_report_charts(r, f);
	print_gc(r, f);
	print_types(r, &r->tables->regions, "REGIONS", f);
	print_types(r, &r->tables->tasks, "TASKS", f);
	print_all_longest(r, f);
}
