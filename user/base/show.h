/* SPDX-License-Identifier: Apache-2.0 */
/*
 * show: foreign text (names, paths, modules, what a binary says of itself) on its way to a
 * terminal. Owns what may reach one; all messages and tables go through it. Also formats sizes.
 */
#ifndef GOTAP_BASE_SHOW_H
#define GOTAP_BASE_SHOW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The character at @text, 0 if it is no UTF-8; @len: its bytes, at least 1. */
unsigned int show_rune(const char *text, int *len);
/*
 * Is @rune a character that changes how a terminal or an editor shows the text around it:
 * a control character (C0, DEL, C1), a mark of writing direction, a line separator?
 */
bool show_is_control(unsigned int rune);

/*
 * Prints a line or a part of one. Control characters and bytes that are no UTF-8 are shown
 * as \x1b, byte by byte, also line feeds: only that at the end of @fmt ends the line.
 */
void show_printf(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* @text with the same escapes as a new string, for columns. */
char *show_dup(const char *text);

#define SHOW_SIZE 32	/* of a text that show_size() gives */

/* The size of a file, in the unit in which it has digits: "512 bytes", "91 kB", "1.1 MB". */
const char *show_size(uint64_t bytes, char text[static SHOW_SIZE]);

#endif
