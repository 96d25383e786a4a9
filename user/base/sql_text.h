/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sql_text: statements of SQL without literals and comments, so that a text stands for all
 * statements of its form and shows no data. In: the text of PostgreSQL, MySQL or SQLite, of any
 * bytes; it may be cut. Out: the same text with one space where there were blanks and comments, and
 * one question mark for
 *
 *	a string: '...' with its prefix (E, N, B, X, U&), $tag$...$tag$
 *	a number, with its sign
 *	a placeholder: ? ?1 $1 :name
 *	a list of these, in (...) also a list of lists: "VALUES (?), (?)" is "VALUES (?)"
 *
 * Text in double quotes is a string in MySQL, and a name elsewhere. It remains where the statement
 * has $1 or :: (PostgreSQL), next to a dot, or where a name can stand and a value cannot. A
 * backslash in front of a quote ends the string in PostgreSQL and does not in MySQL: the text ends
 * there. Where the dialect is open, data is left out, even at the price of a name.
 */
#ifndef GOTAP_BASE_SQL_TEXT_H
#define GOTAP_BASE_SQL_TEXT_H

#include <stddef.h>

/*
 * Writes the text of the @n bytes @sql to @to, of @n bytes or more: it is never longer. Returns its
 * length. Takes time proportional to @n.
 */
size_t sql_text_form(char *to, const char *sql, size_t n);

#endif
