/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_parts: the data of the page but for the blocks of the timeline: JSON, or varints.
 * assets/data.js reads them. page.c calls it.
 */
#ifndef GOTAP_HTML_PAGE_PARTS_H
#define GOTAP_HTML_PAGE_PARTS_H

#include "html/detail.h"

/* Parts that have stacks come before parts_stacks(), the others before parts_texts(). */
void parts_rows(struct buf *b, struct detail *d, const struct html_about *about);
void parts_objects(struct buf *b, struct detail *d, const struct html_about *about);
void parts_flames(struct buf *b, struct detail *d, const struct html_about *about);
void parts_stacks(struct buf *b, struct detail *d, const struct html_about *about);
void parts_texts(struct buf *b, struct detail *d, const struct html_about *about);
void parts_head(struct buf *b, struct detail *d, const struct html_about *about);
/*
 * The index of the blocks, which parts_index() sorts, and the times for which some were not marked
 * by detail_choose().
 */
void parts_index(struct buf *b, struct detail *d);

#endif
