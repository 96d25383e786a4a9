/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core: an image as an ELF core file, as the kernel writes them: for live/corefile.h, gdb and
 * Delve. In: a moment, and the process, of which the list of files and the auxiliary vector are
 * read. Out: a file.
 */
#ifndef GOTAP_MOMENT_CORE_H
#define GOTAP_MOMENT_CORE_H

#include "moment/moment.h"

enum { MOMENT_PATH = 32 };

/*
 * Makes m->memory itself a core file, without a copy: each segment is at the offset that is its
 * address. Stores its path, which exists until moment_free(). Errors: -errno with a text.
 */
int core_in_place(struct moment *m, const struct process *p, char path[MOMENT_PATH],
		  struct error *err);
/*
 * Writes a core file to @fd, which is empty and can be sought; pages of zeros become holes. -errno
 * with a text; -EINTR: @stop (may be NULL) asks to stop.
 */
int core_write(const struct moment *m, const struct process *p, int fd,
	       const struct stop_request *stop, struct error *err);

#endif
