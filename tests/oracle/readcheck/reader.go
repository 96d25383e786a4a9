// SPDX-License-Identifier: Apache-2.0

//go:build go1.23

package main

import (
	"internal/trace"
	"io"
)

// open returns a function that reads and renders one event.
func open(in io.Reader) (func() error, error) {
	r, err := trace.NewReader(in)
	if err != nil {
		return nil, err
	}
	return func() error {
		ev, err := r.ReadEvent()
		if err == nil {
			_ = ev.String()
		}
		return err
	}, nil
}
