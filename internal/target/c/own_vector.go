package c

// The exponential function is that of mathTable without the instructions that only some processors have.
const (
	ownExp32 = "\n  x = @min(x, 89.0f + ($V){});" + expPlain32 + expTail32
	ownExp64 = "\n  x = @min(x, 710.0 + ($V){});" + expPlain64 + expTail64
)

// ownWave is sin, or cos a quarter later: waveBody64, where each large lane goes its own way.
func ownWave(name, quarters, fix string) string {
	return `
  $I large = ~(@fabs(x) < 0x1p20);
  $V all = x;
  x = @select(large, ($V){}, x);` + waveCore64(quarters) + `
  $V v = ` + waveResult64 + `;
` + fix + `  if (@any.i64(large)) for (int l = 0; l < $N; l++) if (large[l]) v[l] = @` + name + `_large.S(all[l]);
  return v;`
}
