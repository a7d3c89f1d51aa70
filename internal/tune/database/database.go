// Package database keeps every trial of a candidate, so that no schedule is
// measured twice and a search that ended half way goes on.
package database

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/ricci-lang/ricci/internal/trust"
	"github.com/ricci-lang/ricci/internal/tune/tuned"
)

// How it works
//
// One SQLite file for all of a user's processes, in the directory of the kernel
// cache. It is in WAL mode with a busy timeout: readers never wait, writers wait for
// each other, and what was committed survives a process that is killed. Every
// trial is a transaction of its own, so at most the running trial is lost.
//
// A configuration is what tuned.Configuration says. A trial belongs to it, to the
// version of Ricci that made the code, and to a space: a time of another version
// is no measurement any more, but its schedule is a good place to start from. The
// schema has a number (user_version); a file of another number is set aside, since
// everything in it can be measured again.

// schema makes an empty database.
const schema = `
CREATE TABLE configurations (
	id      INTEGER PRIMARY KEY,
	key     TEXT NOT NULL UNIQUE,   -- tuned.Configuration.Key
	program TEXT NOT NULL,          -- tuned.Configuration.ProgramKey
	name    TEXT NOT NULL,          -- for people
	json    TEXT NOT NULL           -- the tuned.Configuration
);
CREATE INDEX configurations_program ON configurations (program);
CREATE TABLE sessions (
	id            INTEGER PRIMARY KEY,
	configuration INTEGER NOT NULL REFERENCES configurations ON DELETE CASCADE,
	version       TEXT NOT NULL,
	space         TEXT NOT NULL,
	strategy      TEXT NOT NULL,
	seed          INTEGER NOT NULL,
	started       TEXT NOT NULL,
	ended         TEXT,             -- NULL while it runs, or when it was killed
	outcome       TEXT              -- why it ended
);
CREATE TABLE trials (
	id            INTEGER PRIMARY KEY,
	session       INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
	point         TEXT NOT NULL,    -- space.Key
	tree          TEXT NOT NULL,    -- canonical text
	status        TEXT NOT NULL,    -- 'ok', or the failure
	message       TEXT NOT NULL,
	seconds       REAL NOT NULL,    -- the least
	median        REAL NOT NULL,
	samples       INTEGER NOT NULL,
	at            TEXT NOT NULL
);
CREATE INDEX trials_session ON trials (session);
`

// version is the number of the schema.
const version = 1

// busyTimeout is how long a writer waits for others.
const busyTimeout = 10 * time.Second

// A DB is an open database. Its methods may be called from many goroutines.
type DB struct {
	sql *sql.DB
	// SetAside is where a file is kept now that could not be used; empty where there was none.
	SetAside string
}

// FileName is the name of the database in the directory of the kernel cache.
const FileName = "tuning.sqlite"

// Open opens the database in a directory, which is made with its file if need be.
func Open(ctx context.Context, dir string) (*DB, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, FileName)
	if err := checkFiles(path); err != nil {
		return nil, fmt.Errorf("the tuning database cannot be used: %w; RICCI_CACHE names another one", err)
	}
	aside := ""
	db, err := openAfterOthers(ctx, path)
	if errors.Is(err, errOther) {
		if aside, err = setAside(path); err != nil {
			return nil, err
		}
		db, err = openAfterOthers(ctx, path)
	}
	if isOfFiles(err) {
		return nil, fmt.Errorf("the tuning database %s cannot be used: %w: the disk is full, or the directory cannot be written; RICCI_CACHE names another one", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("the tuning database %s cannot be used: %w", path, err)
	}
	db.SetAside = aside
	return db, nil
}

// parts are what SQLite appends to the name of a database for its own files.
var parts = []string{"", "-wal", "-shm", "-journal"}

