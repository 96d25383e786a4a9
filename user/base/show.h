/* SPDX-License-Identifier: Apache-2.0 */
/*
 * show: prints foreign text (names, paths, modules, strings in a binary) to a terminal. This module
 * decides which characters may reach a terminal; all messages and tables are printed through it. It
 * also formats sizes.
 */
#ifndef GOTAP_BASE_SHOW_H
#define GOTAP_BASE_SHOW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The character at @text, 0 if the bytes are not UTF-8. *@len: its number of bytes, at least 1. */
unsigned int show_rune(const char *text, int *len);
/*
 * True if @rune changes how a terminal or an editor shows the text around it: a control character
 * (C0, DEL, C1), a mark of writing direction, or a line separator.
 */
bool show_is_control(unsigned int rune);

/*
 * Prints a line or a part of a line. Control characters and bytes that are not UTF-8 are printed as
 * \x1b, byte by byte. This includes line feeds, except one at the end of @fmt.
 */
void show_printf(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Prints @before, @n and @after, or nothing if @n is 0. The two texts are printed as they are: they
 * must not be foreign.
 */
void show_count(FILE *f, const char *before, uint64_t n, const char *after);
/* @text with the escapes of show_printf(), as a new string, for columns. The caller frees it. */
char *show_dup(const char *text);

/*
 * The file name @text as a word of a command that a user can paste into a shell, as a new string:
 * in single quotes if the shell would take it apart. The caller frees it.
 */
char *show_file_word(const char *text);

#define SHOW_SIZE 32	/* bytes of a text of show_size() */

/*
 * Formats the size of a file with up to three digits: "512 bytes", "91 kB", "1.1 MB". Returns
 * @text.
 */
const char *show_size(uint64_t bytes, char text[static SHOW_SIZE]);

#endif
