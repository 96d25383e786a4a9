// SPDX-License-Identifier: Apache-2.0

// tiny_writes: a goroutine writes byte by byte.
package main

import "os"

func save(f *os.File) {
	for {
		_, err := f.Write([]byte{'x'}) // BLAME
		check(err)
	}
}

func sick() {
	f, err := os.OpenFile("/dev/null", os.O_WRONLY, 0)
	check(err)
	go save(f)
}
