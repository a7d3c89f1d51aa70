package database

import (
	"errors"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// isDamaged reports whether an error says that a file is no database.
func isDamaged(err error) bool {
	code := primaryCode(err)
	return code == sqlite3.SQLITE_NOTADB || code == sqlite3.SQLITE_CORRUPT
}

// isOfFiles reports whether an error says that files cannot be written, for which SQLite has no more words than a number.
func isOfFiles(err error) bool {
	switch primaryCode(err) {
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL:
		return true
	}
	return false
}

// isBusy reports whether an error says that another process has the file.
func isBusy(err error) bool { return primaryCode(err) == sqlite3.SQLITE_BUSY }

// primaryCode returns SQLite's code of an error without the extended part, 0 of errors that are not SQLite's.
func primaryCode(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff
}
