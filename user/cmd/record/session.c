// SPDX-License-Identifier: Apache-2.0
/*
 * session: one recording of `gotap record`, from the start of the capture to the report and the
 * exit status. In: a target and open files. The session owns the capture, the assembler, and the
 * writers of the spool and of further formats.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/percent.h"
#include "files/beside.h"
#include "cmd/cmd.h"
#include "files/old_format.h"
#include "cmd/record/deferred.h"
#include "cmd/record/record.h"
#include "cmd/record/report.h"
#include "cmd/report/report.h"
#include "base/show.h"
#include "cmd/record/signals.h"
#include "cmd/record/stops.h"
#include "cmd/record/waiting.h"
#include "cmd/tables/tables.h"
#include "files/thread_file.h"
#include "assemble/assembler.h"

struct session {
	const struct record_options *opts;
	struct target *target;
	struct record_files *files;
	struct capture *capture;
	struct assembler *assembler;
	struct spool_writer *spool;
	struct deferred deferred;
	struct old_format *old;	/* NULL: the trace is a v2 trace */
	struct beside *perfetto;
	uint64_t perfetto_bytes;
	struct flight_recording flight;
	uint64_t begin;		/* ns; of a launched program: when its Go runtime began */
	bool runs;		/* its Go runtime has begun */
	bool progress, stopping;
	uint64_t shown;		/* ns: when progress was shown */
	bool signalled;		/* it is stopping because of a signal */
	bool gave_up;		/* did not wait for the end of the capture */
	struct children children;	/* may be what was meant */
	struct stops stops;	/* when the program stood still */
	struct cpu_use cpu;	/* of the program and of gotap */
	struct capture_opts capture_opts;	/* with the default budget */
	bool nonsense;		/* the trace is of a program that the plan does not fit */
	bool nothing;		/* Go's runtime did not begin */
};

/* A launched program of which the Go runtime has not begun is waited for so much longer than -d. */
enum { START_SECONDS = 30 };

/*
 * A tenth of the CPUs that the program can have. At full load the program keeps nine tenths of
 * them; below full load the tenth is idle time (docs/performance.md).
 */
double record_default_budget(const struct process *p)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	if (p->fs.own && !sched_getaffinity(p->pid, sizeof(set), &set))
		cpus = CPU_COUNT(&set);
	return percent_to_ns(10.0 * (double)cpus);
}

static int start_perfetto(struct session *s, struct error *err)
{
	int r = output_begin(&s->files->perfetto, err);

	return r ? r : beside_start(&s->perfetto, &s->files->perfetto, &s->target->info, err);
}

static int start_flight(struct session *s, struct assembler_opts *opts, struct error *err)
{
	int r = flight_recording_start(&s->flight, &s->opts->flight, &s->target->info,
				       s->opts->quiet || s->opts->json, err);

	if (!r)
		flight_recording_opts(&s->flight, opts);
	return r;
}

/* The raw records: a file of the user's, and with --defer the only thing that is kept at first. */
static int start_spool(struct session *s, struct error *err)
{
	const struct record_options *o = s->opts;
	int r = o->spool ? output_begin(&s->files->spool, err) : 0;

	if (!r && o->defer)
		r = deferred_open(&s->deferred, o, &s->files->spool, err);
	if (r || (!o->spool && !o->defer))
		return r;
	return spool_create(&s->spool, o->defer ? s->deferred.fd : s->files->spool.fd,
			    o->spool ? o->spool : "memory", &s->target->info, err);
}

static void session_say_price(void *ctx, double ns)
{
	const struct session *s = ctx;
	const struct vec *regions = &s->target->plan.regions;
	uint64_t returns = 0;
	size_t i;

	for (i = 0; i < regions->len; i++)
		returns += vec_at(regions, struct plan_region, i)->returns;
	fprintf(stderr, "gotap: --region: %zu function%s with %" PRIu64 " returns; a call costs "
		"the program up to %.1f us\n", regions->len, regions->len == 1 ? "" : "s", returns,
		ns / 1e3);
}

