package native_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/internal/numerics"
	"github.com/ricci-lang/ricci/internal/strand"
	"github.com/ricci-lang/ricci/internal/strand/native"
	"github.com/ricci-lang/ricci/tensor"
)

// mipSize is that of an axis of the volume, mipRays the number of rays, mipSamples that of the samples of a ray.
const mipSize, mipRays, mipSamples = 73, 256 * 256, 201

// mipVolume is a smooth volume.
func mipVolume() (data *strand.ImageData, samples []float32) {
	data = &strand.ImageData{Sizes: []int{mipSize, mipSize, mipSize}, Components: 1, Directions: []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, Origin: []float64{0, 0, 0}}
	for k := range mipSize * mipSize * mipSize {
		x, y, z := float64(k%mipSize), float64(k/mipSize%mipSize), float64(k/mipSize/mipSize)
		v := float32(math.Sin(x*0.3)*math.Cos(y*0.2) + math.Sin(z*0.25))
		samples, data.Samples = append(samples, v), append(data.Samples, float64(v))
	}
	return data, samples
}

// BenchmarkMIP times a maximum-intensity projection on one thread: by a scalar program in C, and by kernels of some widths,
// whose pictures have to be the same up to rounding.
func BenchmarkMIP(b *testing.B) {
	text, err := os.ReadFile("testdata/mip.strand")
	if err != nil {
		b.Fatal(err)
	}
	p := parse(b, string(text))
	data, samples := mipVolume()
	given := strand.Given{Images: map[string]*strand.ImageData{"img": data}}
	want := make([]float32, mipRays)
	perSample := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(mipRays*mipSamples), "ns/sample")
	}
	b.Run("scalar C", func(b *testing.B) {
		f := scalarC(b, "testdata/mip.c", "mip")
		arrays := []*tensor.Tensor{array(b, samples), array(b, []float32{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}), array(b, want)}
		args := []int64{0, 0, 0, mipSamples - 1}
		for k, t := range arrays {
			args[k] = int64(uintptr(t.Pointer()))
		}
		for b.Loop() {
			f.Call(&args[0])
		}
		list, err := tensor.Data[float32](arrays[2])
		if err != nil {
			b.Fatal(err)
		}
		copy(want, list)
		perSample(b)
	})
	for _, lanes := range []int{1, 8, 16} {
		b.Run(fmt.Sprint(lanes, " lanes"), func(b *testing.B) {
			o := on(b, "host", 1, numerics.Default)
			o.Lanes = lanes
			for b.Loop() {
				b.StopTimer()
				w, err := native.New(context.Background(), p, given, o)
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if _, err := w.Run(context.Background(), 0); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				comparePictures(b, w, want)
				b.StartTimer()
			}
			perSample(b)
		})
	}
}

// comparePictures compares the only output of a world.
func comparePictures(b *testing.B, w *native.World, want []float32) {
	list, err := w.Outputs()
	if err != nil {
		b.Fatal(err)
	}
	got, err := tensor.Data[float32](list[0].Data)
	if err != nil {
		b.Fatal(err)
	}
	for n, v := range got {
		if math.Abs(float64(v-want[n])) > 1e-5 {
			b.Fatalf("ray %d is %v, expected %v", n, v, want[n])
		}
	}
}

func array(b *testing.B, list []float32) *tensor.Tensor {
	t, err := tensor.New(tensor.Float32, len(list))
	if err != nil {
		b.Fatal(err)
	}
	data, err := tensor.Data[float32](t)
	if err != nil {
		b.Fatal(err)
	}
	copy(data, list)
	return t
}

// scalarC compiles a function as people do.
func scalarC(b *testing.B, path, name string) host.Function {
	lib := filepath.Join(b.TempDir(), "scalar.so")
	out, err := exec.Command("gcc", "-O3", "-march=native", "-fno-math-errno", "-shared", "-fPIC", "-o", lib, path, "-lm").CombinedOutput()
	if err != nil {
		b.Skip(err, string(out))
	}
	library, err := host.Open(lib)
	if err != nil {
		b.Fatal(err)
	}
	f, err := library.Function(name)
	if err != nil {
		b.Fatal(err)
	}
	return f
}
