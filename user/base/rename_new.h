/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rename_new: gives a file a name that no other file has. For files that are written under another
 * name until they are whole.
 */
#ifndef GOTAP_BASE_RENAME_NEW_H
#define GOTAP_BASE_RENAME_NEW_H

/*
 * Both names are in the folder @dir. Unlike rename(2) it never replaces what is at @to: EEXIST.
 * Returns 0 or an errno.
 */
int rename_new(int dir, const char *from, const char *to);

#endif
