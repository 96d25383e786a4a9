/* SPDX-License-Identifier: Apache-2.0 */
/* detail_internal: the function of detail_plan.c that detail.c calls. */
#ifndef GOTAP_HTML_DETAIL_INTERNAL_H
#define GOTAP_HTML_DETAIL_INTERNAL_H

#include "html/detail.h"

/* Decides on the tracks, their levels and the windows, so that about @room bytes are enough. */
void detail_plan(struct detail *d, const struct html_about *about, size_t room);

#endif
