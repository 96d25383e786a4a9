// SPDX-License-Identifier: Apache-2.0

//go:build go1.24

package main

import "runtime"

func init() {
	attachCleanup = func(run func()) { runtime.AddCleanup(new(object), func(f func()) { f() }, run) }
}
