/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rpc: calls of gRPC that the program makes and that have not ended, for the programs of
 * probe_grpc.bpf.c, which are compiled twice (old.bpf.c) and share one map. A program that has more
 * of them open at a time than the map has room for loses the ends of the oldest ones.
 */
#ifndef GOTAP_BPF_RPC_H
#define GOTAP_BPF_RPC_H

#include "common.h"

struct rpc {
	__u64 token;		/* the key of its records */
	__u64 stream;		/* *clientStream; 0: not known yet */
	__u64 outer;		/* the token of a call in which the goroutine makes this one */
	__u64 depth;		/* of the stack in the function that calls newClientStream */
	__u64 kind;		/* OP_GRPC_CALL or OP_GRPC_STREAM */
};

#define RPC_TOKEN (1ULL << 63)	/* no address has it */

struct rpcs_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 32768);	/* user space adds some for each CPU */
	__type(key, __u64);
	__type(value, struct rpc);
};

/*
 * Address of a g -> the call that it makes, or the stream that it opens; address of a
 * *clientStream -> the stream; RPC_TOKEN | token -> the call in which a goroutine makes another
 * one. Defined in emit.bpf.c.
 */
extern struct rpcs_map rpcs SEC(".maps");

#endif
