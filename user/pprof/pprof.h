/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof: profiles of traces, for `gotap pprof` (docs/pprof.md). Each type is a visitor of
 * spans/spans.h that adds samples to a profile (profile.h):
 *
 * 	net, sync, syscall, sched	as those of `go tool trace -pprof=` of Go 1.27 (waits.c)
 * 	block, waker, wall, goroutine	from spans (stays.c)
 * 	cpu, gc, alloc			samples, ranges, sampled allocations (stays.c)
 *
 * 	struct pprof *p = pprof_new(&options);
 * 	ret = pprof_read(p, reader, "a.trace", &err);		for each trace
 * 	pprof_finish(p);
 * 	profile_write(pprof_profile(p), &sink);
 * 	pprof_free(p);
 */
#ifndef GOTAP_PPROF_PPROF_H
#define GOTAP_PPROF_PPROF_H

#include <regex.h>

#include "base/map64.h"
#include "pprof/profile.h"

struct pprof_type;

struct pprof_options {
	const struct pprof_type *type;
	struct map64 goroutines;	/* only these goids; empty: all */
	/* only goroutines that began with a function that matches; NULL: all */
	const regex_t *func;
	int64_t from, to;		/* ns since the begin of each trace */
	/* type goroutine: ns since the begin; PPROF_END: the end of the trace */
	int64_t at;
	/* in the form of runtime/pprof's profile of this type */
	bool as_runtime;
	/* type cpu: CPU time per sample, ns; 0: only the number of samples counts */
	uint64_t sample_ns;
};

#define PPROF_END INT64_MAX

/* Returns the type with @name; NULL if there is none. */
const struct pprof_type *pprof_type_named(const char *name);
/* Does runtime/pprof have a profile of this type? */
bool pprof_type_in_runtime(const struct pprof_type *type);
/* Returns the name of type @i, from 0 on; NULL after the last one. */
const char *pprof_type_name(unsigned int i);

struct pprof;

/* @options must outlive the result, which the caller frees with pprof_free(). */
struct pprof *pprof_new(const struct pprof_options *options);
/* Frees @p, which may be NULL. */
void pprof_free(struct pprof *p);
/*
 * Adds the samples of a trace: reads @r to its end. If the trace is damaged, all that comes before
 * the damage counts, and the return value and @err have the fault (-errno). @name: the trace, for
 * comments.
 */
int pprof_read(struct pprof *p, struct trace_reader *r, const char *name, struct error *err);
/* Did any trace have an event that could be read? */
bool pprof_read_any(const struct pprof *p);
/* To be called after the last trace: adds comments that say which data the profile lacks. */
void pprof_finish(struct pprof *p);
struct profile *pprof_profile(struct pprof *p);
/*
 * Returns one line about the data that the profile lacks, as comments say it; NULL if none is known
 * to be missing. Valid as long as @p lives.
 */
const char *pprof_missing(struct pprof *p);

#endif
