/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait_text: the object that a goroutine waits for, in words: "channel 0xc000012070 (7)", "mutex
 * 0x65a5a0", "network descriptor 4 (tcp 127.0.0.1:57102 to 127.0.0.1:80)", "select 0xc000012070 (7)
 * 0xc000012100 (0)". A channel has its capacity in brackets; + after it: that capacity or a larger
 * one.
 */
#ifndef GOTAP_READ_WAIT_TEXT_H
#define GOTAP_READ_WAIT_TEXT_H

#include "base/vec.h"
#include "trace/wait.h"

/* Appends the words to @out, without a NUL. */
void wait_text(struct buf *out, const struct trace_wait *wait);

/* "tcp", "udp", "unix"; "": not known. */
const char *wait_protocol_name(uint8_t protocol);
/* The inode that stands for a connection of AF_UNIX. */
uint64_t wait_socket_inode(const struct trace_socket *s);
/* Appends "127.0.0.1:80" or "[::1]:80". */
void wait_text_address(struct buf *out, const uint8_t address[16], uint16_t port);

#endif
