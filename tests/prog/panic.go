// SPDX-License-Identifier: Apache-2.0

// panic recovers from panics for a while and then dies from one.
//
//	panic [-after D]
package main

import (
	"flag"
	"fmt"
	"time"
)

var after = flag.Duration("after", 500*time.Millisecond, "time before the last panic")

func recovering() {
	defer func() { recover() }()
	var m map[string]int
	m["nil map"] = 1
}

func tick() {
	for {
		recovering()
		time.Sleep(5 * time.Millisecond)
	}
}

func main() {
	flag.Parse()
	go tick()
	fmt.Println("ready")
	time.Sleep(*after)
	panic("the end")
}
