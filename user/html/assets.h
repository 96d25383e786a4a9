/* SPDX-License-Identifier: Apache-2.0 */
/* assets: the files of assets/, unchanged, as data of the program. page.c puts them together. */
#ifndef GOTAP_HTML_ASSETS_H
#define GOTAP_HTML_ASSETS_H

struct asset {
	const char *begin, *end;
};

enum asset_name { ASSET_PAGE, ASSET_STYLE, ASSET_SCRIPTS, ASSETS = ASSET_SCRIPTS + 14 };

/*
 * The page has comments that mark the places of style, data, scripts and blocks. The scripts are in
 * the order in which they run.
 */
extern const struct asset assets[ASSETS];

#endif
