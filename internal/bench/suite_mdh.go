package bench

// The programs of the MDH paper: what Section 5 measures, at its sizes (Figures 24 to 29), and those of Figure 16
// that it does not measure, at sizes of ours. docs/benchmarks.md says how the tables are read against the paper's.

// ccsdtExtents are those of the TCCG suite: of the first three instances, and of the others.
const (
	ccsdtLongE = "A=24 B=16 C=16 D=16 E=24 F=16 G=24"
	ccsdtLongD = "A=24 B=16 C=16 D=24 E=16 F=16 G=24"
)

// The layers of networks in Figure 42. The image of VGG-16 has 226 rows, which 224 rows of results need.
var (
	resnetSizes = []string{
		"resnet-training: N=16 H=230 W=230 P=112 Q=112 K=64 R=7 S=7 C=3",
		"resnet-inference: N=1 H=230 W=230 P=112 Q=112 K=64 R=7 S=7 C=3",
		"mobilenet-training: N=16 H=225 W=225 P=112 Q=112 K=32 R=3 S=3 C=3",
		"mobilenet-inference: N=1 H=225 W=225 P=112 Q=112 K=32 R=3 S=3 C=3",
	}
	vggSizes = []string{
		"vgg-training: N=16 P=224 Q=224 K=64 R=3 S=3 C=3",
		"vgg-inference: N=1 P=224 Q=224 K=64 R=3 S=3 C=3",
	}
)

func matrices(list []string) []string {
	capsules := make([]string, len(list))
	for i, text := range list {
		capsules[i] = text + " MI=4 MJ=4 MK=4"
	}
	return capsules
}

// fusion says what compositions are beside: libraries compute them step by step.
const fusion = "Section 8 names compositions and their fusion as future work; the sizes are ours. With a library each step is computed by itself"

const unmeasured = "the paper has the program in Figure 16 and does not measure it; the size is ours"

