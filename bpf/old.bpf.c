// SPDX-License-Identifier: GPL-2.0
/*
 * old: the programs for Go up to 1.20, named *_old: the same sources, with the registers, prologues
 * and frames of these releases (goabi.h).
 */
#define GO_OLD
#include "common.h"

#include "probe_go.bpf.c"
#include "probe_proc.bpf.c"
#include "probe_heap.bpf.c"
#include "probe_sweep.bpf.c"
#include "probe_assist.bpf.c"
#include "probe_user.bpf.c"
#include "probe_labels.bpf.c"
#include "probe_alloc.bpf.c"
#include "probe_sockets.bpf.c"
#include "probe_end.bpf.c"
#include "probe_http.bpf.c"
#include "probe_http2.bpf.c"
#include "probe_http_call.bpf.c"
#include "probe_http_route.bpf.c"
#include "probe_region.bpf.c"
#include "probe_sql.bpf.c"
#include "probe_grpc.bpf.c"
#include "probe_grpc_end.bpf.c"
