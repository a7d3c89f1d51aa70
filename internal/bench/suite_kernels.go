package bench

import (
	"fmt"
	"slices"
	"strings"
)

// both are the precisions of rows whose peers do both.
var both = []precision{single, double}

// contractions are the instances of CCSD(T) in the MDH paper (Figure 26), with the
// extents of the TCCG suite: the first three have d and g long, the others e and g.
var contractions = [][2]string{
	{"gdab", "efgc"}, {"gdac", "efgb"}, {"gdbc", "efga"}, {"geab", "dfgc"}, {"geac", "dfgb"},
	{"gebc", "dfga"}, {"gfab", "degc"}, {"gfac", "degb"}, {"gfbc", "dega"},
}

func tensorRows() []Row {
	var rows []Row
	for i, operands := range contractions {
		extents := map[byte]int64{'a': 24, 'b': 16, 'c': 16, 'd': 24, 'e': 16, 'f': 16, 'g': 24}
		if i < 3 {
			extents['d'], extents['e'] = 16, 24
		}
		sizes := map[string]int64{}
		for letter, n := range extents {
			sizes[string(letter-'a'+'A')] = n
		}
		for _, p := range both {
			c := contraction{o: "abcdef", x: operands[0], y: operands[1], extents: extents}
			row := exampleRow("ccsd(t)", "mdh/ccsdt.mdh", p.instance(fmt.Sprintf("ccsdt_%d", i+1)),
				p.name+"/abcdef-"+operands[0]+"-"+operands[1], sizes, map[string]string{cblas: c.text(p)})
			rows = append(rows, row.with(Goal{Best: 2.5, Floor: 0.6}, i == 0 && !p.double, "the libraries transpose before and after a matrix product"))
		}
	}
	for _, p := range both {
		m := map[string]int64{"I": 250, "K": 250, "L": 250, "R": 32}
		s := map[string]int64{"M": 4096, "N": 4096, "K": 128}
		rows = append(rows,
			newRow("mttkrp", "mttkrp", "250x250x250x32", p, m, map[string]string{cblas: blasShim(p, enum("I", 250, "K", 250, "L", 250, "R", 32), blasMTTKRP)}).with(Goal{Best: 1.5}, p.double),
			newRow("sddmm", "sddmm", "4096x4096x128", p, s, map[string]string{cblas: blasShim(p, enum("M", 4096, "N", 4096, "K", 128), blasSDDMM)}).with(Goal{Best: 1.5}, false))
	}
	return rows
}

// layers are the convolutions of the MDH paper (Figure 42a) and of TVM's tutorial:
// images H×W that are padded already, filters KH×KW.
var layers = []struct {
	name  string
	layer convolution
}{
	{"resnet", convolution{c: 3, f: 64, h: 230, w: 230, kh: 7, kw: 7, stride: 2}},
	{"vgg", convolution{c: 3, f: 64, h: 226, w: 226, kh: 3, kw: 3, stride: 1}},
	{"mobilenet", convolution{c: 3, f: 32, h: 225, w: 225, kh: 3, kw: 3, stride: 2}},
	{"tvm", convolution{c: 512, f: 512, h: 9, w: 9, kh: 3, kw: 3, stride: 1}},
}

// packedNote says what the candidates with "packed" in their names do.
const packedNote = "oneDNN, packed has image, filter and result in its own layout, converted before and after the measurement; Ricci, packed keeps the filter packed between calls"

