/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cleanup: scope-bound release of locals. `_cleanup_free_ char *p` frees p at
 * the end of its scope, `take_ptr(p)` hands it over to somebody else.
 */
#ifndef GOTAP_BASE_CLEANUP_H
#define GOTAP_BASE_CLEANUP_H

#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define _cleanup_free_ __attribute__((cleanup(cleanup_free)))
#define _cleanup_close_ __attribute__((cleanup(cleanup_close)))

#define take_ptr(p) ({ __typeof__(p) taken_ = (p); (p) = NULL; taken_; })

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#endif
