/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uprobe_multi: BPF links that carry many uprobes of one file and one process
 * (Linux 6.6), by the system call itself: Debian 12's libbpf does not know
 * them. Up to 6.9 their process filter let only one thread through.
 */
#ifndef GOTAP_ATTACH_UPROBE_MULTI_H
#define GOTAP_ATTACH_UPROBE_MULTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A program's expected attach type (BPF_TRACE_UPROBE_MULTI). */
enum { UPROBE_MULTI_ATTACH_TYPE = 48 };

/*
 * Probes @path at @n file offsets, in process @pid, or in all that run the file
 * if 0. Returns the link's descriptor or -errno.
 */
int uprobe_multi_link(int prog_fd, const char *path, const uint64_t *offsets, size_t n,
		      pid_t pid);

/*
 * Has the running kernel got them, with a process filter that works? It is asked
 * if we may load BPF programs, else the answer goes by its release.
 */
bool uprobe_multi_supported(void);

#endif
