package scratch

import (
	"errors"
	"os"
)

// ReproducerPrefix begins the names of files that SaveReproducer makes.
const ReproducerPrefix = "reproducer-"

// SaveReproducer writes a text that made something fail to a new file in dir
// (empty: the system's directory for temporary files) and returns its path.
func SaveReproducer(dir, text, suffix string) (string, error) {
	file, err := os.CreateTemp(dir, ReproducerPrefix+"*"+suffix)
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(text)
	return file.Name(), errors.Join(err, file.Close())
}
