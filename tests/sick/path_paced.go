// SPDX-License-Identifier: Apache-2.0

// path_paced is healthy: a ticker sets the pace, workers wait for work, one sleep is a part of a job. None of it is a pause between
// attempts.
package main

import "time"

func job() {
	work(100 * time.Microsecond)
	time.Sleep(2 * time.Millisecond)
	work(100 * time.Microsecond)
}

func sick() {
	jobs := make(chan bool)
	for i := 0; i < 2; i++ {
		go func() {
			for range jobs {
				job()
			}
		}()
	}
	go func() {
		for range time.Tick(10 * time.Millisecond) {
			jobs <- true
		}
	}()
}
