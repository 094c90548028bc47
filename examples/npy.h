// SPDX-License-Identifier: Apache-2.0
// Reads an array that NumPy has saved: versions 1 to 3 of the .npy format; float16, float32 or float64; little-endian;
// C order; any shape. C11 or C++.
#ifndef ONEPASS_EXAMPLES_NPY_H
#define ONEPASS_EXAMPLES_NPY_H

#include <stddef.h>  // size_t
#include <stdint.h>  // int64_t
#include <stdio.h>   // fopen, fread
#include <stdlib.h>  // malloc, free
#include <string.h>  // memcmp, strstr

typedef struct npy_array {
  void *data;         // to be freed by the caller
  int64_t elements;   // the product of the shape; 1 for a scalar
  int element_bytes;  // 2, 4 or 8
} npy_array_t;

// Where the value of a key of the header begins, or null.
static inline const char *npy_find(const char *header, const char *quoted_key) {
  const char *at = strstr(header, quoted_key);
  if (at == NULL) return NULL;
  at += strlen(quoted_key);
  while (*at == ' ' || *at == ':') ++at;
  return at;
}

// Type and shape out of a header such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }. Null on success,
// else what is wrong with it.
static inline const char *npy_parse(const char *header, npy_array_t *array) {
  const char *type = npy_find(header, "'descr'"), *order = npy_find(header, "'fortran_order'");
  const char *shape = npy_find(header, "'shape'");
  if (type == NULL || order == NULL || shape == NULL || *shape != '(') return "its header is damaged";

  if (*type == '[') return "it holds records, not numbers";
  if (strncmp(type, "'>", 2) == 0) return "its numbers are big-endian";
  if (strncmp(type, "'<f2'", 5) == 0) array->element_bytes = 2;
  else if (strncmp(type, "'<f4'", 5) == 0) array->element_bytes = 4;
  else if (strncmp(type, "'<f8'", 5) == 0) array->element_bytes = 8;
  else return "its numbers are not float16, float32 or float64";

  if (strncmp(order, "True", 4) == 0) return "it is in Fortran order: save numpy.ascontiguousarray of it";
  if (strncmp(order, "False", 5) != 0) return "its header is damaged";

  array->elements = 1;
  for (++shape; *shape != ')';) {
    int64_t size = 0;
    if (*shape < '0' || *shape > '9') return "its shape is damaged";
    for (; *shape >= '0' && *shape <= '9'; ++shape) {
      if (size > (INT64_MAX - 9) / 10) return "its shape is too large";
      size = 10 * size + (*shape - '0');
    }
    if (size > 0 && array->elements > INT64_MAX / array->element_bytes / size) return "its shape is too large";
    array->elements *= size;
    while (*shape == 'L' || *shape == ',' || *shape == ' ') ++shape;  // Python 2 wrote 3L
  }
  return NULL;
}

static inline const char *npy_read_file(FILE *file, npy_array_t *array) {
  unsigned char start[12] = {0};
  char header[65536] = {0};
  if (fread(start, 1, 10, file) != 10 || memcmp(start, "\x93NUMPY", 6) != 0) return "it is not a .npy file";
  if (start[6] < 1 || start[6] > 3) return "it is of an unknown version of the .npy format";
  size_t header_bytes = start[8] | (size_t)start[9] << 8;  // version 1; later ones take four bytes
  if (start[6] > 1) {
    if (fread(start + 10, 1, 2, file) != 2) return "it ends inside its header";
    header_bytes |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
  }
  if (header_bytes >= sizeof header) return "its header is longer than that of an array of numbers can be";
  if (fread(header, 1, header_bytes, file) != header_bytes) return "it ends inside its header";

  const char *fault = npy_parse(header, array);
  if (fault != NULL) return fault;
  const size_t bytes = (size_t)array->elements * (size_t)array->element_bytes;
  array->data = malloc(bytes > 0 ? bytes : 1);
  if (array->data == NULL) return "it is larger than the memory that is left";
  if (fread(array->data, 1, bytes, file) == bytes) return NULL;
  free(array->data);
  return "it ends before its last number";
}

// The array in a file. Null on success, else what is wrong with the file, and nothing is to be freed.
static inline const char *npy_read(const char *path, npy_array_t *array) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return "it cannot be opened";
  const char *fault = npy_read_file(file, array);
  fclose(file);
  return fault;
}

#endif
