// SPDX-License-Identifier: Apache-2.0

// world_stopped: a goroutine reads the statistics of memory again and again, which stops the world.
package main

import (
	"runtime"
	"time"
)

func observe() {
	var m runtime.MemStats
	for {
		runtime.ReadMemStats(&m) // BLAME
	}
}

func serve() {
	for {
		work(100 * time.Microsecond)
		time.Sleep(time.Millisecond)
	}
}

func sick() {
	go observe()
	go serve()
}
