// SPDX-License-Identifier: Apache-2.0

// leak: each request leaves a goroutine behind that sends to a channel from which nobody receives.
package main

import "time"

func query() int {
	result := make(chan int)
	go func() { // BLAME
		result <- 1
	}()
	select {
	case n := <-result:
		return n
	default:
		return 0
	}
}

func sick() {
	go func() {
		for {
			query()
			time.Sleep(4 * time.Millisecond)
		}
	}()
}
