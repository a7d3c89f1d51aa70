#include <math.h>
/* What mip.strand says as a straightforward scalar program: one ray after the other, 64 taps in loops that compilers
 * unroll. BenchmarkMIP compares it with the kernel. */
static void weights(float f, float *w) {
  float g = 1 - f;
  w[0] = g * g * g / 6;
  w[1] = 2.0f / 3 - f * f + 0.5f * f * f * f;
  w[2] = 2.0f / 3 - g * g + 0.5f * g * g * g;
  w[3] = f * f * f / 6;
}
static float bspline(const float *v, int nx, int ny, float x, float y, float z) {
  float fx = floorf(x), fy = floorf(y), fz = floorf(z);
  float wx[4], wy[4], wz[4];
  weights(x - fx, wx); weights(y - fy, wy); weights(z - fz, wz);
  const float *p = v + (((int)fz - 1) * ny + (int)fy - 1) * nx + (int)fx - 1;
  float total = 0;
  for (int k = 0; k < 4; k++) {
    float plane = 0;
    for (int j = 0; j < 4; j++) {
      const float *row = p + (k * ny + j) * nx;
      float sum = 0;
      for (int i = 0; i < 4; i++) sum += wx[i] * row[i];
      plane += wy[j] * sum;
    }
    total += wz[k] * plane;
  }
  return total;
}
int mip(const long long *args) {
  const float *v = (const float *)args[0], *m = (const float *)args[1], *s = m + 9;
  float *out = (float *)args[2];
  const int nx = 73, ny = 73, rows = 256, columns = 256, steps = args[3];
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) {
      float px = 8 + c / 256.0f * 50, py = 8 + r / 256.0f * 50, pz = 5;
      float dx = (0.5f - c / 256.0f) * 0.06f, dy = (0.5f - r / 256.0f) * 0.05f, dz = 0.29f;
      float best = -INFINITY;
      for (int t = 0; t <= steps; t++) {
        float x = m[0] * px + m[1] * py + m[2] * pz + s[0];
        float y = m[3] * px + m[4] * py + m[5] * pz + s[1];
        float z = m[6] * px + m[7] * py + m[8] * pz + s[2];
        if (x >= 2 && x < 70 && y >= 2 && y < 70 && z >= 2 && z < 70) {
          float value = bspline(v, nx, ny, x, y, z);
          if (value > best) best = value;
        }
        px += dx; py += dy; pz += dz;
      }
      out[r * columns + c] = best;
    }
  return 0;
}
