/* SPDX-License-Identifier: Apache-2.0 */
/* internal: shared by the parts of the plan; for user/plan only. */
#ifndef GOTAP_PLAN_INTERNAL_H
#define GOTAP_PLAN_INTERNAL_H

#include "plan/plan.h"
#include "release/release.h"
#include "target/code.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The last release that a row of the tables is known to hold for; it is assumed for later ones. */
enum { NEWEST = RELEASE_NEWEST };

enum need { OPTIONAL, REQUIRED, IF_LINKED };

struct probe_spec;

/*
 * Adds the points of @spec in @fn, its function. -ENOENT if the program has no such place, -ENOTSUP
 * if it is unlike that of any known release, or if the call to probe was inlined.
 */
typedef int add_points_fn(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			  const struct gobin_func *fn, struct error *err);

/* A row of probes.def. */
struct probe_spec {
	enum program program;
	const char *function;
	int since, until;
	struct {
		add_points_fn *add;
		const char *callee;
	} where;
	enum need need;
	const char *lacks;
};

/* --- points.c --- */

/*
 * Returns whether the plan has the group of the row, and the program is of a release in its range.
 */
bool plan_wants(const struct plan *p, enum group group, int since, int until);

/* Adds a copy of @point, whose file offset it finds. */
int plan_add_point(struct plan *p, const struct gobin *b, struct probe_point *point,
		   struct error *err);
/* Where plan_add_entry() has put a probe. */
struct entry {
	uint64_t addr;
	enum site_at at;
	bool arguments;		/* those of the function are in their registers there */
};

/* Adds a point of @program at the start of @fn, as prologue_site_of() has it. */
int plan_add_entry(struct plan *p, const struct gobin *b, enum program program,
		   const struct gobin_func *fn, struct entry *ret, struct error *err);
/*
 * Adds a point of @program after each call of @fn, and @class for each of these return addresses
 * (NULL: they have none). Returns the number of calls.
 */
int plan_add_after_calls(struct plan *p, const struct gobin *b, enum program program,
			 const struct gobin_func *fn, const struct site_class *class,
			 struct error *err);
/*
 * Takes note of a probe that has no place: an error, or a line of the report if the probe is
 * optional.
 */
int plan_lacks(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
	       const struct error *why, struct error *err);

/* Adds a line to the report, one for each @function. Neither @function nor @lacks is copied. */
void plan_note_missing(struct plan *p, const char *function, const char *lacks,
		       const struct error *why);

/* Gives @class to the call that returns to @pc and changes the status from @old to @new_. */
void plan_add_site(struct plan *p, uint64_t pc, uint8_t old, uint8_t new_,
		   struct site_class class);

/* --- plan.c --- */

/* Finds the function of assembly code with that name in the source. */
int plan_find_assembly(const struct gobin *b, const char *name, struct gobin_func *ret);

/* --- ends.c: columns "where" of probes.def --- */

/* RETURNS, RETURNS_BUT(callee) and AT_CALLS(callee). */
add_points_fn plan_add_returns, plan_add_at_calls;

/* --- grpc.c --- */

/* Columns "where" of probes.def, of group grpc alone. */
add_points_fn plan_add_grpc_begin, plan_add_grpc_status, plan_add_grpc_ends, plan_add_grpc_refused,
	plan_add_grpc_returns, plan_add_grpc_stream;
/* Finds fields and functions of the module google.golang.org/grpc. */
void plan_find_grpc(struct plan *p, const struct gobin *b);

/* --- sites.c --- */

/* Finds the classes of all calls of casgstatus, and of callers of probed functions. */
int plan_sites(struct plan *p, const struct gobin *b, struct error *err);

/* --- inline.c --- */

enum program plan_inline_program(enum inline_program which);
/*
 * Makes a point at a direct call one that patches the call's operand. False if the instruction is
 * no such call.
 */
bool plan_patch_call(const struct gobin *b, struct probe_point *point);
/* Notes why the probe in @function is not patched, once for each @function, which is not copied. */
void plan_note_not_inline(struct plan *p, const char *function, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Puts the probes of coroswitch_m and exitsyscall back, where @plugin has them as in a plan for
 * uprobes: the code of a plugin takes addresses of data from a table, and the programs need the
 * same kind of place in both.
 */
void plan_inline_like(struct plan *p, const struct plan *plugin);
/* Moves the frequent probes of the plan to instructions that have an operand to patch. */
int plan_inline(struct plan *p, const struct gobin *b, struct error *err);

/* --- pgo.c --- */

/* A call of casgstatus, with the status numbers that it passes (-1: not constants). */
struct status_call {
	struct callsite site;
	int old, new_;
};

/*
 * Adds the probes for casgstatus inlined into its callers. @calls (struct
 * status_call) are the calls that are left. -ENOTSUP names a function for which
 * there is no way.
 */
int plan_casgstatus_inlined(struct plan *p, const struct gobin *b, const struct vec *calls,
			  struct error *err);
/* Returns whether a probe of pgo.def sees this transition of @caller. */
bool plan_inlined_sees(const struct plan *p, const char *caller, uint8_t old, uint8_t new_);
/* Returns whether the probed @function was inlined everywhere, with a probe for each place. */
bool plan_inlined_probed(const struct plan *p, const struct gobin *b, const char *function);
/* Adds the probes for the other probed functions, @specs, that were inlined. */
int plan_probe_inlined(struct plan *p, const struct gobin *b, const struct probe_spec *specs,
		     size_t n, struct error *err);

#endif
