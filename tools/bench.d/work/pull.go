// SPDX-License-Identifier: Apache-2.0

package main

import "iter"

func forever(yield func(int) bool) {
	for i := 0; yield(i); i++ {
	}
}

// pull: an operation is a value out of iter.Pull: to the coroutine and back.
func pull(n int) {
	next, stop := iter.Pull(forever)
	defer stop()
	for i := 0; i < n; i++ {
		next()
	}
}
