// SPDX-License-Identifier: Apache-2.0

// host runs the plugin that the environment variable PLUGIN names (plugged.go).
package main

import (
	"fmt"
	"os"
	"plugin"
)

func main() {
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