static int session_start(struct session *s, struct error *err)
{
	struct assembler_opts opts = {
		.info = &s->target->info,
		.symbols = s->target->symbols,
		.alloc_type = alloc_type_name,
		.types = &s->target->types,
		.no_notes = s->opts->no_notes,
		.has_goids = s->target->plan.for_inline,
		.most_goroutines = ASSEMBLER_GOROUTINES,
		.goroutines_fit = target_goroutines_fit,
		.fit_ctx = s->target,
	};
	int r;

	s->capture_opts = s->opts->capture;
	s->capture_opts.stop = signals_step();
	if (!s->opts->quiet && !s->opts->json) {
		s->capture_opts.said_price = session_say_price;
		s->capture_opts.price_ctx = s;
	}
	if (s->capture_opts.budget == BUDGET_DEFAULT)
		s->capture_opts.budget = record_default_budget(&s->target->proc);
	opts.output = s->files->trace.path;
	stops_begin(&s->stops, &s->target->proc.fs, s->target->proc.pid, s->target->proc.held);
	if (!s->target->proc.launched)
		children_begin(&s->children, &s->target->proc.fs, s->target->proc.pid);
	r = start_spool(s, err);
	if (!r && s->opts->flight.time)
		r = flight_recording_begin(&s->flight, s->target, err);
	if (!r)
		r = target_fault(s->target, capture_start(&s->capture, &s->target->plan,
				 &s->target->proc, &s->capture_opts, err), err);
	if (!r && !s->opts->quiet && !s->opts->json)
		report_say_sampling(s->target, stderr);
	if (!r)	/* an exec from now on ends the recording (capture/watch.c) */
		r = pick_check(&s->opts->pick, &s->target->proc, err);
	if (!r)
		r = output_begin(&s->files->trace, err);
	if (!r && s->opts->perfetto)
		r = start_perfetto(s, err);
	if (!r)
		r = old_format_start(&s->old, &s->files->trace, s->opts->version, err);
	opts.version = s->old ? OLD_FORMAT_FROM : s->opts->version;
	old_format_observe(s->old, &opts.observers);
	if (s->opts->observe)
		s->opts->observe(s->opts->observe_ctx, &opts.observers);
	if (s->perfetto)
		beside_observe(s->perfetto, &opts.observers);
	if (!r && s->opts->flight.time)
		r = start_flight(s, &opts, err);
	if (!r)
		r = assembler_new(&s->assembler, s->old ? -1 : s->files->trace.fd, &opts, err);
	if (!r && s->perfetto)
		beside_threads(s->perfetto, assembler_threads(s->assembler));
	flight_recording_assembler(&s->flight, s->assembler);
	if (!r && s->target->plan.groups & 1u << GROUP_LINUX)
		r = thread_file_start(&s->files->threads, assembler_threads(s->assembler),
				      &s->target->info, err);
	s->begin = now_ns();
	cpu_use_begin(&s->cpu, &s->target->proc);
	return r;
}

/*
 * The time of a launched program counts from the begin of its Go runtime: on a loaded machine the
 * dynamic linker and the runtime's own start take longer than a short recording.
 */
static bool session_time_is_over(struct session *s)
{
	bool begun = s->deferred.on ? s->deferred.begun : assembler_goroutines(s->assembler) > 0;
	uint64_t now = now_ns();
	double start = 0;

	if (!s->runs && (!s->target->proc.launched || begun)) {
		s->runs = true;
		s->begin = s->target->proc.launched ? now : s->begin;
	}
	if (!s->runs)
		start = START_SECONDS;
	return s->opts->seconds > 0 &&
	       (double)(now - s->begin) / 1e9 >= s->opts->seconds + start;
}

static bool session_is_over(struct session *s)
{
	s->signalled = signals_stop();
	return session_time_is_over(s) || s->signalled || s->deferred.end != DEFERRED_GOES_ON;
}

/* First the raw records become more, and then the part of them that is in the trace. */
static void show_deferred(const struct session *s, uint64_t now)
{
	const struct deferred *d = &s->deferred;
	char size[SHOW_SIZE];

	show_size(d->bytes, size);
	if (d->began)
		fprintf(stderr, "\rmaking the trace: %.0f %% of %s of raw records\033[K",
			100 * (double)d->done / (double)d->bytes, size);
	else
		fprintf(stderr, "\r%.1f s, %s of raw records\033[K",
			(double)(now - s->begin) / 1e9, size);
}

