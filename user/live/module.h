/* SPDX-License-Identifier: Apache-2.0 */
/*
 * module: which files of a process are the Go program: its executable, or a shared library in it
 * (-buildmode=c-shared), and the plugins that it has opened. In: an open process. Out: the files,
 * and their load biases.
 *
 * A plugin (-buildmode=plugin) has a copy of package runtime's code, but not of its data: the
 * dynamic linker binds all Go variables to the program's, while calls of functions do not leave the
 * plugin (cmd/link, 1.15 to 1.27). The process therefore has one scheduler, with code in several
 * places: a goroutine that blocks in a plugin's function parks in that plugin's park_m, and its
 * thread goes on with that plugin's schedule(). All copies need probes.
 */
#ifndef GOTAP_LIVE_MODULE_H
#define GOTAP_LIVE_MODULE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/vec.h"
#include "live/process.h"
#include "target/gobin.h"

struct plugin {
	struct gobin *bin;
	int held;			/* descriptor of the file, */
	char file[PROCFS_PATH];		/* and its path below /proc */
	uint64_t bias;
};

/*
 * Opens the Go program of @p and sets p->module and p->bias; @plugins gets its plugins (struct
 * plugin). The caller frees *@ret by gobin_free(), and @plugins by plugins_free(), also after an
 * error. -ENOEXEC if there is no Go program; -ENOTSUP if there are several, each with a scheduler;
 * for a launched process also the errors of process_load().
 */
int module_open(struct process *p, struct gobin **ret, struct vec *plugins, struct error *err);
void plugins_free(struct vec *plugins);

/*
 * Looks for the debug files of the program and its plugins, if they are stripped. Asks servers only
 * if there is no other way, or with @wanted.
 */
void module_find_debug(const struct process *p, struct gobin *program, const struct vec *plugins,
		       bool wanted);

/* Returns whether @b is a plugin, which has no scheduler of its own. */
bool module_is_plugin(const struct gobin *b);
/* Returns whether a Go library that is no plugin is mapped into the process. */
bool module_has_library(const struct procfs *fs, pid_t pid);

/* Returns whether the program has opened a plugin since module_open(). Reads 8 bytes. */
bool module_opened_plugin(const struct process *p);

/* Stores the path of p's executable as the process has it: "/usr/bin/x", "/usr/bin/x (deleted)". */
void module_exe_name(const struct process *p, char ret[512]);

#endif
