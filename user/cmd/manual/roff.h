/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roff: text as source of a manual page, with the macros of man(7), for mandoc and groff. Writes
 * to stdout.
 */
#ifndef GOTAP_CMD_MANUAL_ROFF_H
#define GOTAP_CMD_MANUAL_ROFF_H

/* The page's head and its section NAME; @command NULL: the page of gotap itself. */
void roff_head(const char *command, const char *about);
void roff_section(const char *title);
/*
 * Paragraphs, with empty lines between them. One with a line that begins with a space keeps its
 * lines; of others the words are filled. What stands in `` is bold.
 */
void roff_text(const char *text);
/* A line that keeps its place, as an example. */
void roff_example(const char *line);
/* A term in bold with a text in words: an item of a list. */
void roff_item(const char *term, const char *text);
/* @n bytes, escaped, with what stands in `` in bold, without a new line at the end. */
void roff_words(const char *text, int n);

#endif
