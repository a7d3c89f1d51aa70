package bench

import (
	"context"
	"strings"
	"time"

	"github.com/ricci-lang/ricci"
	"github.com/ricci-lang/ricci/internal/device/host"
	"github.com/ricci-lang/ricci/tensor"
)

// hostDevice names the device on which all but Ricci compute.
func hostDevice() string { return host.Driver().Name }

// onHost reports whether what Ricci makes runs on the host.
func (r *runner) onHost() bool { return r.Device == "" || r.Device == hostDevice() }

// head says where and with what the results are measured.
func (r *runner) head(ctx context.Context) *Results {
	h := &Results{
		Format: formatVersion, Version: r.Version, Machine: machineText(), Date: time.Now().UTC().Format(time.RFC3339), Device: r.Device, Interval: r.Interval,
		Description: ricci.HostMachine(ricci.Options{CacheDir: r.CacheDir}),
	}
	if h.Device == "" {
		h.Device = hostDevice()
	}
	if compilers, err := host.Find(ctx); err == nil {
		h.Compiler = string(compilers[0].Family) + " " + compilers[0].Version
	}
	if !r.Peers || !r.onHost() {
		return h
	}
	h.Peers = FindPeers(ctx)
	for i, p := range peers() {
		if h.Peers[i].Found {
			h.Peers[i].Version = r.version(ctx, &p)
		}
	}
	return h
}

// version asks a library for its version, in a process of its own; empty if it does not say it.
func (r *runner) version(ctx context.Context, p *Peer) string {
	c, err := start(ctx, r.Worker, p.environment(1))
	if err != nil {
		return ""
	}
	defer c.stop()
	j := &job{Shim: versionHead + p.version + versionTail, Flags: p.flags}
	if len(p.libraries) > 0 {
		j.Libraries = [][]string{p.libraries}
	}
	a, err := c.ask(&request{Version: j})
	if err != nil {
		return ""
	}
	return a.Text
}

const (
	versionHead = "#include <stdarg.h>\n#include <stdio.h>\nstatic char *answer;\n" +
		"static void say(const char *format, ...) { va_list list; va_start(list, format); vsnprintf(answer, 200, format, list); va_end(list); }\n"
	versionTail  = "\nint version(const long long *args) { answer = (char *)args[0]; ask(); return 0; }\n"
	versionBytes = 200
)

// version calls a shim that writes the version of its library.
func (j *job) version(ctx context.Context) (string, error) {
	for _, names := range j.Libraries {
		if err := openAny(names); err != nil {
			return "", err
		}
	}
	object, err := compileC(ctx, j.Shim, append([]string{"-fopenmp"}, j.Flags...))
	if err != nil {
		return "", err
	}
	library, err := host.OpenBytes(object)
	if err != nil {
		return "", err
	}
	function, err := library.Function("version")
	if err != nil {
		return "", err
	}
	text, err := tensor.New(tensor.Uint8, versionBytes)
	if err != nil {
		return "", err
	}
	defer text.Close()
	block := []int64{address(text)}
	function.Call(&block[0])
	var b strings.Builder
	for i := range versionBytes {
		c := byte(text.UintAt(i))
		if c == 0 {
			break
		}
		b.WriteByte(c)
	}
	return strings.TrimSpace(b.String()), nil
}