static void show_progress(struct session *s, uint64_t *shown)
{
	struct assembler_result res;
	uint64_t now = now_ns();
	char size[SHOW_SIZE];

	if (!s->progress || now - *shown < 250000000)
		return;
	*shown = now;
	if (s->deferred.on) {
		show_deferred(s, now);
		return;
	}
	assembler_result(s->assembler, &res);
	fprintf(stderr, "\r%.1f s, %" PRIu64 " records, %s, %" PRIu64 " lost\033[K",
		(double)(now - s->begin) / 1e9, res.records, show_size(res.trace.bytes, size),
		res.model.lost);
}

/* The chunk becomes a part of the trace. */
static int session_assemble(struct session *s, const struct chunk *c, struct error *err)
{
	int r;

	thread_file_clock(&s->files->threads, c);
	r = assembler_chunk(s->assembler, c, err);
	if (!r && old_format_failed(s->old))	/* session_run() has the reason */
		r = error_set(err, -EIO, "the trace cannot be written");
	return r || !s->flight.flight ? r : flight_recording_step(&s->flight, err);
}

static int session_take_chunk(struct session *s, const struct chunk *c, struct error *err)
{
	int r = 0;

	if (s->deferred.on) {
		deferred_keep(&s->deferred, s->spool, c);
		return 0;
	}
	if (s->spool)
		r = spool_write(s->spool, c, err);
	return r ? r : session_assemble(s, c, err);
}

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

/* Until the capture has ended and all of it is in the trace. */
static int session_take_all(struct session *s, struct error *err)
{
	struct chunk *c;
	int r;

	while ((r = capture_next(s->capture, 50, &c)) != -ENODATA) {
		if (r > 0)
			r = session_take_chunk(s, c, err);
		if (r < 0)
			return r;
		if (!s->stopping) {
			stops_tick(&s->stops);
			cpu_use_tick(&s->cpu);
			target_look_at_memory(s->target);
			capture_look_at_sockets(s->capture, false);
		}
		if (!s->stopping && session_is_over(s)) {
			stops_look(&s->stops);
			cpu_use_look(&s->cpu);
			children_look(&s->children);
			capture_look_at_sockets(s->capture, true);
			capture_stop(s->capture);
			s->stopping = true;
		}
		s->gave_up = signals_give_up();
		if (s->gave_up)
			return 0;
		show_progress(s, &s->shown);
	}
	return 0;
}

/* A signal that did not end the recording, but came after it, ends this. */
static int session_replay_chunk(void *ctx, const struct chunk *c, struct error *err)
{
	struct session *s = ctx;
	int r = session_assemble(s, c, err);

	s->gave_up = signals_give_up() || (signals_stop() && !s->signalled);
	show_progress(s, &s->shown);
	return r ? r : s->gave_up;
}