// checkFiles refuses what SQLite would wait for, as for a pipe, or what others can change.
func checkFiles(path string) error {
	for _, part := range parts {
		info, err := os.Lstat(path + part)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = trust.File(path+part, info)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errOther says that a file is none that this version of Ricci understands.
var errOther = errors.New("it is of another version of Ricci, or damaged")

// openAfterOthers waits for processes that make the same file: SQLite does not wait by itself where two
// of them turn a new file into one in WAL mode.
func openAfterOthers(ctx context.Context, path string) (*DB, error) {
	const pause = 10 * time.Millisecond
	for until := time.Now().Add(busyTimeout); ; {
		db, err := open(ctx, path)
		if !isBusy(err) || time.Now().After(until) {
			return db, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

func open(ctx context.Context, path string) (_ *DB, err error) {
	pragmas := url.Values{"_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), "journal_mode(WAL)", "synchronous(NORMAL)", "foreign_keys(1)",
	}, "_txlock": {"immediate"}}
	handle, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+pragmas.Encode())
	if err != nil {
		return nil, err
	}
	d := &DB{sql: handle}
	if err := d.prepare(ctx); err != nil {
		return nil, errors.Join(err, handle.Close())
	}
	return d, nil
}

// prepare makes the tables of a new file. Two processes may do so at once.
func (d *DB) prepare(ctx context.Context) error {
	return d.transaction(ctx, func(tx *sql.Tx) error {
		var number, tables int
		err := tx.QueryRowContext(ctx, "SELECT (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_master)").Scan(&number, &tables)
		switch {
		case err != nil && ctx.Err() == nil && isDamaged(err):
			return fmt.Errorf("%w: %w", errOther, err)
		case err != nil:
			return err
		case number == version:
			return nil
		case number != 0 || tables > 0:
			return errOther
		}
		_, err = tx.ExecContext(ctx, fmt.Sprintf("%s PRAGMA user_version = %d;", schema, version))
		return err
	})
}

// setAside renames a file that cannot be used, with what belongs to it, and returns its name.
func setAside(path string) (string, error) {
	suffix := time.Now().UTC().Format(".20060102T150405.000")
	for _, part := range parts {
		if err := os.Rename(path+part, path+suffix+part); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	return path + suffix, nil
}

// transaction runs a function that may be repeated by nobody: it commits once.
func (d *DB) transaction(ctx context.Context, f func(tx *sql.Tx) error) error {
	tx, err := d.sql.BeginTx(ctx, nil)
	if err != nil {
		if isDamaged(err) {
			return fmt.Errorf("%w: %w", errOther, err)
		}
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Close closes the database.
func (d *DB) Close() error { return d.sql.Close() }

// A Session is one run of the tuner.
type Session struct {
	Version  string
	Space    string
	Strategy string
	Seed     uint64

	db    *DB
	id    int64
	first int64 // the first of the sessions that this one goes on with, or itself
}

// Begin notes that a search for a configuration begins.
func (d *DB) Begin(ctx context.Context, name string, c *tuned.Configuration, s Session) (*Session, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	s.db = d
	err = d.transaction(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO configurations (key, program, name, json) VALUES (?, ?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET name = excluded.name`, c.Key(), c.ProgramKey(), name, string(text))
		if err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, `INSERT INTO sessions (configuration, version, space, strategy, seed, started)
			SELECT id, ?, ?, ?, ?, ? FROM configurations WHERE key = ?`, s.Version, s.Space, s.Strategy, int64(s.Seed), now(), c.Key())
		if err != nil {
			return err
		}
		s.id, err = result.LastInsertId()
		s.first = s.id
		return err
	})
	return &s, err
}

func now() string { return time.Now().UTC().Format(time.RFC3339Nano) }

// End notes why the search ended.
func (s *Session) End(ctx context.Context, outcome string) error {
	_, err := s.db.sql.ExecContext(ctx, "UPDATE sessions SET ended = ?, outcome = ? WHERE id = ?", now(), outcome, s.id)
	return err
}

// Resume finds the sessions that this one goes on with: the last ones before it of the
// same configuration, version and space, as long as they had its strategy and seed and
// did not end, or with the outcome interrupted. It returns their trials in order; for Earlier and
// Neighbours the run begins with the first of these sessions from then on.
func (s *Session) Resume(ctx context.Context, interrupted string) ([]Trial, error) {
	// The first one comes after the last that is other, or has ended otherwise.
	err := s.db.sql.QueryRowContext(ctx, `SELECT coalesce(min(x.id), me.id) FROM sessions me LEFT JOIN sessions x
		ON x.id < me.id AND x.configuration = me.configuration AND x.version = me.version AND x.space = me.space AND x.id > (
			SELECT coalesce(max(o.id), 0) FROM sessions o
			WHERE o.id < me.id AND o.configuration = me.configuration AND o.version = me.version AND o.space = me.space
			AND NOT (o.strategy = me.strategy AND o.seed = me.seed AND coalesce(o.outcome, ?) = ?))
		WHERE me.id = ?`, interrupted, interrupted, s.id).Scan(&s.first)
	if err != nil {
		return nil, err
	}
	return s.last(ctx, s.first, s.id)
}

// OK is the status of a trial that worked.
const OK = "ok"

// A Trial is what was learnt about one point.
type Trial struct {
	Point   string
	Tree    string // in canonical names
	Status  string // OK or the failure
	Message string // of the failure
	Seconds float64
	Median  float64
	Samples int
}

// Record keeps a trial. When it returns the trial survives the process.
func (s *Session) Record(ctx context.Context, t Trial) error {
	_, err := s.db.sql.ExecContext(ctx, `INSERT INTO trials (session, point, tree, status, message, seconds, median, samples, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		s.id, t.Point, t.Tree, t.Status, t.Message, t.Seconds, t.Median, t.Samples, now())
	return err
}

// Earlier returns the last trial of every point that sessions of the same
// configuration, version and space have tried before this run.
func (s *Session) Earlier(ctx context.Context) ([]Trial, error) { return s.last(ctx, 0, s.first) }

// last returns the last trial of every point, of sessions with numbers from first on and
// below end.
func (s *Session) last(ctx context.Context, first, end int64) ([]Trial, error) {
	return s.db.trials(ctx, `SELECT point, tree, status, message, seconds, median, samples FROM trials WHERE id IN (
		SELECT max(t.id) FROM trials t JOIN sessions x ON t.session = x.id
		JOIN sessions me ON me.id = ? AND me.configuration = x.configuration AND me.version = x.version AND me.space = x.space
		WHERE x.id >= ? AND x.id < ? GROUP BY t.point) ORDER BY id`, s.id, first, end)
}

// A Neighbour is the best trial of a configuration.
type Neighbour struct {
	Configuration tuned.Configuration
	Space         string
	Trial
}

// Neighbours returns the best trials before this run of all configurations of the same
// program, this one with any version or space included, in no order.
func (s *Session) Neighbours(ctx context.Context, c *tuned.Configuration) ([]Neighbour, error) {
	rows, err := s.db.sql.QueryContext(ctx, `SELECT c.json, s.space, t.point, t.tree, t.status, t.message, min(t.seconds), t.median, t.samples
		FROM trials t JOIN sessions s ON t.session = s.id JOIN configurations c ON s.configuration = c.id
		WHERE c.program = ? AND t.status = 'ok' AND s.id < ? GROUP BY c.id, s.space`, c.ProgramKey(), s.first)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Neighbour
	for rows.Next() {
		var n Neighbour
		var text string
		if err := rows.Scan(&text, &n.Space, &n.Point, &n.Tree, &n.Status, &n.Message, &n.Seconds, &n.Median, &n.Samples); err != nil {
			return nil, err
		}
		if json.Unmarshal([]byte(text), &n.Configuration) == nil {
			list = append(list, n)
		}
	}
	return list, rows.Err()
}

func (d *DB) trials(ctx context.Context, query string, args ...any) ([]Trial, error) {
	rows, err := d.sql.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Trial
	for rows.Next() {
		var t Trial
		if err := rows.Scan(&t.Point, &t.Tree, &t.Status, &t.Message, &t.Seconds, &t.Median, &t.Samples); err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, rows.Err()
}

// Clear forgets everything and returns how many trials there were.
func (d *DB) Clear(ctx context.Context) (n int, err error) {
	err = d.transaction(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM trials").Scan(&n); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM configurations")
		return err
	})
	if err != nil {
		return 0, err
	}
	_, err = d.sql.ExecContext(ctx, "VACUUM")
	return n, err
}
