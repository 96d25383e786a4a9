// SPDX-License-Identifier: Apache-2.0
/* grpc: see grpc.h. */
#include "read/grpc.h"

#include <stddef.h>

static const struct {
	const char *name;
	bool fault;
} grpc_codes[] = {
	{ "OK", false }, { "Canceled", false }, { "Unknown", true }, { "InvalidArgument", false },
	{ "DeadlineExceeded", true }, { "NotFound", false }, { "AlreadyExists", false },
	{ "PermissionDenied", false }, { "ResourceExhausted", false },
	{ "FailedPrecondition", false }, { "Aborted", false }, { "OutOfRange", false },
	{ "Unimplemented", true }, { "Internal", true }, { "Unavailable", true },
	{ "DataLoss", true }, { "Unauthenticated", false },
};

enum { GRPC_CODES = sizeof(grpc_codes) / sizeof(*grpc_codes) };

const char *grpc_code_name(uint64_t code)
{
	return code < GRPC_CODES ? grpc_codes[code].name : NULL;
}

bool grpc_code_is_fault(uint64_t code)
{
	return code < GRPC_CODES && grpc_codes[code].fault;
}
