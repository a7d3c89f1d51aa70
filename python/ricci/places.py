"""Where this package keeps files: what it builds at the first use."""

import atexit
import hashlib
import os
import shutil
import stat
import sys
import tempfile
from typing import Optional

_scratch: Optional[str] = None  # where no directory of the user can be written, for this process


def cache() -> str:
    """A directory for what is built once, which nobody else can write."""
    global _scratch
    chosen = os.environ.get("RICCI_CACHE")
    if chosen:
        # A sibling: Ricci puts nothing into a directory that it did not make itself, nor should others.
        directory = chosen.rstrip("/") + "-python"
    else:
        home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        directory = os.path.join(home, "ricci-python")
    try:
        os.makedirs(directory, mode=0o700, exist_ok=True)
        if is_ours(directory) and os.access(directory, os.W_OK):
            return directory
    except OSError:
        pass
    if _scratch is None:
        _scratch = tempfile.mkdtemp(prefix="ricci-python-")
        atexit.register(_remove, _scratch, os.getpid())
        notice(f"{directory} cannot be used as a cache; what is built lasts as long as this process")
    return _scratch


def _remove(directory: str, owner: int) -> None:
    if os.getpid() == owner:  # and not a child of a fork, while others go on
        shutil.rmtree(directory, ignore_errors=True)


def is_ours(path: str) -> bool:
    """Whether nobody but this user (or root) can change what is at a path, or put something in its place,
    as ssh asks it of its keys: what is there is executed. A directory above may be open to all where it is sticky, as /tmp is."""
    if not hasattr(os, "getuid"):
        return True
    path, above = os.path.realpath(path), False
    while True:
        info = os.stat(path)
        open_to_others = info.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not (above and info.st_mode & stat.S_ISVTX)
        if info.st_uid not in (os.getuid(), 0) or open_to_others:
            return False
        parent = os.path.dirname(path)
        if parent == path:
            return True
        path, above = parent, True


def digest(*parts: bytes) -> str:
    """A name for contents."""
    h = hashlib.sha256()
    for part in parts:
        h.update(len(part).to_bytes(8, "little"))
        h.update(part)
    return h.hexdigest()[:16]


def quiet() -> bool:
    """Whether notices are unwanted: RICCI_QUIET is set."""
    return bool(os.environ.get("RICCI_QUIET"))


def notice(text: str) -> None:
    """Tells something on the error stream, in a line."""
    if not quiet():
        print(f"ricci: {text}", file=sys.stderr, flush=True)


_told: set = set()


def notice_once(text: str) -> None:
    """Tells something, unless it was told before."""
    if text not in _told:
        _told.add(text)
        notice(text)
