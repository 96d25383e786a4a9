/* SPDX-License-Identifier: Apache-2.0 */
/*
 * empty_root: a root directory without anything in it, for a process that is to reach no file by a
 * name. base/rights gives up the right to leave it.
 */
#ifndef GOTAP_BASE_EMPTY_ROOT_H
#define GOTAP_BASE_EMPTY_ROOT_H

#include "base/error.h"

/*
 * Makes a folder, removes its name and makes it the root and the working directory of this process:
 * nothing can be made in a folder without a name. 0, also where the process has no right to change
 * its root; else a negative errno.
 */
int empty_root_enter(struct error *err);

#endif
