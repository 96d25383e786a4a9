// SPDX-License-Identifier: Apache-2.0
/* session_start: see session.h. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/percent.h"
#include "cmd/record/session.h"
#include "cmd/record/signals.h"
#include "files/thread_file.h"

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

static void session_set_capture(struct session *s)
{
	s->capture_opts = s->opts->capture;
	s->capture_opts.stop = signals_step();
	if (!s->opts->quiet && !s->opts->json) {
		s->capture_opts.said_price = session_say_price;
		s->capture_opts.price_ctx = s;
	}
	if (s->capture_opts.budget == BUDGET_DEFAULT)
		s->capture_opts.budget = record_default_budget(&s->target->proc);
}

/* The probes. An exec from then on ends the recording (capture/watch.c). */
static int start_capture(struct session *s, struct error *err)
{
	int r = start_spool(s, err);

	if (!r && s->opts->flight.time)
		r = flight_recording_begin(&s->flight, s->target, err);
	if (!r)
		r = target_fault(s->target, capture_start(&s->capture, &s->target->plan,
				 &s->target->proc, &s->capture_opts, err), err);
	if (!r && !s->opts->quiet && !s->opts->json)
		report_say_sampling(s->target, stderr);
	return r ? r : pick_check(&s->opts->pick, &s->target->proc, err);
}

static int start_files(struct session *s, struct error *err)
{
	int r = output_begin(&s->files->trace, err);

	if (!r && s->opts->perfetto)
		r = start_perfetto(s, err);
	return r ? r : old_format_start(&s->old, &s->files->trace, s->opts->version, err);
}

/* Registers the observers that get each event when the assembler has made it. */
static void session_observe(struct session *s, struct assembler_opts *opts)
{
	old_format_observe(s->old, &opts->observers);
	if (s->opts->observe)
		s->opts->observe(s->opts->observe_ctx, &opts->observers);
	if (s->perfetto)
		beside_observe(s->perfetto, &opts->observers);
}

static int start_assembler(struct session *s, struct error *err)
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
		.output = s->files->trace.path,
		.version = s->old ? OLD_FORMAT_FROM : s->opts->version,
	};
	int r = 0;

	session_observe(s, &opts);
	if (s->opts->flight.time)
		r = start_flight(s, &opts, err);
	return r ? r : assembler_new(&s->assembler, s->old ? -1 : s->files->trace.fd, &opts, err);
}

/* The states of threads: a file of their own, and tracks in a Perfetto trace. */
static int start_threads(struct session *s, struct error *err)
{
	if (s->perfetto)
		beside_threads(s->perfetto, assembler_threads(s->assembler));
	if (!(s->target->plan.groups & 1u << GROUP_LINUX))
		return 0;
	return thread_file_start(&s->files->threads, assembler_threads(s->assembler),
				 &s->target->info, err);
}

int session_start(struct session *s, struct error *err)
{
	const struct process *p = &s->target->proc;
	int r;

	session_set_capture(s);
	stops_begin(&s->stops, &p->fs, p->pid, p->held);
	if (!p->launched)
		children_begin(&s->children, &p->fs, p->pid);
	r = start_capture(s, err);
	if (!r)
		r = start_files(s, err);
	if (!r)
		r = start_assembler(s, err);
	if (!r) {
		flight_recording_assembler(&s->flight, s->assembler);
		r = start_threads(s, err);
	}
	s->begin = now_ns();
	cpu_use_begin(&s->cpu, p);
	return r;
}
