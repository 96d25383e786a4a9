/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grpc_layout: where the fields of google.golang.org/grpc are that a record of a call needs. In: a
 * Go binary. Out: struct grpc_layout (include/grpc.h), and functions of that module.
 *
 * Few programs say which version of the module they have (those of Debian do not), and fields of
 * struct Stream have moved in many versions, so that all is read from the code:
 *
 *	method	(*Server).handleStream tests whether the first byte of stream.Method() is '/'
 *	code	(*Status).Code returns it; Message is the field behind it, in both forms of the
 *		message (golang/protobuf up to 1.3: Code at 0; later at 40)
 *	error	(*Error).GRPCStatus returns e.s; in versions without an s it makes a Status (a
 *		call), and (*Error).Error loads the code, from the Error or through its pointer
 */
#ifndef GOTAP_TARGET_GRPC_LAYOUT_H
#define GOTAP_TARGET_GRPC_LAYOUT_H

#include "grpc.h"
#include "target/gobin.h"

/* Fills @ret. A field that is not found has GO_OFFSET_NONE, a form GRPC_ERROR_UNKNOWN. */
void grpc_layout_find(const struct gobin *b, struct grpc_layout *ret);
/*
 * Stores the address of the method Error of the error by which the module passes on a status.
 * -ENOENT if the program has none.
 */
int grpc_error_method(const struct gobin *b, uint64_t *ret);

#endif
