// SPDX-License-Identifier: Apache-2.0

// run.go is the main program of each file in this folder, which defines sick(): it starts what is to be found. The
// line that is to blame has the comment BLAME.
//
//	PROGRAM [-dur D] [-trace FILE] [-after D]
//
// The runtime's own trace is written for -dur; FILE.whole says that it is whole. The program goes on for -after.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/trace"
	"time"
)

var (
	dur   = flag.Duration("dur", time.Second, "length of the runtime's own trace")
	after = flag.Duration("after", 0, "how long to go on after it")
	file  = flag.String("trace", "", "write the runtime's own trace to this file")
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

func ownTrace() {
	f, err := os.Create(*file)
	check(err)
	check(trace.Start(f))
	time.Sleep(*dur)
	trace.Stop()
	check(f.Close())
	check(os.WriteFile(*file+".whole", nil, 0o666))
}

func main() {
	flag.Parse()
	sick()
	fmt.Println("ready")
	if *file == "" {
		time.Sleep(*dur)
	} else {
		ownTrace()
	}
	time.Sleep(*after)
}
