// SPDX-License-Identifier: Apache-2.0
/*
 * report_inline: what `--attach inline` changed in the program, which probes it left, and whether
 * all is as before.
 */
#include <inttypes.h>

#include "cmd/record/report.h"
#include "base/show.h"

static const struct {
	const char *name, *text;
} states[] = {
	[INLINE_STATE_OFF] = { "off", NULL },
	[INLINE_STATE_ON] = { "on", "the program is still changed" },
	[INLINE_STATE_UNDONE] = { "undone", "all of it was taken out: the program is as before" },
	[INLINE_STATE_GONE] = { "gone", "it went with the program" },
	[INLINE_STATE_LEFT] = { "memory-left", "its calls are as before; the memory is still "
					       "there, and does nothing" },
	[INLINE_STATE_STUCK] = { "calls-left", "calls still lead to code that does nothing; a "
					       "further recording takes it out" },
};

static const char *state_name(const struct inline_status *s)
{
	return s->state < sizeof(states) / sizeof(*states) ? states[s->state].name : "";
}

static void print_left(const struct report *r, FILE *f)
{
	size_t i;

	for (i = 0; r->plan && i < r->plan->not_inline.len; i++) {
		const struct not_inline *n = vec_at(&r->plan->not_inline, struct not_inline, i);

		show_printf(f, "inline: %s remains a uprobe: %s\n", n->function, n->why);
	}
}

/*
 * Prints how long gotap waited for a processor while it held a thread, if that was most of the
 * time.
 */
static void print_held(const struct inline_status *s, FILE *f)
{
	const struct holds *h = &s->held;

	show_printf(f,
		    "inline: %u places led to code in the program, one thread was held for %.2f ms "
		    "at most",
		    s->sites, (double)h->ns / 1e6);
	if (h->waited_ns > h->ns / 2)
		show_printf(f, " (%.2f ms of that gotap waited for a processor)",
			    (double)h->waited_ns / 1e6);
}

static bool is_as_it_was(const struct inline_status *s)
{
	return s->state == INLINE_STATE_UNDONE || s->state == INLINE_STATE_GONE;
}

/* Prints how many records of the shared memory were refused, by the reason. */
static void print_refused(const struct foreign *door, FILE *f)
{
	const char *comma = "";
	size_t i;

	if (!door || !foreign_refused(door))
		return;
	show_printf(f, "inline: %" PRIu64 " records were refused and count as lost (",
		    foreign_refused(door));
	for (i = 0; i < FOREIGN_FAULTS; i++) {
		if (!door->refused[i])
			continue;
		show_printf(f, "%s%s: %" PRIu64, comma, foreign_fault_name(i), door->refused[i]);
		comma = ", ";
	}
	fputs("): the program has written into the memory that it "
	      "shares with gotap, or makes threads faster than gotap "
	      "can look at them\n", f);
}

static const char *const earlier_names[] = {
	[INLINE_EARLIER_NONE] = "none",
	[INLINE_EARLIER_TAKEN] = "taken-out",
	[INLINE_EARLIER_LEFT] = "left",
};

bool report_inline_left(const struct inline_status *s)
{
	return s && (s->state == INLINE_STATE_LEFT || s->state == INLINE_STATE_STUCK ||
		     s->earlier == INLINE_EARLIER_LEFT);
}

static void report_print_earlier(const struct inline_status *s, FILE *f)
{
	if (s->earlier == INLINE_EARLIER_TAKEN)
		fputs("inline: a gotap that was killed had left memory in the program, which was "
		      "taken out\n",
		      f);
	if (s->earlier == INLINE_EARLIER_LEFT)
		show_printf(f,
			    "inline: a gotap that was killed had left memory in the program, which "
			    "is still there and does nothing: %s\n",
			    s->earlier_why);
}

static void report_print_waits(const struct inline_status *s, FILE *f)
{
	if (s->waits)
		fputs("inline: the process gotap-prober goes on without gotap "
		      "until it has taken that memory out, or the program has "
		      "ended\n", f);
	else if (report_inline_left(s))
		fputs("inline: a further recording of the program takes that out\n", f);
}

void report_print_inline_left(const struct report *r, FILE *f)
{
	const struct inline_status *s = r->in_target;

	if (!s)
		return;
	report_print_earlier(s, f);
	report_print_waits(s, f);
}

void report_print_inline(const struct report *r, FILE *f)
{
	const struct inline_status *s = r->in_target;

	if (!s || !r->plan || !r->plan->for_inline)
		return;
	if (s->state == INLINE_STATE_OFF) {
		show_printf(f, "inline: not used, all probes were uprobes: %s\n",
			    s->why[0] ? s->why : "the recording was too short");
	} else {
		print_held(s, f);
		show_printf(f, ", %s%s%s\n", states[s->state].text, is_as_it_was(s) ? "" : ": ",
			    is_as_it_was(s) ? "" : s->why);
	}
	if (s->stayed && s->state != INLINE_STATE_OFF)
		show_printf(f, "inline: %u places remained uprobes: %s\n", s->stayed, s->why);
	if (s->disturbed[0])
		show_printf(f,
			    "inline: somebody else has put a breakpoint to a call in %s meanwhile: "
			    "events of it may be missing\n",
			    s->disturbed);
	print_left(r, f);
	print_refused(r->foreign, f);
}

static void record_report_inline_json_left(const struct report *r, struct json_out *j)
{
	size_t i;

	json_open_array(j, "uprobes");
	for (i = 0; r->plan && i < r->plan->not_inline.len; i++) {
		const struct not_inline *n = vec_at(&r->plan->not_inline, struct not_inline, i);

		json_open_object(j, NULL);
		json_put_text(j, "function", n->function);
		json_put_text(j, "why", n->why);
		json_close_object(j);
	}
	json_close_array(j);
}

static void json_refused(const struct foreign *door, struct json_out *j)
{
	size_t i;

	json_open_object(j, "refused");
	for (i = 0; door && i < FOREIGN_FAULTS; i++)
		json_put_count(j, foreign_fault_name(i), door->refused[i]);
	json_close_object(j);
	json_put_count(j, "refused_stacks", door ? door->stacks.refused : 0);
	json_put_count(j, "unseen_threads", door ? door->threads.unseen : 0);
}

void report_json_inline(const struct report *r, struct json_out *j)
{
	const struct inline_status *s = r->in_target;

	if (!s)
		return;
	json_open_object(j, "inline");
	json_put_text(j, "state", state_name(s));
	json_put_text(j, "why", s->why);
	json_put_count(j, "places", s->sites);
	json_put_count(j, "stayed", s->stayed);
	json_put_count(j, "held", s->held.n);
	json_put_count(j, "held_ns", s->held.ns);
	json_put_count(j, "held_waited_ns", s->held.waited_ns);
	json_put_text(j, "disturbed", s->disturbed);
	json_put_bool(j, "cleaned", s->earlier == INLINE_EARLIER_TAKEN);
	json_put_text(j, "earlier", earlier_names[s->earlier]);
	json_put_text(j, "earlier_why", s->earlier == INLINE_EARLIER_LEFT ? s->earlier_why : "");
	json_put_bool(j, "prober_waits", s->waits);
	record_report_inline_json_left(r, j);
	json_refused(r->foreign, j);
	json_close_object(j);
}
