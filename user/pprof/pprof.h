/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof: profiles of traces, for `gotap pprof` (docs/pprof.md). Each type is a visitor of
 * spans/spans.h that adds samples to a profile (profile.h):
 *
 * 	net, sync, syscall, sched	as `go tool trace -pprof=` of Go 1.27 has them (waits.c)
 * 	block, waker, wall, goroutine	from spans (stays.c)
 * 	cpu, gc				samples, ranges (stays.c)
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
	struct map64 goroutines;	/* only these; empty: all */
	/* only goroutines that began with such a function; NULL: all */
	const regex_t *func;
	int64_t from, to;		/* ns since the begin of each trace */
	/* type goroutine: ns since the begin; PPROF_END: when the trace ends */
	int64_t at;
	/* in the form of runtime/pprof's own profile of this type */
	bool as_runtime;
	/* type cpu: the CPU time that a sample stands for; 0: only their number */
	uint64_t sample_ns;
};

#define PPROF_END INT64_MAX

/* The type of that name; NULL if there is none. */
const struct pprof_type *pprof_type_named(const char *name);
/* Does runtime/pprof have a profile of this type? */
bool pprof_type_in_runtime(const struct pprof_type *type);
/* All names, one after the other from 0 on; NULL behind the last. */
const char *pprof_type_name(unsigned int i);

struct pprof;

/* @options must outlive it. */
struct pprof *pprof_new(const struct pprof_options *options);
/* Accepts NULL. */
void pprof_free(struct pprof *p);
/*
 * Reads all of @r; what comes before a fault counts, and the fault is the error. @name: for
 * comments.
 */
int pprof_read(struct pprof *p, struct trace_reader *r, const char *name, struct error *err);
/* Was there a trace of which anything could be read? */
bool pprof_read_any(const struct pprof *p);
/* After the last trace: says in comments what is missing in the profile. */
void pprof_finish(struct pprof *p);
struct profile *pprof_profile(struct pprof *p);
/* What is missing, in a line; NULL if nothing is known to be. Holds as long as @p. */
const char *pprof_missing(struct pprof *p);

#endif
