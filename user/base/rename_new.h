/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rename_new: renames a file to a name that no other file has. For files that have a temporary name
 * until they are complete.
 */
#ifndef GOTAP_BASE_RENAME_NEW_H
#define GOTAP_BASE_RENAME_NEW_H

/*
 * Renames @from to @to, both in the folder @dir. Unlike rename(2) it never replaces a file @to:
 * EEXIST. Returns 0 or an errno.
 */
int rename_new(int dir, const char *from, const char *to);

#endif
