// SPDX-License-Identifier: Apache-2.0

// Makes any of the test programs a plugin: go build -buildmode=plugin, with this file beside it.
package main

func PluginMain() { main() }
