// A block has 16 × 16 results; its threads bring as large a piece of both factors, and take their part of the product of these.
extern "C" __global__ void gemm(unsigned char *, int *, const float *A, const float *B, float *C, long long M, long long K, long long N) {
  __shared__ float a[16][16], b[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  const long long i = (long long)blockIdx.y * 16 + y, j = (long long)blockIdx.x * 16 + x;
  float sum = 0;
  for (long long k = 0; k < K; k += 16) {
    a[y][x] = i < M && k + x < K ? A[i * K + k + x] : 0;
    b[y][x] = k + y < K && j < N ? B[(k + y) * N + j] : 0;
    __syncthreads();
    for (int l = 0; l < 16; l++) sum += a[y][l] * b[l][x];
    __syncthreads();
  }
  if (i < M && j < N) C[i * N + j] = sum;
}
