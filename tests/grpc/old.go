// SPDX-License-Identifier: Apache-2.0

//go:build grpc_old
// +build grpc_old

package main

import "google.golang.org/grpc"

// Up to 1.29 the server has no workers.
func serverOptions(workers int) []grpc.ServerOption { return nil }

var waits = grpc.WaitForReady(true)
