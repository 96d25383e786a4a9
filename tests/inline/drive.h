/* SPDX-License-Identifier: Apache-2.0 */
/* drive: shared by the files of tests/inline. There is one target, so all data about it are global. */
#ifndef GOTAP_TESTS_DRIVE_H
#define GOTAP_TESTS_DRIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "inline/inject.h"
#include "inline/patch.h"
#include "live/process.h"
#include "target/gobin.h"

enum { TIMEOUT_MS = 10000, PATCHES = 128, SOME = 8 };

/* --- target.c --- */

extern struct process process;
extern struct gobin *bin;
extern struct inject_hosts hosts;
extern uint64_t text_lo, text_hi;	/* of the running program */

extern struct patch patches[PATCHES];	/* of calls in it */
extern size_t n_patches;

/* Prints one line and ends drive with status 1, as all of these do when something fails. */
void die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
void open_target(pid_t pid);

/* How many areas of memory and descriptors of gotap the target has. */
size_t count_ours(void);
/* Fails unless it has none, and its code is that of its file. */
void check_clean(void);

/* Adds the calls of @name to @patches, until these are @max. */
void find_calls(const char *name, size_t max);
/* For each patch a stub in the injected code that jumps to @function. */
void write_stubs(const struct injected *in, uint64_t function);
/* A uprobe at each patch: its breakpoint keeps threads from the instruction while patch_apply() changes it. */
void attach(void);
void detach(void);
/* Changes all calls to lead to their stubs; @undo: back. Under uprobes that the caller has attached. */
void change_calls(bool undo);
/* The same with its uprobes. */
void apply(bool undo);

/* inject_memory() for the target; returns its result. */
int try_inject(int timeout_ms, struct injected *in, struct error *err);
void inject(struct injected *in);
/* Writes the control page. */
void set_control(const struct injected *in, uint64_t shared);
void take_out(struct injected *in);

/* --- killed.c --- */

/* Which processes are killed at a step. */
enum who {
	ALL,
	CHILD_ALONE,	/* the child, which holds threads of the target */
	CHILD_LATER,	/* all but the child, which is killed 100 ms later */
};

void kill_steps(unsigned int each, enum who who);
void kill_step(void);

/* --- amid_exec.c --- */

void exec_steps(const char *fifo, bool first);
void exec_step(void);

#endif
