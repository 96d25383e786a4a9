/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state: readers of the folders in which runtimes keep what they know of their
 * containers. Each adds what it finds below @root. Who comes first names the
 * runtime: docker's containers are containerd's and runc's, too.
 */
#ifndef GOTAP_PROC_STATE_H
#define GOTAP_PROC_STATE_H

#include "proc/container.h"

void state_docker(struct containers *cs, const char *root);
/* Podman and CRI-O keep theirs in the same kind of store. */
void state_storage(struct containers *cs, const char *root);
void state_containerd(struct containers *cs, const char *root);
void state_runc(struct containers *cs, const char *root);
void state_crun(struct containers *cs, const char *root);

/* Calls @take with each path that matches @root + @pattern (glob(7)). */
void state_glob(struct containers *cs, const char *root, const char *pattern,
		void (*take)(struct containers *cs, const char *path));
/* Component @i of @path counted from its end, 0 being the last. Caller frees. */
char *state_component(const char *path, int i);
/* The number in a file that holds nothing else, 0 if there is none. */
pid_t state_pid_file(const char *path);

#endif
