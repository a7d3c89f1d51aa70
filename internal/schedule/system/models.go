package system

import "github.com/ricci-lang/ricci/internal/units"

// The models of the paper's Example 11. Names of layers and regions are those of
// its Figures 17 and 20 to 23.

// Models lists the models that do not depend on the machine at hand.
func Models() []*Model {
	return []*Model{Artificial(), OpenMP(), OpenMPL3(), OpenMPL3SIMD(), CUDA(), CUDAWarps(), OpenCL(), MultiGPU(), MultiNode()}
}

// Named returns the model of that name, or nil.
func Named(name string) *Model {
	for _, m := range Models() {
		if m.Name == name {
			return m
		}
	}
	return nil
}

func memory(name, region string) Layer { return Layer{Name: name, Region: region} }

func copied(name, region, privateTo string, bytes int64) Layer {
	return Layer{Name: name, Region: region, Copied: true, PrivateTo: privateTo, Bytes: bytes}
}

func core(name string, aliases ...string) Layer {
	return Layer{Name: name, Core: true, Aliases: aliases}
}

func model(name, axes string, layers []Layer, constraints ...Constraint) *Model {
	return &Model{Name: name, Axes: axes, Layers: layers, Constraints: constraints}
}

// Artificial is the machine of Figure 17: host memory, a cache and cores.
func Artificial() *Model {
	return model("artificial", "xyz", []Layer{memory("HM", "HM"), memory("L1", "L1"), core("COR")})
}

// OpenMP is a multi-core processor with two levels of private caches.
func OpenMP() *Model {
	return model("openmp", "", []Layer{memory("MM", "MM"), memory("L2", "L2"), memory("L1", "L1"), core("COR")})
}

// OpenMPL3 adds a shared cache.
func OpenMPL3() *Model {
	return model("openmp+l3", "", []Layer{memory("MM", "MM"), memory("L3", "L3"), memory("L2", "L2"), memory("L1", "L1"), core("COR")})
}

// OpenMPL3SIMD adds vector lanes.
func OpenMPL3SIMD() *Model {
	return model("openmp+l3+simd", "", []Layer{memory("MM", "MM"), memory("L3", "L3"), memory("L2", "L2"), memory("L1", "L1"), core("COR"), core("SIMD")},
		Constraint{Kind: OneDimension, Parameter: "0", Layers: []string{"SIMD"}, Reason: "a vector lies along one dimension"})
}

// gpu lists what CUDA devices of all generations since Fermi guarantee beyond the
// paper's tables: the shapes of grids and blocks, the memory of a block, and the
// registers of a thread.
func gpu() []Constraint {
	const (
		shared    = 48 << 10
		registers = 255 * 4
		gridX     = 1<<31 - 1
		gridYZ    = 1<<16 - 1
	)
	return []Constraint{
		{Kind: PartsAlong, Parameter: "0", Layers: []string{"BLK"}, Axis: 1, Limit: gridX, Reason: "a grid has at most 2³¹−1 blocks in x"},
		{Kind: PartsAlong, Parameter: "0", Layers: []string{"BLK"}, Axis: 2, Limit: gridYZ, Reason: "a grid has at most 65535 blocks in y"},
		{Kind: PartsAlong, Parameter: "0", Layers: []string{"BLK"}, Axis: 3, Limit: gridYZ, Reason: "a grid has at most 65535 blocks in z"},
		{Kind: Visible, Parameter: "D3", Layers: []string{"BLK"}, Regions: []string{"SM"}, Reason: "shared memory belongs to a block"},
		{Kind: Visible, Parameter: "D3", Layers: []string{"BLK", "THR"}, Regions: []string{"RM"}, Reason: "registers belong to a thread"},
		{Kind: Capacity, Parameter: "D3", Regions: []string{"SM"}, Limit: shared, Reason: "a block has " + units.Bytes(int64(shared)) + " of shared memory"},
		{Kind: Capacity, Parameter: "D3", Regions: []string{"RM"}, Limit: registers, Reason: "a thread has 255 registers"},
	}
}

func combine(layer, reason string, regions ...string) Constraint {
	return Constraint{Kind: CombineIn, Parameter: "R3", Layers: []string{layer}, Regions: regions, Reason: reason}
}

