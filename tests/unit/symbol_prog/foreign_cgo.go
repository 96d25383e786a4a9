// SPDX-License-Identifier: Apache-2.0

//go:build cgo
// +build cgo

package main

// void call_back(int n);
import "C"

//export goBack
func goBack(n C.int) { outer(int(n)) }

func foreign() { C.call_back(7) }
