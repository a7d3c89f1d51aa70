package strand

// A Flag is one of the command line that the original compiler gives to its programs, beside those for inputs.
type Flag struct {
	Short, Long string
	What        string // it sets
	Doc         string // for its users
	Value       string // of what a value is called; empty for a switch, <N> for a number
	Fallback    string
	// Sometimes says that not all programs have it.
	Sometimes bool
}

// The flags that not all programs have.
const (
	WorkersFlag  = "n"
	SnapshotFlag = "s"
)

// StandardFlags are those of every program.
func StandardFlags() []Flag {
	return []Flag{
		{Short: "h", Long: "help", What: "the help", Doc: "print this text and end"},
		{Short: "l", Long: "limit", What: "the limit of steps", Value: "<N>", Fallback: "0", Doc: "the most super-steps; 0 is any number"},
		{Short: "print", What: "where print writes", Value: "<file>", Fallback: "-", Doc: "where print writes; - is the standard output"},
		{Short: "v", Long: "verbose", What: "what is reported", Doc: "say what happens"},
		{Short: "t", Long: "timing", What: "the time", Doc: "print how many seconds the super-steps took, as usr=SECONDS"},
		{Short: WorkersFlag, Long: "nworkers", What: "the number of threads", Value: "<N>", Fallback: "0", Doc: "the most threads; 0 is one for each core", Sometimes: true},
		{Short: SnapshotFlag, Long: "snapshot", What: "the steps between snapshots", Value: "<N>", Fallback: "0", Doc: "super-steps between snapshots; 0 is none", Sometimes: true},
	}
}
