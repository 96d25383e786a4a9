/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_terminal: the terminal of `gotap top`: its mode, its size, keys in, frames out. Owns the terminal from
 * terminal_open() to terminal_close(), and a guard: a process that restores the terminal if gotap ends without doing so
 * (a crash, kill -9). While gotap is stopped, or in the background of its shell, the terminal is the shell's: it is not
 * touched then, and there is no guard. Writes never wait: a terminal that takes nothing (Ctrl-S, a slow line) delays frames, not the recording.
 */
#ifndef GOTAP_CMD_TOP_TERMINAL_H
#define GOTAP_CMD_TOP_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

#include "base/error.h"
#include "base/vec.h"

struct terminal {
	int fd;			/* -1: closed */
	struct termios before;
	pid_t guard;
	bool away;		/* the terminal is somebody else's */
	struct buf out;		/* what is not written yet, from @at on */
	size_t at;
};

#define TERMINAL_CLOSED { .fd = -1 }

/* Is standard output a terminal that can show frames? -ENOTTY: not. */
int terminal_check(struct error *err);
/* Of standard output, which has passed terminal_check(). */
int terminal_open(struct terminal *t, struct error *err);
/* As it was, unless it is somebody else's. Accepts a closed one. */
void terminal_close(struct terminal *t);
/* Rows and columns; true: they have changed, or gotap was stopped, since the last call: all is to be drawn anew. */
bool terminal_look(struct terminal *t, int *rows, int *cols);
/* Bytes of keys, 0 if there are none, < 0: the terminal is gone. */
ssize_t terminal_read(struct terminal *t, char *bytes, size_t n);
/* Is all written that terminal_write() got? */
bool terminal_is_idle(struct terminal *t);
/* One write for all of @frame, whose bytes it takes, when idle. */
void terminal_write(struct terminal *t, struct buf *frame);
/* Columns of standard output; 0: it is no terminal, or does not say. */
int terminal_width(void);
/* Does it show UTF-8? By LC_ALL, LC_CTYPE or LANG, as the C library does it. */
bool terminal_is_utf8(void);

#endif
