package card

import "testing"

// TestDescribe: a device's limits are those of its machine.
func TestDescribe(t *testing.T) {
	for _, test := range []struct {
		model string
		limit Limit
		local int64
		items int64
	}{
		{"opencl", Limit{}, 32 << 10, 1024},
		{"opencl", Limit{Region: "LM", Bytes: 16 << 10, Items: 256}, 16 << 10, 256},
		{"cuda", Limit{Region: "SM", Bytes: 64 << 10, Items: 4096}, 64 << 10, 1024},
		{"cuda+wrp", Limit{Items: 512, Along: [3]int64{512, 256, 8}, Groups: [3]int64{1 << 20, 4, 2}}, 48 << 10, 512},
	} {
		p, err := Describe(test.model, test.limit).Scheduled()
		if err != nil || p.Grid == nil || p.Grid.Local != test.local || p.Grid.Items != test.items {
			t.Errorf("%s with %+v: %+v, %v", test.model, test.limit, p.Grid, err)
			continue
		}
		if l := test.limit; l.Along[0] > 0 && (p.Grid.Along != l.Along || p.Grid.Groups != l.Groups) {
			t.Errorf("%s with %+v: %+v", test.model, test.limit, p.Grid)
		}
	}
}
