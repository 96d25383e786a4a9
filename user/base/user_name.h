/* SPDX-License-Identifier: Apache-2.0 */
/* user_name: the name of a user of this machine. */
#ifndef GOTAP_BASE_USER_NAME_H
#define GOTAP_BASE_USER_NAME_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Writes the name of @uid, cut to @size bytes, or its number if it has none. A static gotap reads
 * /etc/passwd alone: other sources of names are shared libraries of the glibc that it was linked
 * with, which another machine does not have.
 */
void user_name(uid_t uid, char *name, size_t size);

#endif
