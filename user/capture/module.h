/* SPDX-License-Identifier: Apache-2.0 */
/*
 * module: which file of a process is the Go program: its executable, or a
 * shared library in it (-buildmode=c-shared). In: an open process. Out: the
 * file, and what the loader added to its addresses.
 */
#ifndef GOTAP_CAPTURE_MODULE_H
#define GOTAP_CAPTURE_MODULE_H

#include "base/error.h"
#include "capture/process.h"
#include "target/gobin.h"

/*
 * Opens the Go program of @p and sets p->module and p->bias. -ENOEXEC if there
 * is none; -ENOTSUP if there are several, each of which has a scheduler.
 */
int module_open(struct process *p, struct gobin **ret, struct error *err);

#endif
