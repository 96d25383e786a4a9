// SPDX-License-Identifier: Apache-2.0

// host runs the plugin that the environment variable PLUGIN names (plugged.go), after the time in PLUGIN_AFTER.
package main

import (
	"fmt"
	"os"
	"plugin"
	"time"
)

func main() {
	if after, err := time.ParseDuration(os.Getenv("PLUGIN_AFTER")); err == nil {
		fmt.Println("ready")
		for end := time.Now().Add(after); time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
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
