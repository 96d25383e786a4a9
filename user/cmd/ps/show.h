/* SPDX-License-Identifier: Apache-2.0 */
/* show: the listing of `gotap ps` on stdout: a table for people, or JSON. */
#ifndef GOTAP_CMD_PS_SHOW_H
#define GOTAP_CMD_PS_SHOW_H

#include "cmd/ps/listing.h"

/*
 * Cuts the rows to the width of the terminal. Names on stderr the processes that gotap could not
 * look at.
 */
void ps_show_table(const struct listing *l);
void ps_show_json(const struct listing *l);

#endif
