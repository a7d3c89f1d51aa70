// A thread has a result of a product of the batch.
extern "C" __global__ void tbmm(unsigned char *, int *, const float *X, const float *Y, float *Z, long long N, long long M, long long K) {
  const long long b = blockIdx.z, n = (long long)blockIdx.y * 8 + threadIdx.y, k = (long long)blockIdx.x * 32 + threadIdx.x;
  if (n >= N || k >= K) return;
  float sum = 0;
  for (long long m = 0; m < M; m++) sum += X[(b * N + n) * M + m] * Y[(b * K + k) * M + m];
  Z[(b * N + n) * K + k] = sum;
}
