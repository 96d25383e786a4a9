/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_call: the log events about requests that the program sends with http.Transport. Their
 * category is HTTP_CALL_CATEGORY; the message is a line of KEY=VALUE as in read/http.h, in this
 * order. All durations are in ns.
 *
 *	ns		of the round trip, until the header of the response
 *	status		of the response
 *	error		1: there is none
 *	conn_wait	from asking for a connection to having it
 *	reused		1: the connection was in use before (HTTP/1)
 *	dial		of this new connection, with the handshake
 *	tls		the handshake
 *	first_byte	from having the connection to the first byte of the response (HTTP/1)
 *	attempts	connections that were asked for, if more than one
 *	path		of the URL; the last one, as it may be cut
 *
 * and in an event of its own, when the body has been read to its end or was closed (HTTP/1):
 *
 *	body		from the end of the round trip
 */
#ifndef GOTAP_READ_HTTP_CALL_H
#define GOTAP_READ_HTTP_CALL_H

#define HTTP_CALL_CATEGORY "gotap.http.client"

#endif
