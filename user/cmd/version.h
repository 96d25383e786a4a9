/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version: `gotap --version`: one line with the version, and below it how this gotap was built,
 * its libraries, and the kernel that it runs on. Nothing is tried: that is doctor's.
 */
#ifndef GOTAP_CMD_VERSION_H
#define GOTAP_CMD_VERSION_H

void version_print(void);

#endif
