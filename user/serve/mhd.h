/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mhd: libmicrohttpd, loaded when a server starts. Linked, it would come with each gotap command,
 * and with it GnuTLS: nine libraries, 10 MB of addresses, and a line of GnuTLS's on stderr where
 * memory is short. A static gotap has it linked, without GnuTLS (no_tls.c). Only the front calls it
 * (front.h).
 */
#ifndef GOTAP_SERVE_MHD_H
#define GOTAP_SERVE_MHD_H

#include <microhttpd.h>

#include "base/error.h"

/* The functions of it that gotap calls, by their names without MHD_. */
#define MHD_FUNCTIONS(X) \
	X(add_connection) X(add_response_header) X(create_response_from_buffer) \
	X(create_response_from_callback) X(destroy_response) \
	X(get_connection_info) X(get_connection_values) \
	X(lookup_connection_value) X(queue_response) \
	X(set_connection_option) X(start_daemon) X(stop_daemon)

struct mhd {
#define X(name) __typeof__(&MHD_##name) name;
	MHD_FUNCTIONS(X)
#undef X
};

/* All NULL before mhd_load(). */
extern struct mhd mhd;

/*
 * Loads it for as long as the process lives; a static gotap has it already. -ENOENT: it is not
 * installed, or lacks one of these functions.
 */
int mhd_load(struct error *err);

#endif
