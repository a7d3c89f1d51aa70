// A block counts what is in a bin.
extern "C" __global__ void histogram(unsigned char *, int *, const int *Elms, const int *Bins, int *Out, long long E) {
  __shared__ int all[256];
  const int bin = Bins[blockIdx.x];
  int count = 0;
  for (long long e = threadIdx.x; e < E; e += 256) count += Elms[e] == bin;
  all[threadIdx.x] = count;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) all[threadIdx.x] += all[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) Out[blockIdx.x] = all[0];
}
