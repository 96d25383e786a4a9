/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image: the code that `--attach inline` puts into the target: bpf/inline, linked into a small ELF
 * file that gotap carries. It is position-independent; the page after it is the target's own data
 * (struct inline_control). The caller sets knobs and sites, and then has the bytes to write.
 */
#ifndef GOTAP_INLINE_IMAGE_H
#define GOTAP_INLINE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "inline.h"

struct image {
	uint8_t *code;		/* the bytes to write, owned */
	size_t size;		/* bytes, a multiple of 4096: code, constants and sites */
};

/*
 * Makes a copy to fill in, which image_free() frees. It cannot fail, since the embedded file is
 * gotap's own.
 */
void image_init(struct image *im);
void image_free(struct image *im);
/*
 * Sets the constant @name of include/knobs.def; @size must be that of its type.
 */
void image_put(struct image *im, const char *name, const void *value, size_t size);
/*
 * Sets the places of the parts of the shared memory, from @shared, the header of that memory.
 * Without this call the code makes no record.
 */
void image_set_layout(struct image *im, const struct inline_shared *shared);
/* Sets site @i, below INLINE_SITES. */
void image_set_site(struct image *im, size_t i, const struct inline_site *site);
/*
 * Offsets from the begin of the code: of the stub of site @i, and of a byte that is never 0 (for
 * trace hooks).
 */
size_t image_stub(size_t i);
size_t image_true_byte(void);
/*
 * CPU ns of one record (the mean of one with the fence of bpf/inline/order.h and one without), of
 * its stack and of a frame. image_measure() measures them by running the image in gotap itself
 * (capture/budget.h). 0 or a negative errno, with a text.
 */
struct image_prices {
	double record, stack, frame;
};
int image_measure(struct image_prices *ret, struct error *err);

#endif
