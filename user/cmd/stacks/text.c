// SPDX-License-Identifier: Apache-2.0
/*
 * text: goroutines as text: as the runtime dumps them (runtime/traceback.go), so that tools for
 * such dumps read it, and grouped as in a goroutine profile (runtime/pprof, printCountProfile).
 * See stacks.h.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "cmd/stacks/stacks.h"
#include "read/labels.h"
#include "read/text_quote.h"

/* A stack beyond that is written anew each time. */
enum { KEPT_BYTES = 64 << 20 };
#define MINUTE 60000000000ULL

const struct buf *stacks_text_of(struct stacks *s, uint32_t stack, stack_writer *write)
{
	static struct buf last;
	struct buf *kept;
	char *text;
	size_t n;
	FILE *f;

	while (s->texts.texts.len <= stack)
		vec_push(&s->texts.texts, sizeof(struct buf));
	kept = vec_at(&s->texts.texts, struct buf, stack);
	if (kept->len)
		return kept;
	f = open_memstream(&text, &n);
	if (!f)
		abort();
	write(s, stack, f);
	fclose(f);
	if (s->texts.bytes + n > KEPT_BYTES)
		kept = &last;
	else
		s->texts.bytes += n;
	kept->len = 0;
	buf_add(kept, text, n);
	free(text);
	return kept;
}

/* --- one after the other --- */

static const char *printed_name(const char *func)
{
	return strcmp(func, "runtime.gopanic") ? func : "panic";	/* printFuncName */
}

static void write_place(FILE *f, const struct shown_frame *frame)
{
	fputc('\t', f);
	show_printf(f, "%s:%" PRIu32, frame->file, frame->line);
	if (frame->offset)
		fprintf(f, " +0x%" PRIx64, frame->offset);
	fputc('\n', f);
}

static void stacks_text_write_stack(struct stacks *s, uint32_t stack, FILE *f)
{
	static struct shown_frame frames[SHOWN_MAX];
	const struct stack_entry *e = stackset_entry(&s->gs.stacks, stack);
	size_t i, n = shown_frames(&s->gs, stack, SHOWN_AS_DUMPED, frames, SHOWN_MAX);

	for (i = 0; i < n; i++) {
		if (frames[i].after_gap)
			fprintf(f, "...%" PRIu64 " frames elided...\n", e->left_out);
		show_printf(f, "%s(...)\n", printed_name(frames[i].func));
		write_place(f, &frames[i]);
	}
	if (e->cut)
		fputs("...additional frames elided...\n", f);
}

static void write_creator(struct stacks *s, const struct goroutine *g)
{
	struct shown_frame frame;

	if (!shown_creator(&s->gs, g, &frame))
		return;
	show_printf(stdout, "created by %s", printed_name(frame.func));
	if (g->parent)
		printf(" in goroutine %" PRIu64, g->parent);
	putchar('\n');
	write_place(stdout, &frame);
}

/* tracebackStringNeedsQuoting */
static bool needs_quotes(const char *text, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_",
			    text[i]) ||
		    !text[i])
			return true;
	return false;
}

static void add_text(struct buf *out, const char *text, size_t n, bool cut, bool always_quote)
{
	if (always_quote || cut || needs_quotes(text, n))
		quote_append(out, (const uint8_t *)text, n);
	else
		buf_add(out, text, n);
	if (cut)
		buf_printf(out, "...");
}

/* {key: value, ...}, with @colon between key and value. */
static void write_labels(FILE *f, const char *text, const char *colon, bool always_quote)
{
	struct labels l = {0};
	struct buf out = {0};
	size_t i;

	labels_parse(&l, text, strlen(text));
	for (i = 0; i < l.all.len; i++) {
		const struct label *label = vec_at(&l.all, struct label, i);

		buf_printf(&out, i ? ", " : "");
		add_text(&out, label_key(&l, label), label->key_len, label->key_cut, always_quote);
		buf_printf(&out, "%s", colon);
		add_text(&out, label_value(&l, label), label->value_len, label->value_cut,
			 always_quote);
	}
	if (l.more)
		buf_printf(&out, ", ...");
	buf_add_byte(&out, 0);
	show_printf(f, "{%s}", (char *)out.data);
	buf_free(&out);
	labels_free(&l);
}

static void stacks_text_write_header(struct stacks *s, const struct goroutine *g)
{
	char state[SHOWN_STATE];
	uint64_t minutes = g->waited_ns / MINUTE;

	printf("goroutine %" PRIu64 " [%s", g->goid, shown_state(s->plan.minor, g, state));
	if (minutes)
		printf(", %" PRIu64 " minutes", minutes);
	if (g->locked)
		printf(", locked to thread");
	if (g->bubble)
		printf(", synctest bubble %" PRIu64, g->bubble);
	if (g->still > STILL_MOVED)
		printf(g->still == STILL_SAME ? ", at one place for %.1f s" :
						", did not run for %.1f s",
		       (double)(s->watch.end - s->watch.begin) / 1e9);
	putchar(']');
	if (g->labels && !s->o->no_labels) {
		putchar(' ');
		write_labels(stdout, g->labels, ": ", false);
	}
	fputs(":\n", stdout);
}

