// SPDX-License-Identifier: Apache-2.0

// exitquick runs a few goroutines and exits.
//
//	exitquick [-n GOROUTINES] [-status N] [-after D] [-await FILE]
package main

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"time"
)

var (
	n      = flag.Int("n", 10, "goroutines")
	status = flag.Int("status", 0, "exit status")
	after  = flag.Duration("after", 0, "time before the goroutines start")
	await  = flag.String("await", "", "wait with them until there is this file, ten minutes at most")
)

func work(wg *sync.WaitGroup) {
	defer wg.Done()
	time.Sleep(time.Millisecond)
}

func awaitFile(name string) {
	for i := 0; i < 30000; i++ {
		if _, err := os.Stat(name); err == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	fmt.Fprintln(os.Stderr, "exitquick: ten minutes have passed without", name)
	os.Exit(1)
}

func main() {
	flag.Parse()
	fmt.Println("ready")
	time.Sleep(*after)
	if *await != "" {
		awaitFile(*await)
	}
	var wg sync.WaitGroup
	wg.Add(*n)
	for i := 0; i < *n; i++ {
		go work(&wg)
	}
	wg.Wait()
	os.Exit(*status)
}
