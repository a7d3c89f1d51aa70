package bench

import (
	"context"
	"fmt"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/ricci-lang/ricci/internal/device/host"
)

// A Peer is a library that rows are compared with. Each runs in a process of its
// own: two OpenMP runtimes in one process fight over the cores.
type Peer struct {
	Name    string
	Package string // of Debian
	// dialects are the texts of a row that the peer understands, best first.
	dialects  []string
	libraries []string // the names to try; empty when the shim links it
	header    string   // that the shim includes; empty when it declares what it calls
	flags     []string // of the shim
	packed    bool     // constant operands have a layout of its choice
	version   string   // C that calls say with the library's version
	// environment sets the number of threads.
	environment func(threads int) []string
}

// The dialects: what the C of a shim may call.
const (
	cblas      = "cblas"
	openblas   = "openblas"
	mkl        = "mkl"
	onednn     = "onednn"      // operands and results in the row's layout
	onednnPack = "onednn-pack" // constant operands in oneDNN's own layout, made before
	xsmm       = "xsmm"
)

func threadVariables(names ...string) func(int) []string {
	return func(threads int) []string {
		list := make([]string, len(names))
		for i, name := range names {
			list[i] = fmt.Sprintf("%s=%d", name, threads)
		}
		return list
	}
}

// peers lists the libraries that are looked for.
func peers() []Peer {
	return []Peer{
		{
			Name: "OpenBLAS", Package: "libopenblas-pthread-dev", dialects: []string{openblas, cblas},
			libraries: []string{"libopenblas.so.0", "libopenblas.so", "libopenblas.dylib"},
			version:   "char *openblas_get_config(void);\nstatic void ask(void) { say(\"%s\", openblas_get_config()); }",
			// No OMP_PROC_BIND here: its threads would share a core.
			environment: threadVariables("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"),
		},
		{
			Name: "BLIS", Package: "libblis-openmp-dev", dialects: []string{cblas},
			libraries: []string{"libblis.so.4", "libblis.so.3", "libblis.so"}, environment: blisEnvironment,
			version: "const char *bli_info_get_version_str(void);\nstatic void ask(void) { say(\"%s\", bli_info_get_version_str()); }",
		},
		{
			Name: "MKL", Package: "libmkl-rt", dialects: []string{mkl, cblas},
			libraries: []string{"libmkl_rt.so.2", "libmkl_rt.so", "libmkl_rt.so.1"},
			version:   "void mkl_get_version_string(char *, int);\nstatic void ask(void) { char text[200] = \"\"; mkl_get_version_string(text, 199); say(\"%s\", text); }",
			environment: func(threads int) []string {
				return append(threadVariables("MKL_NUM_THREADS", "OMP_NUM_THREADS")(threads), "MKL_DYNAMIC=FALSE", "MKL_THREADING_LAYER=GNU")
			},
		},
		{
			Name: "oneDNN", Package: "libdnnl-dev", dialects: []string{onednn}, libraries: onednnLibraries,
			header: "dnnl.h", version: onednnVersion, environment: threadVariables("OMP_NUM_THREADS"),
		},
		{
			Name: "oneDNN, packed", Package: "libdnnl-dev", dialects: []string{onednnPack}, libraries: onednnLibraries,
			header: "dnnl.h", version: onednnVersion, packed: true, environment: threadVariables("OMP_NUM_THREADS"),
		},
		{
			Name: "libxsmm", Package: "libxsmm-dev", dialects: []string{xsmm}, header: "libxsmm.h",
			version:     "#include <libxsmm.h>\nstatic void ask(void) { say(\"%s\", LIBXSMM_VERSION); }",
			flags:       []string{"-Wl,--undefined=libxsmm_smmdispatch,--undefined=libxsmm_dmmdispatch", "-lxsmm", "-lxsmmnoblas", "-ldl", "-lpthread"},
			environment: threadVariables("OMP_NUM_THREADS"),
		},
	}
}

var onednnLibraries = []string{"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so"}

const onednnVersion = "#include <dnnl.h>\nstatic void ask(void) { const dnnl_version_t *v = dnnl_version(); say(\"%d.%d.%d\", v->major, v->minor, v->patch); }"

// blisEnvironment also tells BLIS its kernels: it takes a processor with AVX-512
// for an older one where a virtual machine hides the model.
func blisEnvironment(threads int) []string {
	list := threadVariables("BLIS_NUM_THREADS", "OMP_NUM_THREADS")(threads)
	if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL) {
		list = append(list, "BLIS_ARCH_TYPE=0") // skx
	}
	return list
}

// candidate returns the peer's text of a row; ok is false when it has none.
func (p *Peer) shim(texts map[string]string) (text string, ok bool) {
	for _, dialect := range p.dialects {
		if text, ok := texts[dialect]; ok {
			return text, true
		}
	}
	return "", false
}

// A PeerStatus says whether a library is there.
type PeerStatus struct {
	Name    string `json:"name"`
	Package string `json:"package"`
	Found   bool   `json:"found"`
	Reason  string `json:"reason,omitempty"`  // why not
	Version string `json:"version,omitempty"` // as the library says it
}

// InstallLine is the command that installs all peers on Debian; MKL is in the
// component non-free.
const InstallLine = "apt-get install libopenblas-pthread-dev libblis-openmp-dev libdnnl-dev libxsmm-dev libmkl-rt"

// FindPeers looks for the libraries and headers, in this process.
func FindPeers(ctx context.Context) []PeerStatus {
	var list []PeerStatus
	compilers, compilerErr := host.Find(ctx)
	for _, p := range peers() {
		status := PeerStatus{Name: p.Name, Package: p.Package}
		if len(p.libraries) > 0 && host.FindLibrary(p.libraries) == "" {
			status.Reason = "no " + strings.Join(p.libraries, ", ")
		} else if compilerErr != nil {
			status.Reason = "no C compiler"
		} else if p.header != "" && !compiles(ctx, compilers[0], p) {
			status.Reason = "no " + p.header
		}
		status.Found = status.Reason == ""
		list = append(list, status)
	}
	return list
}

// compiles reports whether a text that includes the peer's header compiles and
// links.
func compiles(ctx context.Context, compiler *host.Compiler, p Peer) bool {
	text := fmt.Sprintf("#include <%s>\nint run(const long long *args) { return 0; }\n", p.header)
	_, err := compiler.Compile(ctx, text, host.CompileOptions{Flags: p.flags})
	return err == nil
}
