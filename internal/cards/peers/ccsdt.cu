// A thread has a result.
extern "C" __global__ void ccsdt(unsigned char *, int *, const float *X, const float *Y, float *O, long long A, long long B, long long C, long long D, long long E, long long F, long long G) {
  long long at = (long long)blockIdx.x * 256 + threadIdx.x;
  if (at >= A * B * C * D * E * F) return;
  float *out = O + at;
  const long long f = at % F, e = (at /= F) % E, d = (at /= E) % D, c = (at /= D) % C, b = (at /= C) % B, a = at / B;
  float sum = 0;
  for (long long g = 0; g < G; g++) sum += X[((g * D + d) * A + a) * B + b] * Y[((e * F + f) * G + g) * C + c];
  *out = sum;
}
