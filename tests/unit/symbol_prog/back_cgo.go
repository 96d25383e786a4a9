// SPDX-License-Identifier: Apache-2.0

//go:build cgo
// +build cgo

package main

// extern void goBack(int);
// void call_back(int n) { goBack(n); }
import "C"
