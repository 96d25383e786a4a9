// SPDX-License-Identifier: Apache-2.0
/*
 * no_tls: the functions of GnuTLS that Debian's libmicrohttpd.a (0.9.75, 1.0.1) refers to, for a
 * static gotap. GnuTLS itself cannot be linked statically: it needs p11-kit, which loads shared
 * libraries. libmicrohttpd initializes GnuTLS once, and calls the other functions only in a server
 * that was started with MHD_USE_TLS, which gotap's is not (front_daemon.c): they end the process.
 * Nobody in gotap calls this file.
 */
#ifdef GOTAP_STATIC

#include <stdlib.h>

#define NO_TLS_FUNCTIONS(X) \
	X(alpn_set_protocols) X(bye) X(certificate_allocate_credentials) \
	X(certificate_free_credentials) X(certificate_server_set_request) \
	X(certificate_set_dh_params) X(certificate_set_retrieve_function2) \
	X(certificate_set_retrieve_function3) X(certificate_set_x509_key_mem) \
	X(certificate_set_x509_key_mem2) X(certificate_set_x509_trust_mem) \
	X(cipher_get) X(credentials_set) X(deinit) X(dh_params_deinit) \
	X(dh_params_import_pkcs3) X(dh_params_init) X(handshake) X(init) \
	X(priority_deinit) X(priority_init) X(priority_init2) X(priority_set) \
	X(protocol_get_version) X(psk_allocate_server_credentials) \
	X(psk_free_server_credentials) X(psk_set_server_credentials_function) \
	X(record_check_pending) X(record_get_direction) X(record_recv) X(record_send) \
	X(session_get_ptr) X(session_set_ptr) X(transport_set_int2)

#define X(name)                  \
	void gnutls_##name(void); \
	void gnutls_##name(void)  \
	{                        \
		abort();         \
	}
NO_TLS_FUNCTIONS(X)
#undef X

/* Both are called in a server without TLS, too. */
int gnutls_global_init(void);
void gnutls_global_deinit(void);
const char *gnutls_strerror(int error);
extern void *(*gnutls_malloc)(size_t size);

int gnutls_global_init(void)
{
	return 0;
}

void gnutls_global_deinit(void)
{
}

const char *gnutls_strerror(int error)
{
	return "no TLS";
}

void *(*gnutls_malloc)(size_t size) = malloc;

#else

typedef int no_tls_is_empty;	/* C wants a declaration in each file */

#endif
