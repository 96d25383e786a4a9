// SPDX-License-Identifier: Apache-2.0

// path_ccall: a request is a call of C that sleeps. EXPLAIN marks the line.
package main

// #include <unistd.h>
import "C"

import "time"

func request() {
	C.usleep(4000) // EXPLAIN in C code (cgo)
}

func sick() {
	go func() {
		for {
			go request()
			time.Sleep(10 * time.Millisecond)
		}
	}()
}
