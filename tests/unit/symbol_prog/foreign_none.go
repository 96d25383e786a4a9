// SPDX-License-Identifier: Apache-2.0

//go:build !cgo
// +build !cgo

package main

func foreign() {}
