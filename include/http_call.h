/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_call: the records of requests that net/http sends as a client (bpf/probe_http_call.bpf.c),
 * as operations (op_kind.h). Both sides compile this header.
 *
 * HTTP_CALL	a round trip of http.Transport. Begin: id is the *http.Request; method and host.
 *		End: the first text is the path; stack: the status, 0: there is no response; arg:
 *		Response.ContentLength
 * HTTP_DIAL	a new connection; begin: the address. End: arg is the *persistConn
 * HTTP_TLS	its TLS handshake
 * HTTP_BODY	end: id is the *persistConn of which the response has been read, or which is closed
 */
#ifndef GOTAP_HTTP_CALL_H
#define GOTAP_HTTP_CALL_H

/* Flags of the kind in the record of an end. */
enum http_call_end {
	HTTP_CALL_ERROR = 1,	/* the function returned an error */
};

/* Flags of the kind in REC_OP_STEP of HTTP_CALL: the steps. */
enum http_call_step {
	HTTP_CALL_ASKS_CONN,	/* it asks for a connection */
	HTTP_CALL_HAS_CONN,	/* id: the *persistConn; 0: one of HTTP/2 */
	HTTP_CALL_FIRST_BYTE,	/* id: the *persistConn of which a response begins */
};

/* In all releases from Go 1.15 to 1.27. */
enum {
	HTTP_CALL_URL_HOST = 40,	/* url.URL.Host */
	HTTP_CALL_STATUS = 16,		/* http.Response.StatusCode */
	HTTP_CALL_LENGTH = 80,		/* http.Response.ContentLength */
};

#endif
