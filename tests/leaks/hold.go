// SPDX-License-Identifier: Apache-2.0

// Beside the programs of Go's runtime/testdata/testgoroutineleakprofile: in the place of the write of their profile, the
// program collects until a byte comes on its standard input, so that `gotap stacks --detect-leaks` can look first; then it
// writes the profile, and ends with its input.
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

func hold(prof *pprof.Profile) {
	time.Sleep(200 * time.Millisecond) // goroutines of the program reach where they block
	os.Stderr.WriteString("ready\n")
	asked := make(chan bool)
	go func() {
		var b [1]byte
		for {
			if n, _ := os.Stdin.Read(b[:]); n == 0 {
				os.Exit(0)
			}
			asked <- true
		}
	}()
	for {
		select {
		case <-asked:
			prof.WriteTo(os.Stdout, 2)
			os.Stderr.WriteString("written\n")
			<-asked
		case <-time.After(20 * time.Millisecond):
			runtime.GC()
		}
	}
}
