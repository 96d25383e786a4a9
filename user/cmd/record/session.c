// SPDX-License-Identifier: Apache-2.0
/* session: see session.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/show.h"
#include "cmd/cmd.h"
#include "cmd/record/session.h"
#include "cmd/record/signals.h"
#include "cmd/record/waiting.h"
#include "files/thread_file.h"

/* A program of which no goroutine is known yet is waited for so much longer than -d. */
enum { START_SECONDS = 30 };

/*
 * So long after the end of -d the capture ends by itself. Until then this thread ends it, unless it
 * waits for the reader of the trace: the probes must not cost the program its time meanwhile.
 */
enum { LATE_NS = 100000000 };

/*
 * -d is the time from which the trace is, and that begins with the first goroutines: on a loaded
 * machine the dynamic linker and the runtime's own start take longer than a short recording, and so
 * can the reading of the goroutines of a running program.
 */
static bool session_time_is_over(struct session *s)
{
	bool begun = s->deferred.on ? s->deferred.begun : assembler_goroutines(s->assembler) > 0;
	uint64_t now = now_ns();
	double start = 0;

	if (!s->runs && begun) {
		s->runs = true;
		s->begin = now;
		if (s->opts->seconds > 0)
			capture_stop_at(s->capture, now + LATE_NS +
						    (uint64_t)(s->opts->seconds * 1e9));
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
	return r ? r : session_check_began(s, err);
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
		r = session_show_answers(s, err);
	if (r)
		cmd_fail(err);
	else if (s->gave_up && !s->deferred.began)
		show_printf(stderr,
			    "gotap: '%s' is finished; the probes are still being taken away\n",
			    record_main_file(s->opts, s->files)->path);
	session_tell_deferred(s, r || s->gave_up);
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
