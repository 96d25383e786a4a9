/* SPDX-License-Identifier: Apache-2.0 */
/* detail_internal: what detail.c uses of detail_plan.c. */
#ifndef GOTAP_HTML_DETAIL_INTERNAL_H
#define GOTAP_HTML_DETAIL_INTERNAL_H

#include "html/detail.h"

/* Makes the tracks and the windows. */
void detail_plan(struct detail *d, const struct html_about *about, size_t room);

#endif
