// SPDX-License-Identifier: Apache-2.0

// starved: functions that compute without a stop have all Ps; those with little to do wait for one.
package main

import (
	"crypto/sha256"
	"runtime"
	"time"
)

var sums [64][sha256.Size]byte

func hog(i int) {
	data := make([]byte, 1<<16)
	for {
		sums[i] = sha256.Sum256(data) // BLAME
	}
}

func serve() {
	for {
		time.Sleep(time.Millisecond)
	}
}

func sick() {
	for i := 0; i < 4; i++ {
		go serve()
	}
	for i := 0; i < 2*runtime.GOMAXPROCS(0); i++ {
		go hog(i)
	}
}
