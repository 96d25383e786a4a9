// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/gin-gonic/gin"

func ginItem(c *gin.Context) { c.String(201, "gin") }

func init() {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.GET("/gin/:id", ginItem)
	more["gin"] = e
}