func convolutionRows() []Row {
	var rows []Row
	for _, l := range layers {
		for _, n := range []int64{1, 16} {
			v := l.layer
			v.n = n
			sizes := map[string]int64{"N": n, "C": v.c, "F": v.f, "H": v.h, "W": v.w, "KH": v.kh, "KW": v.kw}
			size := fmt.Sprintf("%s-%d", l.name, n)
			rows = append(rows, newRow("mcc", fmt.Sprintf("conv%d", v.stride), size, single, sizes, v.texts()).withConstant("V").
				with(Goal{Best: 1.3, Packed: 0.95}, n == 1 && l.name != "mobilenet", packedNote))
			if n == 1 && l.name != "tvm" {
				rows = append(rows, newRow("capsule", fmt.Sprintf("capsule%d", v.stride), size, single, sizes, nil).with(Goal{Naive: 3}, l.name == "mobilenet"))
			}
		}
	}
	for _, v := range []convolution{{n: 32, g: 32, c: 16, f: 16, h: 14, w: 14, kh: 3, kw: 3, stride: 1}, {n: 32, g: 32, c: 4, f: 4, h: 56, w: 56, kh: 3, kw: 3, stride: 1}} {
		sizes := map[string]int64{"N": v.n, "G": v.g, "C": v.c, "F": v.f, "H": v.h, "W": v.w, "KH": v.kh, "KW": v.kw}
		rows = append(rows, newRow("gconv", "grouped", fmt.Sprintf("%dx%d", v.f, v.h), single, sizes, v.texts()).withConstant("V").with(Goal{Best: 1.5}, v.h == 14, packedNote))
	}
	return rows
}

func streamRows() []Row {
	var rows []Row
	for _, p := range both {
		quick := !p.double
		for _, n := range []int64{4096, 8192} {
			square := map[string]int64{"M": n, "N": n}
			size := fmt.Sprint(n)
			sizes := enum("M", n, "N", n, "K", n, "GELU", 0)
			lines := func(body string) map[string]string {
				if p.double {
					return nil
				}
				return map[string]string{onednn: onednnShim(false, sizes, body)}
			}
			transposes := lines(onednnTranspose)
			if transposes == nil {
				transposes = map[string]string{}
			}
			transposes[openblas], transposes[mkl] = blasShim(p, sizes, openblasTranspose), blasShim(p, sizes, mklTranspose)
			rows = append(rows,
				newRow("matvec", "matvec", size, p, map[string]int64{"M": n, "K": n}, map[string]string{cblas: blasShim(p, sizes, blasMatVec)}).with(Goal{Best: 1, Floor: 0.97}, quick && n == 4096),
				newRow("softmax", "softmax", size, p, square, lines(onednnSoftmax)).with(Goal{Best: 1, Floor: 0.97}, quick && n == 4096),
				newRow("layernorm", "layernorm", size, p, square, lines(onednnLayerNorm)).with(Goal{Best: 1, Floor: 0.97}, false),
				newRow("transpose", "transpose", size, p, square, transposes).with(Goal{Best: 1, Floor: 0.97}, quick && n == 4096))
		}
		const n = 1 << 24
		totals := map[string]string{}
		if !p.double {
			totals[onednn] = onednnShim(false, enum("N", n), onednnSum)
		}
		rows = append(rows,
			newRow("dot", "dot", "2^24", p, map[string]int64{"N": n}, map[string]string{cblas: blasShim(p, enum("N", n), blasDot)}).with(Goal{Best: 1, Floor: 0.97}, quick),
			newRow("sum", "total", "2^24", p, map[string]int64{"N": n}, totals).with(Goal{Best: 1, Floor: 0.97}, false))
	}
	return rows
}

func stencilRows() []Row {
	var rows []Row
	goal := Goal{Best: 1, Floor: 0.95}
	for _, p := range both {
		quick := !p.double
		rows = append(rows,
			newRow("jacobi1d", "jacobi1d", "2^24", p, map[string]int64{"N": 1 << 24}, nil).with(goal, false),
			newRow("jacobi2d", "jacobi2d", "4096", p, map[string]int64{"M": 4096, "N": 4096}, nil).with(goal, quick),
			newRow("jacobi3d", "jacobi3d", "256", p, map[string]int64{"L": 256, "M": 256, "N": 256}, nil).with(goal, quick),
			newRow("jacobi3d", "jacobi3d", "512", p, map[string]int64{"L": 512, "M": 512, "N": 512}, nil).with(goal, false),
			newRow("conv2d", "conv_image", "224-5", p, map[string]int64{"H": 224, "W": 224, "KH": 5, "KW": 5}, nil).with(goal, false),
			newRow("conv2d", "conv_image", "4096-5", p, map[string]int64{"H": 4096, "W": 4096, "KH": 5, "KW": 5}, nil).with(goal, quick))
	}
	return rows
}

