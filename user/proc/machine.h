/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine: the kernel that gotap runs on and its settings, as far as they decide whether and how a
 * program can be traced.
 */
#ifndef GOTAP_PROC_MACHINE_H
#define GOTAP_PROC_MACHINE_H

#include <stdbool.h>

enum { MACHINE_UNKNOWN = -100 };	/* a setting that is absent, or cannot be read */

struct machine {
	char release[65];		/* uname -r */
	int major, minor;
	bool btf;			/* of /sys/kernel/btf/vmlinux, or --btf FILE */
	int perf_event_paranoid;	/* sysctls, or MACHINE_UNKNOWN */
	int unprivileged_bpf_disabled;
	int ptrace_scope;
	char lockdown[32];		/* "none", "integrity", "confidentiality"; "" unknown */
	int cpus;			/* online */
};

void machine_look(struct machine *m);
/*
 * The features without which a kernel cannot trace any program, as messages: the missing feature,
 * and the remedy.
 */
extern const char machine_too_old[], machine_no_btf[];
/* Returns the message for a feature that @m lacks, or NULL. */
const char *machine_lacks(const struct machine *m);
/* Returns whether the running kernel's release is @major.@minor or later. */
bool machine_release_is(int major, int minor);

#endif
