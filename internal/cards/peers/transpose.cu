// A thread moves an element; those of a warp read side by side.
extern "C" __global__ void transpose(unsigned char *, int *, const float *X, float *Y, long long N, long long M) {
  const long long j = (long long)blockIdx.x * 32 + threadIdx.x, i = (long long)blockIdx.y * 8 + threadIdx.y;
  if (i < N && j < M) Y[j * N + i] = X[i * M + j];
}