/* With --defer: makes the trace of what was kept. A write that failed is an error after that. */
static int session_replay(struct session *s, struct error *err)
{
	struct deferred *d = &s->deferred;
	int r;

	if (!d->on || s->gave_up)
		return 0;
	r = deferred_replay(d, session_replay_chunk, s, err);
	if (r < 0 || d->end != DEFERRED_FAILED)
		return r < 0 ? r : 0;
	*err = d->failure;
	return err->code;
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
static int check_began(struct session *s, struct error *err)
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

static int session_run(struct session *s, struct error *err)
{
	struct process *ended = NULL;
	struct error late;
	int old, r = session_take_all(s, err);

	if (capture_ended(s->capture) == CAPTURE_EXITED)
		ended = &s->target->proc;

	s->nonsense = !capture_fits(s->capture);
	if (s->nonsense && !r)
		return error_set(err, -EINVAL,
				 "whether '%s' is of Go 1.%d could not be seen as it ran: the "
				 "trace may be nonsense and is not kept",
				 gobin_path(s->target->bin), s->opts->assume_minor);
	if (!r)
		r = session_replay(s, err);
	flight_recording_last(&s->flight, ended, capture_watches_oom(s->capture),
			      capture_oom_time(s->capture));
	if (r || s->gave_up)
		r = assembler_cut(s->assembler, &late) && !r ? (*err = late, late.code) : r;
	else
		r = assembler_finish(s->assembler, err);
	old = old_format_finish(s->old, &late);
	if (old) {
		*err = late;
		r = old;
	}
	flight_recording_finish(&s->flight, ended);
	return r ? r : check_began(s, err);
}

static const char *session_end_text(const struct session *s)
{
	const char *early = deferred_end_text(&s->deferred);

	if (s->gave_up)
		return "gotap gave up at a second signal: what came last is missing";
	return early ? early : record_end_text(s->capture);
}

static bool session_report(const struct session *s)
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

/* Has the trace a generation? What was written before a fault is a trace then. */
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

/* Closes all files; @failed: an error is known already. */
static int session_finish(struct session *s, bool failed, struct error *err)
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

/* The tables, and the report of --report, after the recording's own report. */
static int show_answers(const struct session *s, struct error *err)
{
	int r = s->opts->tables ? session_write_tables(s, err) : 0;

	if (r)
		return r;
	return s->opts->report ? trace_report_show(s->files->trace.path, stdout, err) : 0;
}

/*
 * A launched program may outlive the recording; its exit status is gotap's. A signal to the whole
 * process group, as timeout(1) sends it, reaches the program, too: then it may end at once. @own:
 * the status of the recording, for --detach.
 */
static int wait_for_command(const struct session *s, int own)
{
	struct process *p = &s->target->proc;
	struct pollfd end = { .fd = p->pidfd, .events = POLLIN };

	if (!process_ended(p) && !waiting_begin(s->opts, p->pid, s->signalled + s->gave_up))
		return own;
	while (!process_ended(p)) {
		if (signals_stop() && !poll(&end, 1, 100))
			return waiting_give_up(p->pid);
		poll(&end, 1, 200);
	}
	return process_exit_status(p);
}

/* The status of gotap's own failure. */
int record_failure(const struct record_options *o)
{
	return o->command ? EXIT_LAUNCHER : EXIT_FAIL;
}

/*
 * What --defer did not put into the trace is said in any case: in the report, or here. @cut: the
 * trace is not of all raw records.
 */
static void tell_deferred(const struct session *s, bool cut)
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

static int session_status(struct session *s, struct error *err)
{
	bool flawless = false;
	int r = session_start(s, err);

	/* who waits may have ended, which it is not this recording's business to report */
	if (!r && s->opts->tell_begin >= 0)
		send(s->opts->tell_begin, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (!r)
		r = session_run(s, err);
	if (session_finish(s, r != 0, err) && !r)
		r = err->code;
	if (!r)
		flawless = session_report(s);
	if (!r)
		r = show_answers(s, err);
	if (r)
		cmd_fail(err);
	else if (s->gave_up && !s->deferred.began)
		show_printf(stderr,
			    "gotap: '%s' is finished; the probes are still being taken away\n",
			    record_main_file(s->opts, s->files)->path);
	tell_deferred(s, r || s->gave_up);
	if (r || s->gave_up || (s->opts->strict && !flawless))
		return record_failure(s->opts);
	/* the status of a launched program is its own, and it takes what is left with it */
	return !s->opts->command && report_inline_left(capture_inline(s->capture)) ? EXIT_LEFT :
										     EXIT_OK;
}

int __attribute__((noinline)) session_record(const struct record_options *o, struct target *t,
					     struct record_files *files, struct error *err)
{
	struct session s = { .opts = o, .target = t, .files = files };
	int status, own;

	s.progress = !o->quiet && !o->json && isatty(STDERR_FILENO);
	own = session_status(&s, err);
	capture_free(s.capture);
	assembler_free(s.assembler);
	old_format_free(s.old);
	flight_recording_free(&s.flight);
	stops_free(&s.stops);
	deferred_close(&s.deferred);
	if (!process_is_child(&t->proc) || t->proc.held)
		return own;
	status = wait_for_command(&s, own);
	return !own || (s.nothing && status) ? status : own;
}
