// A thread has a point of a channel of an image.
extern "C" __global__ void conv2d(unsigned char *, int *, const float *input, const float *weight, float *output, long long IP, long long H, long long W, long long OP, long long KH, long long KW) {
  const long long rows = H - KH + 1, columns = W - KW + 1;
  const long long b = blockIdx.z / OP, op = blockIdx.z % OP, h = (long long)blockIdx.y * 8 + threadIdx.y, w = (long long)blockIdx.x * 32 + threadIdx.x;
  if (h >= rows || w >= columns) return;
  float sum = 0;
  for (long long ip = 0; ip < IP; ip++)
    for (long long kh = 0; kh < KH; kh++)
      for (long long kw = 0; kw < KW; kw++) sum += input[((b * IP + ip) * H + h + kh) * W + w + kw] * weight[((op * IP + ip) * KH + kh) * KW + kw];
  output[((b * OP + op) * rows + h) * columns + w] = sum;
}
