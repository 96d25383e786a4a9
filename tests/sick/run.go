// SPDX-License-Identifier: Apache-2.0

// run.go is the main program of each file in this folder, which defines sick(): it starts what is to be found.
//
//	PROGRAM [-dur D] [-trace FILE]
//
// The line that is to blame has the comment "BLAME".
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/trace"
	"time"
)

var (
	dur  = flag.Duration("dur", time.Second, "how long to go on")
	file = flag.String("trace", "", "write the runtime's own trace to this file")
)

// work uses a CPU for as long as said.
func work(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	flag.Parse()
	sick()
	fmt.Println("ready")
	if *file != "" {
		f, err := os.Create(*file)
		check(err)
		check(trace.Start(f))
		defer trace.Stop()
	}
	time.Sleep(*dur)
}
