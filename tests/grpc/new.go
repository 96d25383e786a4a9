// SPDX-License-Identifier: Apache-2.0

//go:build !grpc_old
// +build !grpc_old

package main

import "google.golang.org/grpc"

func serverOptions(workers int) []grpc.ServerOption {
	return []grpc.ServerOption{grpc.NumStreamWorkers(uint32(workers))}
}

var waits = grpc.WaitForReady(true)
