// SPDX-License-Identifier: Apache-2.0
/*
 * assets: see assets.h. The directive .incbin reads the files, relative to the folder of the
 * Makefile, where make runs the compiler.
 */
#include "html/assets.h"

/* name, file */
#define FILES(FILE)			\
	FILE(page, "page.html")		\
	FILE(style, "page.css")		\
	FILE(data, "data.js")		\
	FILE(charts, "charts.js")	\
	FILE(flame, "flame.js")		\
	FILE(tables, "tables.js")	\
	FILE(lanes, "lanes.js")		\
	FILE(timeline, "timeline.js")	\
	FILE(pointer, "pointer.js")	\
	FILE(measure, "measure.js")	\
	FILE(units, "units.js")		\
	FILE(details, "details.js")	\
	FILE(search, "search.js")	\
	FILE(requests, "requests.js")	\
	FILE(state, "state.js")		\
	FILE(main, "main.js")

#define INCLUDE(name, file)									\
	__asm__(".pushsection .rodata\n"							\
		"html_asset_" #name ": .incbin \"user/html/assets/" file "\"\n"			\
		"html_asset_" #name "_end: .byte 0\n"						\
		".globl html_asset_" #name ", html_asset_" #name "_end\n"			\
		".popsection\n");								\
	extern const char html_asset_##name[], html_asset_##name##_end[];
#define ROW(name, file) { html_asset_##name, html_asset_##name##_end },

FILES(INCLUDE)

const struct asset assets[ASSETS] = { FILES(ROW) };
