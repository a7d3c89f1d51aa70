package ricci

// Work returns what one call has to do at least, whatever the schedule: the
// arithmetic operations on the elements, and the bytes of inputs and outputs,
// each counted once. Speeds and distances from the machine's limits refer to it.
func (d *Def) Work(signature Signature) (operations, bytes int64, err error) {
	sizes, err := d.bind(signature)
	if err != nil {
		return 0, 0, err
	}
	operations, bytes = d.info.Func.Work(sizes)
	return operations, bytes, nil
}
