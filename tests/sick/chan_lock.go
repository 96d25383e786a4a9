// SPDX-License-Identifier: Apache-2.0

// chan_lock: a channel with room for one is a lock, held over a sleep.
package main

import "time"

var slots = make(chan struct{}, 1)

func request() {
	slots <- struct{}{}
	call() // BLAME
	<-slots
}

func call() {
	time.Sleep(10 * time.Millisecond)
}

func sick() {
	for i := 0; i < 6; i++ {
		go func() {
			for {
				request()
			}
		}()
	}
}