var mdhStudies = []study{
	{figure: "fig24", name: "dot", file: "mdh/linear_algebra.mdh", def: "dot", sizes: []string{"2^24: K=16777216", "10^7: K=10000000"}, peers: dotPeers},
	{figure: "fig24", name: "matvec", file: "mdh/linear_algebra.mdh", def: "matvec", sizes: []string{"4096x4096: I=4096 K=4096", "8192x8192: I=8192 K=8192"}, peers: matvecPeers},
	{figure: "fig24", name: "matmul", file: "mdh/linear_algebra.mdh", def: "matmul", sizes: []string{"10x500x64: I=10 J=500 K=64", "1024x1024x1024: I=1024 J=1024 K=1024"}, peers: matmulPeers, quick: "10x500x64"},
	{figure: "fig24", name: "matmul_t", file: "mdh/linear_algebra.mdh", def: "matmul_t", sizes: []string{"10x500x64: I=10 J=500 K=64"}, peers: matmulTPeers},
	{figure: "fig24", name: "bmatmul", file: "mdh/linear_algebra.mdh", def: "bmatmul", sizes: []string{"16x10x500x64: B=16 I=10 J=500 K=64"}, peers: bmatmulPeers},

	{figure: "fig25", name: "jacobi3d", file: "mdh/stencil.mdh", def: "jacobi3d", sizes: []string{"256x256x256: N1=256 N2=256 N3=256", "512x512x512: N1=512 N2=512 N3=512"}, peers: jacobi3dPeers, hand: "jacobi3d"},
	{figure: "fig25", name: "conv2d", file: "mdh/convolution.mdh", def: "conv2d", sizes: []string{"224x224x5x5: P=224 Q=224 R=5 S=5", "4096x4096x5x5: P=4096 Q=4096 R=5 S=5"}, peers: conv2dPeers, hand: "conv2d", quick: "224x224x5x5"},
	{figure: "fig25", name: "mcc", file: "mdh/convolution.mdh", def: "mcc", sizes: []string{"1x512x7x7x512x3x3: N=1 P=7 Q=7 K=512 R=3 S=3 C=512"}, peers: mccPeers, constant: filter},

	{figure: "fig26", name: "abcdef-gdab-efgc", file: "mdh/ccsdt.mdh", def: "ccsdt_1", sizes: []string{"tccg: " + ccsdtLongE}, peers: ccsdtPeers("gdab", "efgc")},
	{figure: "fig26", name: "abcdef-gdac-efgb", file: "mdh/ccsdt.mdh", def: "ccsdt_2", sizes: []string{"tccg: " + ccsdtLongE}, peers: ccsdtPeers("gdac", "efgb")},
	{figure: "fig26", name: "abcdef-gdbc-efga", file: "mdh/ccsdt.mdh", def: "ccsdt_3", sizes: []string{"tccg: " + ccsdtLongE}, peers: ccsdtPeers("gdbc", "efga")},
	{figure: "fig26", name: "abcdef-geab-dfgc", file: "mdh/ccsdt.mdh", def: "ccsdt_4", sizes: []string{"tccg: " + ccsdtLongD}, peers: ccsdtPeers("geab", "dfgc")},
	{figure: "fig26", name: "abcdef-geac-dfgb", file: "mdh/ccsdt.mdh", def: "ccsdt_5", sizes: []string{"tccg: " + ccsdtLongD}, peers: ccsdtPeers("geac", "dfgb")},
	{figure: "fig26", name: "abcdef-gebc-dfga", file: "mdh/ccsdt.mdh", def: "ccsdt_6", sizes: []string{"tccg: " + ccsdtLongD}, peers: ccsdtPeers("gebc", "dfga")},
	{figure: "fig26", name: "abcdef-gfab-degc", file: "mdh/ccsdt.mdh", def: "ccsdt_7", sizes: []string{"tccg: " + ccsdtLongD}, peers: ccsdtPeers("gfab", "degc")},
	{figure: "fig26", name: "abcdef-gfac-degb", file: "mdh/ccsdt.mdh", def: "ccsdt_8", sizes: []string{"tccg: " + ccsdtLongD}, peers: ccsdtPeers("gfac", "degb")},
	{figure: "fig26", name: "abcdef-gfbc-dega", file: "mdh/ccsdt.mdh", def: "ccsdt_9", sizes: []string{"tccg: " + ccsdtLongD}, peers: ccsdtPeers("gfbc", "dega")},

	{figure: "fig27", name: "prl", file: "mdh/record_linkage.mdh", def: "prl", hand: "prl", quick: "2^15", sizes: []string{
		"2^15: I=1024 J=32768", "2^16: I=1024 J=65536", "2^17: I=1024 J=131072", "2^18: I=1024 J=262144", "2^19: I=1024 J=524288", "2^20: I=1024 J=1048576",
	}, notes: []string{"the paper gives one number of records: that of the registry here, in which 2^10 new entries are looked for"}},

	{figure: "fig29", name: "mcc", file: "mdh/convolution.mdh", def: "mcc_strided", sizes: resnetSizes, quick: "resnet-inference", peers: mccStridedPeers, constant: filter},
	{figure: "fig29", name: "mcc", file: "mdh/convolution.mdh", def: "mcc", sizes: vggSizes, peers: mccPeers, constant: filter},
	{figure: "fig29", name: "matmul", file: "mdh/linear_algebra.mdh", def: "matmul", peers: matmulPeers, sizes: []string{
		"resnet-training: I=16 J=1000 K=2048", "resnet-inference: I=1 J=1000 K=2048", "vgg-training: I=16 J=4096 K=25088", "vgg-inference: I=1 J=4096 K=25088",
	}},
	{figure: "fig29", name: "mcc_capsule", file: "suite.mdh", def: "mcc_capsule_strided", sizes: matrices(resnetSizes), hand: "capsule", macros: capsuleMacros(2)},
	{figure: "fig29", name: "mcc_capsule", file: "mdh/convolution.mdh", def: "mcc_capsule", sizes: matrices(vggSizes), hand: "capsule", macros: capsuleMacros(1)},

	{figure: "fig16", name: "jacobi1d", file: "mdh/stencil.mdh", def: "jacobi1d", sizes: []string{"2^24: N=16777216"}, hand: "jacobi1d", notes: []string{unmeasured}},
	{figure: "fig16", name: "jacobi2d", file: "mdh/stencil.mdh", def: "jacobi2d", sizes: []string{"4096x4096: N1=4096 N2=4096"}, hand: "jacobi2d", notes: []string{unmeasured}},
	{figure: "fig16", name: "histogram", file: "mdh/histogram.mdh", def: "histogram", sizes: []string{"2^20: E=1048576 B=256"}, hand: "histogram", notes: []string{unmeasured}},
	{figure: "fig16", name: "gen_histogram", file: "mdh/histogram.mdh", def: "gen_histogram", sizes: []string{"2^20: E=1048576 B=256"}, notes: []string{unmeasured}},
	{figure: "fig16", name: "map", file: "mdh/map_reduce.mdh", def: "map", sizes: []string{"2^24: N=16777216"}, notes: []string{unmeasured}},
	{figure: "fig16", name: "reduce", file: "mdh/map_reduce.mdh", def: "reduce", sizes: []string{"2^24: N=16777216"}, peers: reducePeers, notes: []string{unmeasured}},
	{figure: "fig16", name: "double_reduce", file: "mdh/map_reduce.mdh", def: "double_reduce", sizes: []string{"2^24: N=16777216"}, notes: []string{unmeasured}},
	{figure: "fig16", name: "scan", file: "mdh/scan.mdh", def: "scan", sizes: []string{"2^24: N=16777216"}, notes: []string{unmeasured}},
	{figure: "fig16", name: "mbbs", file: "mdh/scan.mdh", def: "mbbs", sizes: []string{"4096x4096: I=4096 J=4096"}, notes: []string{unmeasured}},
	{figure: "future", name: "matmul_conv", file: "mdh/composition.mdh", def: "matmul_conv", sizes: []string{"1024x1024x64x5x5: I=1024 J=1024 K=64 R=5 S=5", "4096x4096x64x5x5: I=4096 J=4096 K=64 R=5 S=5"}, peers: matmulConvPeers, notes: []string{fusion}},
	{figure: "future", name: "attention", file: "mdh/composition.mdh", def: "attention", sizes: []string{"1024x64: N=1024 M=1024 E=64 D=64", "4096x64: N=4096 M=4096 E=64 D=64"}, peers: attentionPeers, notes: []string{fusion}},
	{figure: "b4", name: "mandelbrot", file: "mdh/mandelbrot.mdh", def: "mandelbrot", sizes: []string{"1024x1024: H=1024 W=1024"}, notes: []string{"Appendix B.4 mentions the program; the size is ours"}},
}

// filter is the name of the filters of convolutions.
var filter = []string{"F"}

func mdhRows() []Row { return studyRows("mdh", mdhStudies) }
