package tensor

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// How it works
//
// NumPy writes npz files with Python's zipfile, uncompressed, always with 64-bit
// sizes in front of a member, and with the date 1980-01-01; what Python 3.11.4
// and later write is matched byte for byte. The zip writer of the standard
// library cannot put the sizes in front, so this one does it. The content of a
// member is produced twice: once for its checksum and size, once for the file,
// so that nothing is held in memory. Numbers are those of PKWARE's APPNOTE.TXT,
// sections 4.3 and 4.5.3.

const (
	zipLocalHeader      = 0x04034b50
	zipDirectoryHeader  = 0x02014b50
	zipDirectoryEnd     = 0x06054b50
	zipDirectoryEnd64   = 0x06064b50
	zipDirectoryLocator = 0x07064b50
	zipExtra64          = 1      // the extra field with 64-bit sizes
	zipVersion64        = 45     // 4.5, the first with 64-bit sizes
	zipUnix             = 3 << 8 // the system in the upper byte of "version made by"
	zipUTF8             = 1 << 11
	zipFirstDate        = 1<<5 | 1    // 1980-01-01
	zipPrivateFile      = 0o600 << 16 // the mode that Python gives to members
	zipMax32            = math.MaxUint32
)

// A storedZip writes a zip archive without compression.
type storedZip struct {
	w         io.Writer
	offset    uint64
	count     uint64
	directory []byte
}

func (z *storedZip) write(b []byte) error {
	n, err := z.w.Write(b)
	z.offset += uint64(n)
	return err
}

// littleEndian appends values of fixed size with the low byte first.
func littleEndian(b []byte, values ...any) []byte {
	for _, v := range values {
		switch v := v.(type) {
		case uint16:
			b = binary.LittleEndian.AppendUint16(b, v)
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, v)
		case uint64:
			b = binary.LittleEndian.AppendUint64(b, v)
		}
	}
	return b
}

// byteCounter counts what is written and forwards it.
type byteCounter struct {
	w io.Writer
	n uint64
}

func (c *byteCounter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += uint64(n)
	return n, err
}

// add writes a member; content is called twice and must write the same.
func (z *storedZip) add(name string, content func(io.Writer) error) error {
	if len(name) > math.MaxUint16 {
		return fmt.Errorf("the name of a zip member has %d bytes, more than %d", len(name), math.MaxUint16)
	}
	sum := crc32.NewIEEE()
	first := &byteCounter{w: sum}
	if err := content(first); err != nil {
		return err
	}
	size, start := first.n, z.offset
	flags := uint16(0)
	for _, r := range name {
		if r > 127 {
			flags = zipUTF8
		}
	}
	common := littleEndian(nil, uint16(zipVersion64), flags, uint16(0), uint16(0), uint16(zipFirstDate), sum.Sum32())
	local := append(littleEndian(nil, uint32(zipLocalHeader)), common...)
	local = littleEndian(local, uint32(zipMax32), uint32(zipMax32), uint16(len(name)), uint16(20))
	local = append(local, name...)
	local = littleEndian(local, uint16(zipExtra64), uint16(16), size, size)
	if err := z.write(local); err != nil {
		return err
	}
	second := &byteCounter{w: z.w}
	err := content(second)
	z.offset += second.n
	if err != nil {
		return err
	}
	z.list(name, common, size, start)
	return nil
}

// list adds a member to the directory. Numbers that need 64 bits move to an extra
// field.
func (z *storedZip) list(name string, common []byte, size, start uint64) {
	var wide []byte
	size32, start32 := uint32(size), uint32(start)
	if size >= zipMax32 {
		wide, size32 = littleEndian(wide, size, size), zipMax32
	}
	if start >= zipMax32 {
		wide, start32 = littleEndian(wide, start), zipMax32
	}
	extra := 0
	if wide != nil {
		extra = 4 + len(wide)
	}
	d := littleEndian(z.directory, uint32(zipDirectoryHeader), uint16(zipUnix|zipVersion64))
	d = append(d, common...)
	d = littleEndian(d, size32, size32, uint16(len(name)), uint16(extra), uint16(0), uint16(0), uint16(0), uint32(zipPrivateFile), start32)
	d = append(d, name...)
	if wide != nil {
		d = append(littleEndian(d, uint16(zipExtra64), uint16(len(wide))), wide...)
	}
	z.directory = d
	z.count++
}

// finish writes the directory and its end, with the 64-bit form where needed.
func (z *storedZip) finish() error {
	start, size := z.offset, uint64(len(z.directory))
	var end []byte
	count32, size32, start32 := z.count, size, start
	if z.count >= math.MaxUint16 || start >= zipMax32 || size >= zipMax32 {
		end = littleEndian(end, uint32(zipDirectoryEnd64), uint64(44), uint16(zipVersion64), uint16(zipVersion64),
			uint32(0), uint32(0), z.count, z.count, size, start)
		end = littleEndian(end, uint32(zipDirectoryLocator), uint32(0), start+size, uint32(1))
		count32, size32, start32 = min(z.count, math.MaxUint16), min(size, zipMax32), min(start, zipMax32)
	}
	end = littleEndian(end, uint32(zipDirectoryEnd), uint16(0), uint16(0), uint16(count32), uint16(count32), uint32(size32), uint32(start32), uint16(0))
	if err := z.write(z.directory); err != nil {
		return err
	}
	return z.write(end)
}