func scanRows() []Row {
	var rows []Row
	floor, naive := Goal{Floor: 0.8}, Goal{Naive: 3}
	for _, p := range both {
		rows = append(rows,
			exampleRow("scan", "mdh/scan.mdh", p.instance("scan"), p.name+"/2^24", map[string]int64{"N": 1 << 24}, nil).with(floor, !p.double),
			exampleRow("mbbs", "mdh/scan.mdh", p.instance("mbbs"), p.name+"/4096", map[string]int64{"I": 4096, "J": 4096}, nil).with(floor, !p.double))
	}
	for _, n := range []int64{15, 17, 20} {
		size := fmt.Sprintf("2^%d", n)
		histogram := exampleRow("histogram", "mdh/histogram.mdh", "histogram", size, map[string]int64{"E": 1 << n, "B": 256}, nil)
		histogram.Hand = handText("histogram", enum("E", int64(1)<<n, "B", 256))
		rows = append(rows, histogram.with(naive, n == 15, "the naive program compares every element with every bin; that by hand counts values in a table, on one thread"),
			exampleRow("prl", "mdh/record_linkage.mdh", "prl", size, map[string]int64{"I": 1 << 10, "J": 1 << n}, nil).with(naive, n == 15))
	}
	return rows
}

func fusedRows() []Row {
	goal := Goal{Best: 1.3}
	var rows []Row
	for _, p := range both {
		rows = append(rows,
			perceptronRow(p, 1024, 1024, 1024, 1024).with(goal, !p.double),
			perceptronRow(p, 128, 64, 32, 2).with(goal, !p.double),
			perceptronRow(p, 2000, 128).with(goal, false))
	}
	for _, first := range []struct {
		kind  First
		limit float64
	}{{Cold, 0.25}, {Cached, 0.05}} {
		row := newRow("first run", "gemm", "1024-"+string(first.kind), single, map[string]int64{"M": 1024, "N": 1024, "K": 1024}, nil)
		row.First = first.kind
		rows = append(rows, row.with(Goal{Seconds: first.limit}, true, "from the parsed program to the first result"))
	}
	attention := map[string]string{onednn: onednnShim(false, enum("B", 64, "N", 512, "D", 64), onednnAttention)}
	gelu := map[string]string{onednn: onednnShim(false, enum("M", 4096, "N", 1024, "GELU", 1), onednnLayerNorm)}
	return append(rows,
		newRow("attention", "attention", "b8h8s512d64", single, map[string]int64{"B": 64, "N": 512, "D": 64}, attention).with(goal, true),
		newRow("layernorm+gelu", "layernorm_gelu", "4096x1024", single, map[string]int64{"M": 4096, "N": 1024}, gelu).with(goal, true))
}

// perceptronRow is a row of layers with as many inputs and outputs as the widths say, for a
// batch of 128. Those of the production model in the paper on Tensor Comprehensions are MLP3,
// from 128 to 64, 32 and 2, and MLP1, from 2000 to 128, by the benchmarks that were published
// with it.
func perceptronRow(p precision, widths ...int64) Row {
	const batch = 128
	sizes, names := map[string]int64{"B": batch}, "NOPQ"
	var texts []string
	for i, n := range widths {
		sizes[names[i:i+1]] = n
		texts = append(texts, fmt.Sprint(n))
	}
	group := fmt.Sprintf("mlp%d", len(widths)-1)
	return newRow(group, group, fmt.Sprintf("%dx%s", batch, strings.Join(slices.Compact(texts), "-")), p, sizes, perceptronPeers(p, batch, widths, false))
}

// perceptronPeers are layers with as many inputs and outputs as the widths say. If they are kept, the results of all
// layers are results of the row.
func perceptronPeers(p precision, batch int64, widths []int64, kept bool) map[string]string {
	var texts []string
	for _, n := range widths {
		texts = append(texts, fmt.Sprint(n))
	}
	macros := enum("B", batch, "LAYERS", len(widths)-1, "KEPT", flag(kept)) + "static const i64 widths[] = {" + strings.Join(texts, ", ") + "};\n"
	peers := map[string]string{cblas: blasShim(p, macros, blasPerceptron)}
	if !p.double {
		peers[onednn], peers[onednnPack] = onednnShim(false, macros, onednnPerceptron), onednnShim(true, macros, onednnPerceptron)
	}
	return peers
}
