/* Made by Ricci. */
#ifndef RICCI_F_2E_H
#define RICCI_F_2E_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* F computes F(float32(volume_Z, volume_Y, volume_X) volume, float32(3, 3) volume_directions, float32(3) volume_origin, float32(N, 3) p) -> (float32(N) value, bool(N) inside).

     volume: in, float32, shape (volume_Z, volume_Y, volume_X)
     volume_directions: in, float32, shape (3, 3)
     volume_origin: in, float32, shape (3)
     p: in, float32, shape (N, 3)
     value: out, float32, shape (N)
     inside: out, bool, shape (N)
     volume_X: the size volume_X
     volume_Y: the size volume_Y
     volume_Z: the size volume_Z
     N: the size N

   Arrays are dense and row-major, and outputs share no memory with other arguments.
   Any number of threads may call the function at a time, each with a stack of at least 2.1 MB.
   It returns 0, or the code of an error, after which outputs are undefined:

      -1  there is no memory for temporaries
      -2  the address of an array is NULL
      -3  the sizes are too large, or divide by zero
      -4  volume_X must be at least 1
      -5  volume_Y must be at least 1
      -6  volume_Z must be at least 1
      -7  N must not be negative
      -8  volume_X >= 4 must hold: bspln3 needs 4 samples on each axis of volume
      -9  volume_Y >= 4 must hold: bspln3 needs 4 samples on each axis of volume
     -10  volume_Z >= 4 must hold: bspln3 needs 4 samples on each axis of volume */
int F(const float *volume, const float *volume_directions, const float *volume_origin, const float *p, float *value, uint8_t *inside, int64_t volume_X, int64_t volume_Y, int64_t volume_Z, int64_t N);

/* Tests sizes as F does, and stores how many elements each array has, in the order
   of the arrays above; elements may be NULL. */
int F_elements(int64_t volume_X, int64_t volume_Y, int64_t volume_Z, int64_t N, int64_t *elements);

/* The meaning of a code. The text must not be freed. */
const char *F_error(int code);

#ifdef __cplusplus
}
#endif

#endif
