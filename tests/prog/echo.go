// SPDX-License-Identifier: Apache-2.0

// echo prints its arguments, one per line, then copies what it reads to what it writes. An interrupt makes it say so
// and end with status 7.
//
//	echo [ARG...]
package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	go func() {
		<-interrupts
		fmt.Println("interrupted")
		os.Exit(7)
	}()
	fmt.Println("ready")
	for _, arg := range os.Args[1:] {
		fmt.Println(arg)
	}
	io.Copy(os.Stdout, os.Stdin)
}
