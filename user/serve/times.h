/* SPDX-License-Identifier: Apache-2.0 */
/*
 * times: how long the steps of a request may take, and how many there are at a time, on both sides
 * of `gotap serve`.
 *
 * IDLE: how long a client may send nothing, or take nothing of an answer. TAKE: how long it may
 * take for an answer that is there. GRACE: how much longer than its time a recording may take, for
 * attaching, its end and its profile. QUEUE: how long a request waits for others.
 */
#ifndef GOTAP_SERVE_TIMES_H
#define GOTAP_SERVE_TIMES_H

enum { IDLE_SECONDS = 10, TAKE_SECONDS = 60, GRACE_SECONDS = 60, QUEUE_MS = 30000 };
/*
 * Connections at a time; as many requests can be under way. Each thread that handles one has a
 * stack of STACK bytes.
 */
enum { CONNECTIONS = 64, STACK = 256 << 10 };
#define SECOND_NS 1000000000ULL

#endif
