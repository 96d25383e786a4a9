/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state: readers of the folders in which runtimes describe their containers. Each adds
 * the containers that it finds below cs->root. The first reader that finds a container
 * names its runtime: docker's containers are containerd's and runc's, too.
 */
#ifndef GOTAP_PROC_STATE_H
#define GOTAP_PROC_STATE_H

#include "proc/container.h"

struct json_object;

void state_docker(struct containers *cs);
/* Podman and CRI-O keep theirs in the same kind of store. */
void state_storage(struct containers *cs);
void state_containerd(struct containers *cs);
void state_runc(struct containers *cs);
void state_crun(struct containers *cs);

/*
 * Containers that users run without root are described in their own folders (/run/user, /home),
 * where they may put any file. So only regular files below the root are opened
 * (base/open_under.h), of one at most STATE_FILE bytes are read, of all that are not
 * root's at most STATE_FOREIGN, and no more than STATE_CONTAINERS containers are known.
 */
enum { STATE_FILE = 16 << 20, STATE_FOREIGN = 32 << 20, STATE_CONTAINERS = 10000 };

/* Calls @take with each path below the root that matches @pattern (glob(7)). */
void state_glob(struct containers *cs, const char *pattern,
		void (*take)(struct containers *cs, const char *path));
/* Component @i of @path counted from its end, 0 being the last. Caller frees. */
char *state_component(const char *path, int i);
/* The JSON in the file at @path below the root, NULL if there is none. For json_close(). */
struct json_object *state_json(struct containers *cs, const char *path);
/* The number in a file that holds nothing else, 0 if there is none. */
pid_t state_pid_file(struct containers *cs, const char *path);

#endif
