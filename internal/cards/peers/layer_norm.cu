// A block has a row: its mean, its variance, and what comes out.
static __device__ float layer_norm_sum(float mine) {
  __shared__ float all[256];
  __syncthreads();
  all[threadIdx.x] = mine;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) all[threadIdx.x] += all[threadIdx.x + half];
    __syncthreads();
  }
  return all[0];
}

extern "C" __global__ void layer_norm(unsigned char *, int *, const float *I, const float *gamma, const float *beta, const float *eps, float *O, long long D) {
  const float *row = I + blockIdx.x * D;
  float sum = 0, squares = 0;
  for (long long d = threadIdx.x; d < D; d += 256) sum += row[d];
  const float mean = layer_norm_sum(sum) / D;
  for (long long d = threadIdx.x; d < D; d += 256) squares += (row[d] - mean) * (row[d] - mean);
  const float by = 1 / sqrtf(layer_norm_sum(squares) / D + *eps);
  for (long long d = threadIdx.x; d < D; d += 256) O[blockIdx.x * D + d] = (row[d] - mean) * by * gamma[d] + beta[d];
}
