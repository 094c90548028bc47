/* SPDX-License-Identifier: Apache-2.0
   The little of the CUDA runtime that main.c needs, without its headers. */
#ifndef ONEPASS_EXAMPLES_DEVICE_MEMORY_H
#define ONEPASS_EXAMPLES_DEVICE_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

int device_count(void);                                    /* 0 also where there is no driver */
void *to_device(const void *host, size_t bytes);           /* a copy, or zeros if host is null; null if it fails */
int to_host(void *host, const void *device, size_t bytes); /* 0 on success; waits for what was launched before */
void device_free(void *device);

#ifdef __cplusplus
}
#endif

#endif
