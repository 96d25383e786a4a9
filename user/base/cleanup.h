/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cleanup: releases locals at the end of their scope. `_cleanup_free_ char *p` frees p there,
 * `take_ptr(p)` passes the ownership to the caller.
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
