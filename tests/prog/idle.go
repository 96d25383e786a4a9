// SPDX-License-Identifier: Apache-2.0

// idle parks all goroutines for ever, like a program that hangs.
//
//	idle [-after D] [-then exit|exec]
//
// With -after it hangs for that long, and then exits, or execs /bin/true.
package main

import (
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"
)

var (
	after = flag.Duration("after", 0, "how long to hang (0: for ever)")
	then  = flag.String("then", "exit", "what comes after that")
)

func main() {
	flag.Parse()
	go func() { select {} }()
	fmt.Println("ready")
	if *after == 0 {
		*after = 1000 * time.Hour
	}
	time.Sleep(*after)
	if *then == "exec" {
		fmt.Println(syscall.Exec("/bin/true", []string{"true"}, os.Environ()))
	}
}
