// SPDX-License-Identifier: Apache-2.0

// starved: functions that compute without a stop have all Ps; those with little to do wait for one.
package main

import (
	"runtime"
	"time"
)

var sum int

func hog() {
	for i := 0; ; i++ {
		sum += i // BLAME
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
		go hog()
	}
}
