/* SPDX-License-Identifier: Apache-2.0 */
/*
 * response: the body of a receiver's answer in protobuf: an ExportTraceServiceResponse, or, by a
 * status of HTTP that is an error, a google.rpc.Status. It may be hostile.
 */
#ifndef GOTAP_OTLP_RESPONSE_H
#define GOTAP_OTLP_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OTLP_MESSAGE = 256 };

struct otlp_response {
	uint64_t rejected;		/* spans that the receiver did not take */
	char message[OTLP_MESSAGE];	/* cut; may have any bytes but NUL; "": none */
};

/* Reads the partial success. False: it is no such message; then @ret is empty. */
bool response_read(const void *data, size_t n, struct otlp_response *ret);
/* Reads the message of a Status. False: it is none. */
bool response_read_status(const void *data, size_t n, struct otlp_response *ret);

#endif
