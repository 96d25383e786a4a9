/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state: readers of the folders in which runtimes describe their containers. Each reader adds the
 * containers that it finds below cs->root. The first reader that finds a container names its
 * runtime: docker's containers are containerd's and runc's, too.
 */
#ifndef GOTAP_PROC_STATE_H
#define GOTAP_PROC_STATE_H

#include "proc/container.h"

struct json_object;

void state_docker(struct containers *cs);
/* Podman and CRI-O use the same kind of store. */
void state_storage(struct containers *cs);
void state_containerd(struct containers *cs);
void state_runc(struct containers *cs);
void state_crun(struct containers *cs);

/*
 * Users who run containers without root have folders of their own (/run/user, /home), in which they
 * may put any file. Only regular files below the root are therefore opened (base/open_under.h). At
 * most STATE_FILE bytes are read of one file, at most STATE_FOREIGN of all files that do not belong
 * to root, and at most STATE_CONTAINERS containers are kept.
 */
enum { STATE_FILE = 16 << 20, STATE_FOREIGN = 32 << 20, STATE_CONTAINERS = 10000 };

/* Calls @take with each path below the root that matches @pattern (glob(7)). */
void state_glob(struct containers *cs, const char *pattern,
		void (*take)(struct containers *cs, const char *path));
/* Returns component @i of @path, counted from its end; 0 is the last one. The caller frees it. */
char *state_component(const char *path, int i);
/*
 * Returns the JSON in the file at @path below the root, NULL if there is none. The caller frees it
 * by json_close().
 */
struct json_object *state_json(struct containers *cs, const char *path);
/* Returns the number in a file that has only that number, 0 if there is none. */
pid_t state_pid_file(struct containers *cs, const char *path);

#endif