/* The runtime's words, which tools know. */
static void write_unknown(const struct goroutine *g)
{
	static const char *const why[] = {
		[STACK_MOVED] = "it ran each time that its stack was read",
		[STACK_UNREADABLE] = "it could not be read",
	};

	fputs("\tgoroutine running on other thread; stack unavailable", stdout);
	if (g->known != STACK_RUNNING)
		printf(" (%s)", why[g->known]);
	else if (g->tid)
		printf(" (thread %" PRIu32 ")", g->tid);
	putchar('\n');
}

void stacks_print(struct stacks *s)
{
	const struct buf *text;
	bool first = true;
	size_t i;

	for (i = 0; i < s->gs.all.len && !ferror(stdout); i++) {
		const struct goroutine *g = vec_at(&s->gs.all, struct goroutine, i);

		if (!stacks_wants(s, g))
			continue;
		if (!first)
			putchar('\n');
		first = false;
		stacks_text_write_header(s, g);
		if (g->known == STACK_KNOWN) {
			text = stacks_text_of(s, g->stack, stacks_text_write_stack);
			fwrite(text->data, 1, text->len, stdout);
		} else {
			write_unknown(g);
		}
		write_creator(s, g);
	}
}

/* --- groups --- */

static void write_frames(struct stacks *s, uint32_t stack, FILE *f)
{
	static struct shown_frame frames[SHOWN_MAX];
	size_t i, n = shown_frames(&s->gs, stack, SHOWN_AS_PROFILED, frames, SHOWN_MAX);

	for (i = 0; i < n; i++) {
		uint64_t call = frames[i].pc - 1;

		fprintf(f, "#\t%#" PRIx64 "\t", call);
		show_printf(f, "%s", frames[i].func);
		fprintf(f, "+%#" PRIx64 "\t", call - unwind_entry(&s->gs.unwinder, call));
		show_printf(f, "%s:%" PRIu32 "\n", frames[i].file, frames[i].line);
	}
}

static void write_group_stack(struct stacks *s, uint32_t stack)
{
	const struct buf *text = stacks_text_of(s, stack, write_frames);

	fwrite(text->data, 1, text->len, stdout);
}

static void write_pcs(const struct stacks *s, uint32_t stack)
{
	const struct stack_entry *e = stackset_entry(&s->gs.stacks, stack);
	size_t i;

	for (i = 0; i < e->n; i++)
		printf(" %#" PRIx64, stackset_pcs(&s->gs.stacks, stack)[i]);
}

/* "# state: 3 chan receive, 1 select", and the longest time. */
static void stacks_text_write_states(const struct stacks *s, const struct stacks_group *group)
{
	uint32_t counts[G_STATUSES][256] = {0};
	struct goroutine like;
	char state[SHOWN_STATE];
	uint64_t most = 0;
	const char *comma = "";
	size_t i;

	for (i = 0; i < group->members.len; i++) {
		const struct goroutine *g = *vec_at(&group->members, const struct goroutine *, i);

		counts[g->status % G_STATUSES]
		      [g->status == G_WAITING || g->status == G_LEAKED ? g->reason : 0]++;
		most = g->waited_ns > most ? g->waited_ns : most;
	}
	printf("# state: ");
	for (i = 0; i < (size_t)G_STATUSES * 256; i++) {
		if (!counts[i / 256][i % 256])
			continue;
		like = (struct goroutine){ .status = (uint8_t)(i / 256),
					   .reason = (uint8_t)(i % 256) };
		printf("%s%" PRIu32 " %s", comma, counts[i / 256][i % 256],
		       shown_state(s->plan.minor, &like, state));
		comma = ", ";
	}
	if (most >= MINUTE)
		printf("; up to %" PRIu64 " minutes", (uint64_t)(most / MINUTE));
	putchar('\n');
}

static void write_group(struct stacks *s, const struct stacks_group *group)
{
	const struct goroutine *g = *vec_at(&group->members, const struct goroutine *, 0);

	printf("%zu @", group->members.len);
	if (g->known == STACK_KNOWN)
		write_pcs(s, g->stack);
	putchar('\n');
	if (g->labels && !s->o->no_labels) {
		fputs("# labels: ", stdout);
		write_labels(stdout, g->labels, ":", true);
		putchar('\n');
	}
	stacks_text_write_states(s, group);
	if (g->known == STACK_KNOWN)
		write_group_stack(s, g->stack);
	putchar('\n');
}

void stacks_print_groups(struct stacks *s)
{
	struct vec groups;
	size_t i, total = 0;

	stacks_group(s, &groups);
	for (i = 0; i < groups.len; i++)
		total += vec_at(&groups, struct stacks_group, i)->members.len;
	printf("goroutine profile: total %zu\n", total);
	for (i = 0; i < groups.len && !ferror(stdout); i++)
		write_group(s, vec_at(&groups, struct stacks_group, i));
	stacks_free_groups(&groups);
}
