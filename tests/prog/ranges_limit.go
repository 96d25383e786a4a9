// SPDX-License-Identifier: Apache-2.0

//go:build go1.19

package main

import "runtime/debug"

func init() { setMemoryLimit = debug.SetMemoryLimit }
