/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grpc: the log event at the end of a call of gRPC. Its category is GRPC_CATEGORY; the message is a
 * line of KEY=VALUE as in read/http.h, in this order.
 *
 *	side	server: the program served the call; client: it made the call
 *	kind	unary or stream; not there if the server found no handler for the method
 *	code	number of the status (google.golang.org/grpc/codes); not there if none was written,
 *		or if the error that ended the call is no status
 *	status	name of the code
 *	via	http: served through net/http (ServeHTTP)
 *	error	message of the status; the last one, as it may be cut
 *
 * The task of a served call has the name of the method, "/pkg.Service/Method"; that of a call that
 * the program made begins with GRPC_CALL_PREFIX.
 */
#ifndef GOTAP_READ_GRPC_H
#define GOTAP_READ_GRPC_H

#include <stdbool.h>
#include <stdint.h>

#define GRPC_CATEGORY "gotap.grpc"
#define GRPC_CALL_PREFIX "call "

/* Returns the name of the status code @code; NULL: package codes has no such code. */
const char *grpc_code_name(uint64_t code);
/*
 * Returns whether a status with @code means a fault of the server, by OpenTelemetry's semantic
 * conventions for spans of servers (rpc/grpc).
 */
bool grpc_code_is_fault(uint64_t code);

#endif