func cudaMemories() []Layer {
	return []Layer{memory("DEV", "DM"), copied("SHR", "SM", "BLK", 48<<10), copied("REG", "RM", "THR", 255*4)}
}

// CUDA is the model of Table 2; its core layers are programmed by blocks (BLK, on
// multiprocessors SMX) and threads (THR, on CUDA cores CC).
func CUDA() *Model {
	return model("cuda", "xyz", append(cudaMemories(), core("BLK", "SMX"), core("THR", "CC")), append([]Constraint{
		{Kind: PartsTogether, Parameter: "0", Layers: []string{"THR"}, Limit: 1024, Reason: "a block has at most 1024 threads"},
		{Kind: PartsAlong, Parameter: "0", Layers: []string{"THR"}, Axis: 3, Limit: 64, Reason: "a block has at most 64 threads in z"},
		combine("BLK", "blocks combine in device memory", "DM"),
		combine("THR", "threads combine in device or shared memory", "DM", "SM"),
	}, gpu()...)...)
}

// CUDAWarps is the model of Table 3, with the layer of warps. The table bounds the
// threads of a warp by 1024, which is the bound of the block (see the page's errata).
func CUDAWarps() *Model {
	return model("cuda+wrp", "xyz", append(cudaMemories(), core("BLK", "SMX"), core("WRP"), core("THR", "CC")), append([]Constraint{
		{Kind: PartsTogether, Parameter: "0", Layers: []string{"WRP", "THR"}, Limit: 1024, Reason: "a block has at most 1024 threads"},
		{Kind: PartsTogether, Parameter: "0", Layers: []string{"THR"}, Limit: 32, Reason: "a warp has 32 lanes"},
		combine("BLK", "blocks combine in device memory", "DM"),
		combine("WRP", "warps combine in device or shared memory", "DM", "SM"),
	}, gpu()...)...)
}

// OpenCL is the model of Table 4, with the limits that every OpenCL device of the
// full profile exceeds; the paper's C_DEV is the limit of WI.
func OpenCL() *Model {
	const workItems, local = 1024, 32 << 10
	return model("opencl", "", []Layer{memory("GLB", "GM"), copied("LCL", "LM", "WG", local), copied("PRV", "PM", "WI", 0), core("WG", "CU"), core("WI", "PE")},
		Constraint{Kind: PartsTogether, Parameter: "0", Layers: []string{"WI"}, Limit: workItems, Reason: "a work-group has at most C_DEV work-items"},
		combine("WG", "work-groups combine in global memory", "GM"),
		combine("WI", "work-items combine in global or local memory", "GM", "LM"),
		Constraint{Kind: Visible, Parameter: "D3", Layers: []string{"WG"}, Regions: []string{"LM"}, Reason: "local memory belongs to a work-group"},
		Constraint{Kind: Visible, Parameter: "D3", Layers: []string{"WG", "WI"}, Regions: []string{"PM"}, Reason: "private memory belongs to a work-item"},
		Constraint{Kind: Capacity, Parameter: "D3", Regions: []string{"LM"}, Limit: local, Reason: "a work-group has " + units.Bytes(int64(local)) + " of local memory"})
}

// MultiGPU puts several CUDA devices under one host.
func MultiGPU() *Model {
	m := CUDA()
	m.Name = "multi-gpu"
	m.Layers = append([]Layer{memory("HST", "HM")}, m.Layers...)
	m.Layers = insertCore(m.Layers, core("GPU"))
	m.Constraints = append(m.Constraints, combine("GPU", "devices combine in host memory", "HM"))
	return m
}

// MultiNode is a network of hosts with several devices each.
func MultiNode() *Model {
	m := MultiGPU()
	m.Name = "multi-node-multi-gpu"
	m.Layers = append([]Layer{memory("NET", "NM")}, m.Layers...)
	m.Layers = insertCore(m.Layers, core("NOD"))
	m.Constraints = append(m.Constraints, combine("NOD", "nodes combine in the memory of the network", "NM"))
	return m
}

// insertCore puts a core layer outside of all others.
func insertCore(layers []Layer, outer Layer) []Layer {
	var list []Layer
	placed := false
	for _, l := range layers {
		if l.Core && !placed {
			list, placed = append(list, outer), true
		}
		list = append(list, l)
	}
	return list
}
