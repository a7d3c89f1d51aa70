"""Where this package keeps files: what it builds at the first use."""

import hashlib
import os
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
        notice(f"{directory} cannot be used as a cache; what is built lasts as long as this process")
    return _scratch


def is_ours(path: str) -> bool:
    """Whether nobody but this user (or root) can change what is at a path: it may be executed."""
    if not hasattr(os, "getuid"):
        return True
    info = os.stat(path)
    return info.st_uid in (os.getuid(), 0) and not info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


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
