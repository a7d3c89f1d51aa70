// A block has a row: its maximum, its sum, and the quotients.
extern "C" __global__ void softmax(unsigned char *, int *, const float *I, float *O, long long D) {
  __shared__ float all[256];
  const float *row = I + blockIdx.x * D;
  float *out = O + blockIdx.x * D;
  float largest = row[0];
  for (long long d = threadIdx.x; d < D; d += 256) largest = row[d] > largest ? row[d] : largest;
  all[threadIdx.x] = largest;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half && all[threadIdx.x + half] > all[threadIdx.x]) all[threadIdx.x] = all[threadIdx.x + half];
    __syncthreads();
  }
  largest = all[0];
  __syncthreads();
  float sum = 0;
  for (long long d = threadIdx.x; d < D; d += 256) sum += out[d] = expf(row[d] - largest);
  all[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) all[threadIdx.x] += all[threadIdx.x + half];
    __syncthreads();
  }
  for (long long d = threadIdx.x; d < D; d += 256) out[d] = out[d] / all[0];
}
