/* SPDX-License-Identifier: Apache-2.0 */
/* shells: the parts of completions that no table has: the files of cmd/manual/shells. */
#ifndef GOTAP_CMD_MANUAL_SHELLS_H
#define GOTAP_CMD_MANUAL_SHELLS_H

extern const char shell_bash_text[], shell_zsh_text[], shell_fish_text[];

#endif
