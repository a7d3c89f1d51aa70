// A thread has a point of a channel of a group of an image.
extern "C" __global__ void gconv(unsigned char *, int *, const float *I, const float *weight, const float *bias, float *O, long long G, long long C, long long F, long long H, long long W, long long KH, long long KW) {
  const long long rows = H - KH + 1, columns = W - KW + 1;
  const long long n = blockIdx.z / (G * F), g = blockIdx.z / F % G, f = blockIdx.z % F, h = (long long)blockIdx.y * 8 + threadIdx.y, w = (long long)blockIdx.x * 32 + threadIdx.x;
  if (h >= rows || w >= columns) return;
  float sum = 0;
  for (long long c = 0; c < C; c++)
    for (long long kh = 0; kh < KH; kh++)
      for (long long kw = 0; kw < KW; kw++) sum += I[(((n * G + g) * C + c) * H + h + kh) * W + w + kw] * weight[(((g * F + f) * C + c) * KH + kh) * KW + kw];
  O[(((n * G + g) * F + f) * rows + h) * columns + w] = sum + bias[g * F + f];
}
