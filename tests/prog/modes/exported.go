// SPDX-License-Identifier: Apache-2.0

// Makes any of the test programs a library for C: go build -buildmode=c-shared, or c-archive, with this file beside it.
package main

import "C"

//export GoMain
func GoMain() { main() }
