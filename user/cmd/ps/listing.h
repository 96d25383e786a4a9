/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing: the Go programs that run on this machine, by /proc, their executables, and the state
 * folders of container runtimes. An executable is examined once, however many processes run it.
 * Made by ps.c, shown by show.c.
 */
#ifndef GOTAP_CMD_PS_LISTING_H
#define GOTAP_CMD_PS_LISTING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/error.h"
#include "base/vec.h"
#include "cmd/pick.h"
#include "cmd/ps/effort.h"
#include "cmd/ps/goroutines.h"
#include "proc/container.h"
#include "proc/procfs.h"

/* The facts about one file with code. Texts of the file, cut to size; "" none. */
struct executable {
	struct procfs_file_id id;
	/* with the id: another file that got the inode of a deleted one is another executable */
	struct timespec changed;
	bool met;			/* by this list; see listing_again() */
	bool is_go, traceable;
	bool is_plugin;			/* of a Go program: has no scheduler of its own */
	char go[32], module[512], version[128], pgo[1024];
	enum { STRIPPED, SYMTAB, DWARF } symbols;
	char why_not[512];
	char fault[256];		/* why the file could not be examined; "": it was */
	struct ps_roots roots;
};

struct go_process {
	pid_t pid, parent;
	double cpu_seconds, cpu_percent;	/* of one CPU, since it began */
	uid_t uid;
	char user[33];
	char *command;			/* its arguments, separated by blanks; "" none are there */
	bool command_cut;		/* ... of which there are more */
	char exe[512];
	/* path of the mapped file that has the Go program; "": the executable itself has it */
	char library[512];
	const struct executable *program;
	bool is_double;			/* it has two Go programs mapped */
	struct ps_goroutines goroutines;
	const struct container *container;	/* NULL: none */
};

/* A process that could not be looked at. */
struct unseen {
	pid_t pid;
	char name[64];
	char why[256];
	bool denied;
};

/* Bytes of a command: as many at most as options say, and by default. */
enum { LISTING_COMMAND = 4096 };

struct listing {
	size_t command_max;		/* bytes of a command at most */
	struct procfs fs;
	struct containers containers;
	struct vec programs;		/* struct executable * */
	struct vec processes;		/* struct go_process */
	struct vec unseen;		/* struct unseen */
	size_t left_out;		/* of them, those for which no time was left */
	struct ps_effort effort;
};

/*
 * Fills @l, of which command_max is set and the rest zero. The processes that used most CPU come
 * first.
 */
int listing_make(struct listing *l, const struct pick *where, struct error *err);
/*
 * Empties the list for another listing_make(), which looks at executables again only if it has not
 * met them in this one, or could not look at them.
 */
void listing_again(struct listing *l);
void listing_release(struct listing *l);

#endif
