/* SPDX-License-Identifier: Apache-2.0 */
/* symbolize: the stage that deals with formats whose stacks are bare PCs. */
#ifndef GOTAP_V1_SYMBOLIZE_H
#define GOTAP_V1_SYMBOLIZE_H

struct v1_trace;

/* Turns the start PC of each GoCreate into the id of a stack of one frame. */
void v1_start_stacks(struct v1_trace *t);

#endif
