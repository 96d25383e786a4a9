/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grpc: calls of google.golang.org/grpc: where the probes find their data, and the words of their
 * records. Both sides compile this header.
 */
#ifndef GOTAP_GRPC_H
#define GOTAP_GRPC_H

/* How the error that a call ends with leads to the message google.rpc.Status. */
enum grpc_error_form {
	GRPC_ERROR_UNKNOWN,
	GRPC_ERROR_IS_PROTO,	/* *statusError, *Error are *spb.Status (up to grpc 1.29) */
	GRPC_ERROR_HAS_PROTO,	/* Error{e *spb.Status} */
	GRPC_ERROR_HAS_STATUS,	/* Error{s *Status}, Status{s *spb.Status} */
};

/*
 * Offsets of fields; GO_OFFSET_NONE: not known. user/target/grpc_layout.h has their sources.
 */
struct grpc_layout {
	unsigned int method;	/* Stream.method */
	/* of the pointer to the Stream in ServerStream (grpc 1.69 to 1.76); GO_OFFSET_NONE: none */
	unsigned int method_in;
	unsigned int code;	/* spb.Status.Code; Message is behind it */
	unsigned int error_form;	/* enum grpc_error_form */
};

enum {
	GRPC_CODE_TO_MESSAGE = 8,	/* from the 32-bit Code to the string Message */
	GRPC_MESSAGE_MOST = 256,	/* bytes of a message in a record */
	GRPC_ITAB_METHOD = 24,		/* runtime.itab.fun[0] */
	/* of grpc.StreamDesc */
	GRPC_DESC_NAME_LEN = 8,
	GRPC_DESC_FLAGS = 24,		/* two bools: ServerStreams, ClientStreams */
	GRPC_CODE_UNKNOWABLE = 0xffffffff,	/* the error is no status */
};

/* Flags of the records of a call (op_kind.h). */
enum grpc_flags {
	/* of REC_OP_NOTE, the status: by the caller of WriteStatus */
	GRPC_UNARY = 1,
	GRPC_STREAM = 2,
	GRPC_OVER_HTTP = 4,	/* served through net/http */
};

#endif
