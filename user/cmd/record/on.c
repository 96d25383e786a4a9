// SPDX-License-Identifier: Apache-2.0
/* on: see on.h. */
#include "cmd/record/on.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/show.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "base/units.h"
#include "plan/plan.h"

/* --- options --- */

const char *on_add(struct on_list *l, const char *arg)
{
	struct error wrong;
	struct trigger_rule rule;

	if (!strcmp(arg, "help")) {
		trigger_help(stdout);
		exit(EXIT_OK);
	}
	if (trigger_parse(&rule, arg, &wrong))
		return option_wrong(": %s", wrong.text);
	*(struct trigger_rule *)vec_push(&l->rules, sizeof(rule)) = rule;
	return NULL;
}

const char *on_add_kept(struct on_list *l, const char *arg)
{
	const char *wrong = on_add(l, arg);
	const struct trigger_rule *rule;

	if (wrong)
		return wrong;
	rule = vec_at(&l->rules, struct trigger_rule, l->rules.len - 1);
	if (trigger_is_of_records(rule->kind))
		return NULL;
	return option_wrong(": '%s': records in a file cannot show that; leave it out, or use it "
			    "with gotap record",
			    rule->text);
}

const char *on_check(const struct on_list *l)
{
	size_t i;

	for (i = 0; i < l->rules.len; i++)
		if (trigger_takes_labels(vec_at(&l->rules, struct trigger_rule, i)->kind))
			return NULL;
	return l->labels.n ? "--on-label restricts triggers about goroutines: no --on is one "
			     "(docs/triggers.md)" : NULL;
}

static unsigned int group_of(const struct trigger_rule *rule)
{
	const char *name = trigger_group(rule->kind);
	enum group g;

	for (g = 0; name && g < GROUPS; g++)
		if (!strcmp(group_name(g), name))
			return 1u << g;
	return 0;
}

unsigned int on_groups(const struct on_list *l)
{
	unsigned int set = 0;
	size_t i;

	if (l->labels.n)
		set = 1u << GROUP_LABELS;
	for (i = 0; i < l->rules.len; i++)
		set |= group_of(vec_at(&l->rules, struct trigger_rule, i));
	return set;
}

bool on_lasts(const struct on_list *l)
{
	size_t i;

	for (i = 0; i < l->rules.len; i++)
		if (trigger_lasts(vec_at(&l->rules, struct trigger_rule, i)->kind))
			return true;
	return false;
}

void on_free(struct on_list *l)
{
	size_t i;

	for (i = 0; i < l->rules.len; i++)
		trigger_rule_free(vec_at(&l->rules, struct trigger_rule, i));
	vec_free(&l->rules);
}

/* --- triggers --- */

struct triggers *on_begin(const struct on_list *l,
			  uint64_t (*fire)(void *ctx, const struct flight_fact *fact), void *ctx)
{
	struct triggers_opts opts = { .rules = l->rules.data, .n = l->rules.len, .fire = fire,
				      .ctx = ctx, .labels = l->labels.n ? &l->labels : NULL };

	return l->rules.len ? triggers_new(&opts) : NULL;
}

static uint64_t on_list_print(void *ctx, const struct flight_fact *fact)
{
	struct json_out j = { .f = ctx };

	json_open_object(&j, NULL);
	json_put_text(&j, "trigger", fact->trigger);
	json_put_count(&j, "monotonic_ns", fact->time);
	json_put_count(&j, "goroutine", fact->g);
	json_put_count(&j, "thread", fact->m);
	if (fact->request)
		json_put_count(&j, "request", fact->request);
	json_put_text(&j, "what", fact->what);
	json_put_text(&j, "stack", fact->stack);
	json_close_object(&j);
	fputc('\n', j.f);
	return 1;
}

struct triggers *on_begin_print(const struct on_list *l, FILE *out)
{
	return on_begin(l, on_list_print, out);
}

/*
 * Waits for the status of a program that has ended. If gotap is not the parent, the kernel gives
 * the status only after the parent has taken it: half a second is enough for a parent that waits.
 */
bool on_wait_status(struct process *p, int *status)
{
	enum { TRIES = 50, TRY_NS = 10 * 1000 * 1000 };
	int i;

	for (i = 0; i < TRIES; i++) {
		if (process_ended(p) && process_wait_status(p, status))
			return true;
		sleep_ns(TRY_NS);
	}
	return false;
}

void on_ended(struct triggers *t, struct process *p, uint64_t time)
{
	struct trigger_end end = { .time = time };

	if (!t)
		return;
	end.known = on_wait_status(p, &end.status);
	triggers_ended(t, &end);
}

void on_report(const struct on_list *l, const struct triggers *t, FILE *f)
{
	struct trigger_counts c;
	size_t i;

	for (i = 0; t && i < l->rules.len; i++) {
		triggers_counts(t, i, &c);
		if (c.facts)
			show_printf(f, "  %s: %" PRIu64 " time%s, found at most %s later\n",
				    vec_at(&l->rules, struct trigger_rule, i)->text, c.facts,
				    c.facts == 1 ? "" : "s", unit_time((int64_t)c.slowest).text);
	}
}

void on_report_json(const struct on_list *l, const struct triggers *t, struct json_out *j)
{
	struct trigger_counts c;
	size_t i;

	json_open_array(j, "triggers");
	for (i = 0; t && i < l->rules.len; i++) {
		triggers_counts(t, i, &c);
		json_open_object(j, NULL);
		json_put_text(j, "on", vec_at(&l->rules, struct trigger_rule, i)->text);
		json_put_count(j, "facts", c.facts);
		json_put_count(j, "passed_on", c.fired);
		json_put_real(j, "slowest_s", (double)c.slowest / 1e9, 6);
		json_close_object(j);
	}
	json_close_array(j);
}
