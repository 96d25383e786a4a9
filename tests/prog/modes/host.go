// SPDX-License-Identifier: Apache-2.0

// host opens and runs the plugin that the environment variable PLUGIN names (plugged.go): at once, or on SIGUSR1 if
// PLUGIN_AFTER is "signal". Until then it sleeps for 1 ms at a time.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"plugin"
	"syscall"
	"time"
)

func awaitSignal() {
	begin := make(chan os.Signal, 1)
	signal.Notify(begin, syscall.SIGUSR1)
	fmt.Println("ready")
	for {
		select {
		case <-begin:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

func main() {
	if os.Getenv("PLUGIN_AFTER") == "signal" {
		awaitSignal()
	}
	p, err := plugin.Open(os.Getenv("PLUGIN"))
	if err == nil {
		var run plugin.Symbol
		if run, err = p.Lookup("PluginMain"); err == nil {
			run.(func())()
			return
		}
	}
	fmt.Fprintln(os.Stderr, "host:", err)
	os.Exit(1)
}
