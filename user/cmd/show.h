/* SPDX-License-Identifier: Apache-2.0 */
/*
 * show: foreign text (names, paths, modules, what a binary says of itself) on its way to a
 * terminal. Owns what may reach one; all messages and tables go through it.
 */
#ifndef GOTAP_CMD_SHOW_H
#define GOTAP_CMD_SHOW_H

#include <stddef.h>
#include <stdio.h>

/*
 * Control characters (C0, DEL, C1), marks of writing direction, line separators and bytes
 * that are no UTF-8 are shown as \x1b, byte by byte.
 */
void show_text(FILE *f, const char *text);
/* The same into a new string. */
char *show_dup(const char *text);

#endif
