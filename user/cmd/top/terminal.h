/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal: the terminal of `gotap top`: its mode, its size, keys in, frames out. Owns the
 * terminal from terminal_open() to terminal_close(), and a guard: a process that restores the
 * terminal if gotap ends without doing so (a crash, kill -9). While gotap is stopped, or in the
 * background of its shell, the terminal is the shell's: it is not touched then, and there is no
 * guard. Writes never wait: a terminal that takes nothing (Ctrl-S, a slow line) delays frames,
 * not the recording.
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
	bool away;		/* another process group has the terminal */
	struct buf out;		/* what is not written yet, from @at on */
	size_t at;
};

#define TERMINAL_CLOSED { .fd = -1 }

/* 0: standard output is a terminal that can show frames; -ENOTTY: it is not. */
int terminal_check(struct error *err);
/*
 * Opens the terminal of standard output, which has passed terminal_check(), and takes it. Returns
 * 0 or a negative errno.
 */
int terminal_open(struct terminal *t, struct error *err);
/* Restores the terminal if gotap has it, and closes it. Accepts a closed one. */
void terminal_close(struct terminal *t);
/*
 * True: the size has changed, or gotap was stopped, since the last call. Sets *@rows and *@cols;
 * all is to be drawn anew.
 */
bool terminal_look(struct terminal *t, int *rows, int *cols);
/*
 * Reads up to @n bytes of keys without waiting. Returns how many, 0: none; negative: the terminal
 * is gone.
 */
ssize_t terminal_read(struct terminal *t, char *bytes, size_t n);
/* Has the last frame of terminal_write() been written completely? */
bool terminal_is_idle(struct terminal *t);
/* Begins to write @frame, and takes its bytes. To be called when terminal_is_idle(). */
void terminal_write(struct terminal *t, struct buf *frame);
/* Columns of standard output; 0: it is no terminal, or does not say. */
int terminal_width(void);
/* Does it show UTF-8? LC_ALL, LC_CTYPE or LANG says so, as for the C library. */
bool terminal_is_utf8(void);

#endif
