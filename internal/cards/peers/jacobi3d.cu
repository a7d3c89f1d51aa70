// A thread has a point.
extern "C" __global__ void jacobi3d(unsigned char *, int *, const float *A, float *B, long long D, long long H, long long W) {
  const long long i = blockIdx.z, j = (long long)blockIdx.y * 8 + threadIdx.y, k = (long long)blockIdx.x * 32 + threadIdx.x;
  if (i >= D - 2 || j >= H - 2 || k >= W - 2) return;
  const float *a = A + ((i + 1) * H + j + 1) * W + k + 1;
  B[(i * (H - 2) + j) * (W - 2) + k] = (a[0] + a[-H * W] + a[H * W] + a[-W] + a[W] + a[-1] + a[1]) / 7;
}
