// A block sums a row.
extern "C" __global__ void row_sums(unsigned char *, int *, const float *X, float *s, long long M) {
  __shared__ float all[256];
  const float *row = X + blockIdx.x * M;
  float sum = 0;
  for (long long j = threadIdx.x; j < M; j += 256) sum += row[j];
  all[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) all[threadIdx.x] += all[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) s[blockIdx.x] = all[0];
}
