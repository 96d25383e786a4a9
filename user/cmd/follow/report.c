// SPDX-License-Identifier: Apache-2.0
/* report: see report.h. */
#define _GNU_SOURCE
#include "cmd/follow/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/json_out.h"
#include "base/show.h"
#include "cmd/follow/name.h"

static bool follow_report_is_done(const struct recorder *r)
{
	return WIFEXITED(r->status) && !WEXITSTATUS(r->status);
}

/*
 * Says how a recorder ended that was killed, and so could not say it itself; NULL: it was not.
 * The caller frees it.
 */
static char *follow_report_end_text(const struct recorder *r, const struct record_options *o)
{
	const char *name = follow_base_name(r->exe);

	if (r->gave_up)
		return xasprintf("the recording of process %d (%s) was given up, since its probes "
				 "were not there after %d s; the program goes on",
				 r->target, name, RECORDER_PATIENCE);
	if (!WIFSIGNALED(r->status))
		return NULL;
	if (o->flight.time)
		return xasprintf("the recorder of process %d (%s) was killed by signal %d",
				 r->target, name, WTERMSIG(r->status));
	return xasprintf("the recorder of process %d (%s) was killed by signal %d: what it has "
			 "written is in '%s.partial'",
			 r->target, name, WTERMSIG(r->status), r->output);
}

/* --- as text --- */

static void follow_report_print(struct recorder *r, size_t n)
{
	fwrite(r->said.data, 1, n, stderr);
	memmove(r->said.data, r->said.data + n, r->said.len - n);
	r->said.len -= n;
}

static void print_rest(struct recorder *r, const struct record_options *o)
{
	_cleanup_free_ char *end = follow_report_end_text(r, o);

	if (r->said.len)
		follow_report_print(r, r->said.len);
	if (end)
		show_printf(stderr, "gotap: %s\n", end);
}

void follow_report_look(struct recorder *r, const struct record_options *o)
{
	const uint8_t *last = r->said.len ? memrchr(r->said.data, '\n', r->said.len) : NULL;

	if (last && !o->json)
		follow_report_print(r, (size_t)(last - r->said.data) + 1);
}

/* --- as JSON --- */

/* One line, in one piece. */
static void begin_line(struct json_out *j, char **text, size_t *size)
{
	*j = (struct json_out){ .f = open_memstream(text, size) };
	if (!j->f)
		abort();	/* no memory */
	json_open_object(j, NULL);
}

static void follow_report_end_line(struct json_out *j, char **text, const size_t *size)
{
	json_close_object(j);
	fputc('\n', j->f);
	fclose(j->f);
	fwrite(*text, 1, *size, stderr);
	free(*text);
}

/*
 * Where the report begins in the recorder's output: it is the last line, and an object of JSON.
 * Returns the length of the output if there is no whole one, as of a recorder that was killed.
 */
static size_t find_report(const struct recorder *r)
{
	const char *text = (const char *)r->said.data;
	size_t n = r->said.len, at = n;

	if (n < 3 || text[n - 2] != '}' || text[n - 1] != '\n')
		return n;
	for (at = n - 1; at && text[at - 1] != '\n'; at--)
		;
	return text[at] == '{' ? at : n;
}

/*
 * The first @n bytes of the recorder's output, and end_text() behind them; NULL: there is
 * neither.
 */
static char *error_text(const struct recorder *r, const struct record_options *o, size_t n)
{
	_cleanup_free_ char *end = follow_report_end_text(r, o);

	while (n && r->said.data[n - 1] == '\n')
		n--;
	if (!n)
		return end ? xstrdup(end) : NULL;
	return xasprintf("%.*s%s%s", (int)n, (char *)r->said.data, end ? "\n" : "", end ? end : "");
}

static void follow_report_print_json(const struct recorder *r, const struct record_options *o)
{
	size_t at = find_report(r), size;
	_cleanup_free_ char *error = error_text(r, o, at);
	struct json_out j;
	char *text;

	begin_line(&j, &text, &size);
	json_put_number(&j, "pid", r->target);
	json_put_text(&j, "exe", r->exe);
	json_put_text(&j, "output", r->output);
	json_put_bool(&j, "from_start", r->from_start);
	json_put_bool(&j, "done", follow_report_is_done(r));
	if (at < r->said.len)
		json_put_json(&j, "report", r->said.data + at, r->said.len - at - 1);
	else
		json_put_text(&j, "report", NULL);
	json_put_text(&j, "error", error);
	follow_report_end_line(&j, &text, &size);
}

/* --- the end --- */

void follow_report_take(struct follow_report *rep, struct recorder *r,
			const struct record_options *o)
{
	rep->recorded++;
	rep->failed += !follow_report_is_done(r);
	if (o->json)
		follow_report_print_json(r, o);
	else
		print_rest(r, o);
}

static void follow_report_print_missing(const struct follow_report *rep,
					const struct record_options *o)
{
	if (rep->skipped)
		fprintf(stderr,
			"gotap: %zu Go programs were not recorded, since %lu were being recorded "
			"at that time (--follow-max)\n",
			rep->skipped, o->most);
	show_count(stderr, "gotap: ", rep->not_followed,
		   " processes were not followed, since there were too many at that time\n");
	show_count(stderr, "gotap: ", rep->not_reported,
		   " programs were started too fast to be looked at\n");
}

void follow_report_end(struct follow_report *rep, const struct record_options *o)
{
	struct json_out j;
	size_t size;
	char *text;

	if (!o->json) {
		follow_report_print_missing(rep, o);
		return;
	}
	begin_line(&j, &text, &size);
	json_put_count(&j, "processes", rep->recorded);
	json_put_count(&j, "failed", rep->failed);
	json_put_count(&j, "skipped", rep->skipped);
	json_put_count(&j, "not_followed", rep->not_followed);
	json_put_count(&j, "not_seen", rep->not_reported);
	follow_report_end_line(&j, &text, &size);
}
