// SPDX-License-Identifier: Apache-2.0
/* session_end: see session.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/show.h"
#include "cmd/record/session.h"
#include "cmd/record/signals.h"
#include "cmd/report/report.h"
#include "cmd/tables/tables.h"
#include "files/thread_file.h"

/* " (exit status 3)", " (signal 9, Killed)", or "" where the kernel does not say. */
struct exit_text {
	char text[64];
};

static struct exit_text exit_text(struct process *p)
{
	struct exit_text ret = { "" };
	int status;

	if (!process_wait_status(p, &status))
		return ret;
	if (WIFEXITED(status))
		snprintf(ret.text, sizeof(ret.text), " (exit status %d)", WEXITSTATUS(status));
	else
		snprintf(ret.text, sizeof(ret.text), " (signal %d, %s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	return ret;
}

const char *record_end_text(const struct capture *capture)
{
	if (capture_left_breakpoints(capture) && capture_ended(capture) != CAPTURE_EXITED)
		return "the process that held the probes (gotap-prober) was "
		       "killed: what came then is not in the trace, and "
		       "breakpoints may have stayed in the program, which a "
		       "further recording with -p and the same options takes away";
	switch (capture_ended(capture)) {
	case CAPTURE_EXITED:
		return "the program has ended";
	case CAPTURE_EXECED:
		return "the program has exec'ed another";
	case CAPTURE_PLUGIN:
		return "the program has opened a plugin, and what came then is not in the trace: "
		       "record it now, with -p";
	case CAPTURE_SILENT:
		return "the program's memory did not answer for 2 s (userfaultfd, or a mapped file "
		       "whose server hangs)";
	case CAPTURE_MOVED:
		return "the program has moved its code to where "
		       "no probe reaches it (huge pages for code?)";
	case CAPTURE_UNPROBED:
		return "the process that held the probes (gotap-prober) "
		       "was killed: what came then is not in the trace";
	case CAPTURE_PAUSED:
		return "gotap itself was stopped for 5 s or more (SIGSTOP, Ctrl-Z, a debugger), "
		       "so that the probes were taken away: what came then is not in the trace";
	default:
		return NULL;
	}
}

/* A launched program may end, or the recording, before there is a goroutine. */
int session_check_began(struct session *s, struct error *err)
{
	bool began = assembler_goroutines(s->assembler) || !s->target->proc.launched;

	s->nothing = !began || !assembler_generations(s->assembler);
	if (!s->nothing)
		return 0;
	if (s->gave_up)
		return error_set(err, -ENODATA,
				 "given up at a second signal, before anything was %s: there "
				 "is no trace", s->deferred.on ? "made of the raw records" :
				 "recorded");
	if (capture_ended(s->capture) == CAPTURE_EXITED)
		return error_set(err, -ECHILD,
				 "the program ended before its Go runtime began%s: there is "
				 "nothing to trace",
				 exit_text(&s->target->proc).text);
	if (capture_ended(s->capture) == CAPTURE_EXECED)
		return error_set(err, -ECHILD,
				 "the program exec'ed another before its goroutines had been read: "
				 "there is no trace; record it again");
	if (record_end_text(s->capture))
		return error_set(err, -ENODATA,
				 "the recording ended before %s: there is no trace; %s",
				 s->target->proc.launched ? "a goroutine was seen" :
							    "the goroutines had been read",
				 record_end_text(s->capture));
	return error_set(err, -ENODATA,
			 "the recording ended before the program's Go runtime began: there is no "
			 "trace; make it longer");
}

static const char *session_end_text(const struct session *s)
{
	const char *early = deferred_end_text(&s->deferred);

	if (s->gave_up)
		return "gotap gave up at a second signal: what came last is missing";
	return early ? early : record_end_text(s->capture);
}

bool session_report(const struct session *s)
{
	struct assembler_result *res = calloc(1, sizeof(*res));
	struct exit_text exit = exit_text(&s->target->proc);
	struct report rep = {
		.info = &s->target->info,
		.result = res,
		.version = s->opts->version,
		.old = old_format_result(s->old),
		.plan = &s->target->plan,
		.method = capture_method(s->capture),
		.ended = session_end_text(s),
		.exit = capture_ended(s->capture) == CAPTURE_EXITED ? exit.text : "",
		.object_min =
			s->target->plan.groups & 1u << GROUP_OBJECTS ?
				s->opts->capture.bpf.object_min : 0,
		.output = s->flight.flight ? "flight recording" :
					     record_main_file(s->opts, s->files)->path,
		.flight = s->flight.flight ? &s->flight.counts : NULL,
		.asked = s->flight.peers ? &s->flight.asked : NULL,
		.on = &s->opts->flight.on,
		.triggers = s->flight.triggers,
		.perfetto = s->opts->perfetto ? s->files->perfetto.path : NULL,
		.perfetto_bytes = s->perfetto_bytes,
		.deferred = &s->deferred,
		.budget = capture_budget(s->capture),
		.in_target = capture_inline(s->capture),
		.foreign = capture_foreign(s->capture),
		.stops = &s->stops,
		.threads = { assembler_threads(s->assembler), assembler_thread_sums(s->assembler),
			     s->target->info.pid },
		.children = &s->children,
		.cpu = &s->cpu,
		.next = !s->opts->report && output_is_regular(&s->files->trace),
		.verbose = s->opts->verbose,
	};
	bool flawless;

	if (!res)
		return false;
	assembler_result(s->assembler, res);
	if (s->progress)
		fputs("\r\033[K", stderr);
	if (s->opts->json)
		report_json(&rep, stderr);
	else if (!s->opts->quiet)
		report_print(&rep, stderr);
	flawless = report_flawless(&rep);
	if (s->opts->strict && !flawless && !s->opts->json)
		report_print_flaws(&rep, s->opts->quiet, stderr);
	free(res);
	return flawless;
}

/*
 * Returns whether the trace has a generation: then the part that was written before an error is a
 * valid trace, and is kept.
 */
static bool session_has_trace(const struct session *s)
{
	if (!s->assembler || s->nonsense || s->nothing)
		return false;
	return s->old ? old_format_has_trace(s->old) : assembler_generations(s->assembler);
}

/* The Perfetto trace is that of the Go trace, and is kept with it. */
static int finish_perfetto(struct session *s, struct error *err)
{
	int r = beside_finish(s->perfetto, &s->perfetto_bytes, err);

	s->perfetto = NULL;
	return output_close(&s->files->perfetto, session_has_trace(s) && !r, r ? NULL : err) || r ?
		       -EIO :
		       0;
}

int session_finish(struct session *s, bool failed, struct error *err)
{
	struct error late;
	int r;

	old_format_finish(s->old, &late);
	spool_writer_free(s->spool);
	r = output_close(&s->files->spool, s->spool != NULL, failed ? &late : err);
	failed |= r != 0;
	s->spool = NULL;
	if (finish_perfetto(s, failed ? &late : err))
		r = -EIO;
	failed |= r != 0;
	if (thread_file_finish(&s->files->threads, session_has_trace(s), failed ? &late : err))
		r = -EIO;
	failed |= r != 0;
	signals_partial_stays(false);
	return thread_file_close_trace(&s->files->threads, &s->files->trace, session_has_trace(s),
				       failed ? &late : err) ||
			       r ?
		       -EIO :
		       0;
}

/* Writes the tables of --tables. */
static int session_write_tables(const struct session *s, struct error *err)
{
	struct tables_wish wish = { .dir = s->opts->tables,
				    .say = s->opts->quiet || s->opts->json ? NULL : stderr };
	bool failed = false;
	int r = tables_of(s->files->trace.path, &wish, &failed, err);

	return !r && failed ? error_set(err, -EIO, "the tables lack states of threads") : r;
}

int session_show_answers(const struct session *s, struct error *err)
{
	int r = s->opts->tables ? session_write_tables(s, err) : 0;

	if (r)
		return r;
	return s->opts->report ? trace_report_show(s->files->trace.path, stdout, err) : 0;
}

void session_tell_deferred(const struct session *s, bool cut)
{
	const struct deferred *d = &s->deferred;
	const char *early = deferred_end_text(d);

	if (!d->on || !d->bytes)
		return;
	if (early && s->opts->quiet)
		show_printf(stderr, "gotap: %s\n", early);
	if (cut && d->path)
		show_printf(stderr, "gotap: '%s' has the raw records: `gotap assemble %s -o FILE` "
			    "makes the trace of them\n", d->path, d->path);
	else if (cut)
		show_printf(stderr, "gotap: the raw records that are not in the trace were in "
			    "memory and are gone; --spool FILE keeps them\n");
}
