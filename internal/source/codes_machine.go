package source

// The codes of machines as text.
const (
	MachineSyntax Code = "E0730"
	MachineUnfit  Code = "E0731"
)

var machineCodes = []CodeInfo{
	{
		Code:  MachineSyntax,
		Title: "The text of a machine is malformed",
		Explanation: `A machine is described by lines: its name, its memories from the slowest to the fastest, its cores from the
outermost to the innermost, and below each of them its facts. docs/machines.md has all words.`,
		Example: `machine small
memory L1
  capacity 32`,
		Fix: `machine small
memory L1
  capacity 32 KiB`,
	},
	{
		Code:  MachineUnfit,
		Title: "A machine cannot be used for this",
		Explanation: `Schedules are made for machines whose programs are schedule trees, with main memory (MM), a cache L1, registers
(REG), cores (COR) and lanes (SIMD). Code runs on a machine that has the instructions for it: a description with instructions or
vectors that this machine does not have is good for 'ricci show' only.`,
		Example: `ricci run matmul.tc --machine avx512.machine    # on a processor without AVX-512`,
		Fix:     `ricci show matmul.tc --stage schedule --machine avx512.machine`,
	},
}
