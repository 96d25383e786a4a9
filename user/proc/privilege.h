/* SPDX-License-Identifier: Apache-2.0 */
/*
 * privilege: the capabilities of this process, and how it gives up those that it needs no more.
 * Linux checks capabilities one by one, and CAP_SYS_ADMIN includes the newer two:
 *
 * 	CAP_BPF		load BPF programs, make maps
 * 	CAP_PERFMON	tracing programs that read memory; uprobe_multi
 * 	CAP_SYS_PTRACE	read another process's memory and links in /proc/PID
 * 	CAP_SYS_ADMIN	perf uprobes, which kernels without uprobe_multi need (up to
 * 			the fix of CVE-2025-38466 CAP_PERFMON was enough)
 * 	CAP_SYS_NICE	be a real-time thread for a moment (inline/hold.h), raise the
 * 			priority of threads again (capture/guard.h); optional
 */
#ifndef GOTAP_PROC_PRIVILEGE_H
#define GOTAP_PROC_PRIVILEGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum privilege {
	PRIVILEGE_BPF = 1,
	PRIVILEGE_PERFMON = 2,
	PRIVILEGE_PTRACE = 4,
	PRIVILEGE_ADMIN = 8,
	PRIVILEGE_NICE = 16,
	PRIVILEGE_READ = 32,	/* files of other users */
};

/* Returns the privileges that are in effect, as bits, either directly or by CAP_SYS_ADMIN. */
unsigned int privilege_have(void);
/* Returns the name of one privilege, e.g. "CAP_BPF". */
const char *privilege_name(enum privilege p);

/*
 * Writes why an operation that needs @needs was refused, as the end of a message: the missing
 * capability and the remedy ("CAP_BPF is missing: run gotap as root, or ..."). If none is missing,
 * the other cause that can forbid it here: a user namespace, a seccomp filter, a security module.
 */
void privilege_explain(unsigned int needs, char ret[256]);

/* Returns whether gotap runs in a user namespace, where capabilities do not count for BPF. */
bool privilege_in_user_namespace(void);
/* Returns whether gotap runs under a seccomp filter of others, as in most containers. */
bool privilege_has_seccomp(void);

/*
 * Gives up all capabilities but @keep, irrevocably, of the calling thread and of threads that it
 * starts from now on. No exec gives them back (base/rights.h).
 */
int privilege_keep(unsigned int keep, struct error *err);

/*
 * As privilege_keep(), for a process that starts `gotap record` or `gotap ps` (--follow, serve). It
 * keeps the rights that its children need, also across exec, and gets a filter that allows exec.
 */
int privilege_keep_for_children(struct error *err);
/* Installs a seccomp filter for the calling thread and those that it starts (base/rights.h). */
int privilege_filter(bool exec, struct error *err);
/* privilege_raise() puts privileges into effect that were kept, privilege_lower() ends that. */
void privilege_raise(unsigned int set);
bool privilege_may_raise(enum privilege p);
void privilege_lower(unsigned int set);

/*
 * CAP_DAC_OVERRIDE and CAP_FOWNER: rights to files beyond the user's own. After
 * privilege_reserve_files() privilege_keep() keeps them without effect; the calling thread has them
 * between privilege_raise_files() and privilege_lower_files().
 */
void privilege_reserve_files(void);
/*
 * As privilege_reserve_files(), but only if the user's own rights may not be enough to work in
 * @folder: the folder, or one on the way to it, belongs to another user.
 */
void privilege_reserve_folder(const char *folder);
/* For a child that names no files: makes privilege_keep() give up these rights, too. */
void privilege_reserve_no_files(void);
/* Returns whether CAP_FOWNER is in effect. */
bool privilege_owns_files(void);
void privilege_raise_files(void);
void privilege_lower_files(void);

#endif
