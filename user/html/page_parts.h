/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_parts: the data of the page except the blocks of the timeline, as JSON or varints.
 * assets/data.js reads them. page.c calls it.
 */
#ifndef GOTAP_HTML_PAGE_PARTS_H
#define GOTAP_HTML_PAGE_PARTS_H

#include "html/detail.h"

/*
 * Parts with stacks must be made before parts_stacks(), and parts with texts before parts_texts().
 */
void parts_rows(struct buf *b, struct detail *d, const struct html_about *about);
void parts_objects(struct buf *b, struct detail *d, const struct html_about *about);
void parts_flames(struct buf *b, struct detail *d, const struct html_about *about);
void parts_stacks(struct buf *b, struct detail *d, const struct html_about *about);
void parts_texts(struct buf *b, struct detail *d, const struct html_about *about);
void parts_head(struct buf *b, struct detail *d, const struct html_about *about);
/*
 * Writes the index of the blocks. Adjacent blocks that detail_choose() did not mark become one
 * entry without data. Sorts the blocks.
 */
void parts_index(struct buf *b, struct detail *d);

#endif
