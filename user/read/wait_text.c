// SPDX-License-Identifier: Apache-2.0
/* wait_text: see wait_text.h. */
#include "read/wait_text.h"

#include <arpa/inet.h>
#include <string.h>

#include "read/put.h"

const char *wait_protocol_name(uint8_t protocol)
{
	static const char *const names[] = { "", "tcp", "udp", "unix" };

	return protocol < sizeof(names) / sizeof(names[0]) ? names[protocol] : "";
}

void wait_text_address(struct buf *out, const uint8_t address[16], uint16_t port)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	char text[INET6_ADDRSTRLEN];

	if (!memcmp(address, mapped, sizeof(mapped))) {
		inet_ntop(AF_INET, address + sizeof(mapped), text, sizeof(text));
		put_text(out, text);
	} else {
		inet_ntop(AF_INET6, address, text, sizeof(text));
		put_byte(out, '[');
		put_text(out, text);
		put_byte(out, ']');
	}
	put_byte(out, ':');
	put_uint(out, port);
}

uint64_t wait_socket_inode(const struct trace_socket *s)
{
	uint64_t inode;

	memcpy(&inode, s->local, sizeof(inode));
	return inode;
}

static void wait_text_socket(struct buf *out, const struct trace_socket *s)
{
	if (!s->protocol)
		return;
	put_word(out, " (");
	put_text(out, wait_protocol_name(s->protocol));
	put_byte(out, ' ');
	if (s->protocol == TRACE_UNIX) {
		put_uint(out, wait_socket_inode(s));
		put_text(out, s->local_port ? ", accepted)" : ", connected)");
		return;
	}
	wait_text_address(out, s->local, s->local_port);
	if (s->remote_port) {
		put_word(out, " to ");
		wait_text_address(out, s->remote, s->remote_port);
	}
	put_byte(out, ')');
}

static void wait_text_object(struct buf *out, const struct trace_wait *w, unsigned int i)
{
	int cap = wait_capacity(w, i);

	if (w->kind == WAIT_NETWORK) {
		put_word(out, " descriptor ");
		put_uint(out, wait_address(w, i));
		wait_text_socket(out, &w->network.socket);
		return;
	}
	put_word(out, " 0x");
	put_hex(out, wait_address(w, i));
	if (cap < 0)
		return;
	put_word(out, " (");
	put_uint(out, (uint64_t)cap);
	put_text(out, cap == WAIT_CAP_MOST - 1 ? "+)" : ")");
}

void wait_text(struct buf *out, const struct trace_wait *w)
{
	unsigned int i;

	put_text(out, wait_kind_name(w->kind));
	for (i = 0; i < w->n; i++)
		wait_text_object(out, w, i);
	if (w->more)
		put_word(out, " ...");
}
