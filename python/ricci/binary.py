"""Finds the command of Ricci, or builds it.

In this order: ``RICCI_BIN``; ``bin/ricci`` inside of this package, as in a wheel; the checkout that
this package lies in, built with Go whenever its sources have changed; ``ricci`` on the PATH.
"""

import os
import shutil
import subprocess
import tempfile
from typing import List, Optional

from . import places
from .errors import BuildError

_HERE = os.path.dirname(os.path.abspath(__file__))


def find() -> str:
    """The path of the command."""
    chosen = os.environ.get("RICCI_BIN")
    if chosen:
        if not os.path.isfile(chosen) or not os.access(chosen, os.X_OK):
            raise BuildError(f"RICCI_BIN is {chosen!r}, and that is no file that can be executed")
        return chosen
    bundled = os.path.join(_HERE, "bin", "ricci")
    if os.access(bundled, os.X_OK):
        return bundled
    root = checkout()
    if root is not None and shutil.which("go"):
        return build(root)
    found = shutil.which("ricci")
    if found:
        return found
    if root is not None:
        raise BuildError(
            "the command of Ricci is not built, and there is no Go to build it: install Go 1.26, "
            "or set RICCI_BIN to a command that was built elsewhere"
        )
    raise BuildError("the command of Ricci is missing: put ricci on the PATH, or set RICCI_BIN to it")


def checkout() -> Optional[str]:
    """The root of the checkout that this package lies in; None where it is installed elsewhere."""
    root = os.path.dirname(os.path.dirname(_HERE))
    try:
        with open(os.path.join(root, "go.mod"), encoding="utf-8") as f:
            first = f.readline().split()
    except OSError:
        return None
    return root if first == ["module", "github.com/ricci-lang/ricci"] else None


def build(root: str) -> str:
    """Builds the command of a checkout, unless that of these very sources is there."""
    directory = places.cache()
    path = os.path.join(directory, "ricci-" + places.digest("\n".join(_sources(root)).encode()))
    if os.access(path, os.X_OK):
        return path
    places.notice("building the command with Go, since its sources are new (seconds, at the first use)")
    # Aside and renamed, so that a process beside this one never sees half a file.
    handle, aside = tempfile.mkstemp(dir=directory, prefix="building-")
    os.close(handle)
    try:
        done = subprocess.run(
            ["go", "build", "-trimpath", "-o", aside, "./cmd/ricci"],
            cwd=root, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        )
        if done.returncode != 0:
            raise BuildError(f"go build ./cmd/ricci failed in {root}:\n{done.stderr.strip()}")
        os.chmod(aside, 0o700)
        os.replace(aside, path)
    finally:
        if os.path.exists(aside):
            os.unlink(aside)
    _forget(directory, path)
    return path


def _sources(root: str) -> List[str]:
    """What the command is made of: names, sizes and times of its sources."""
    lines = [root]
    for directory, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in ("testdata", "python", "docs"))
        for name in sorted(files):
            # Files of other kinds are embedded: tables, headers, programs in TC.
            if name.endswith("_test.go") or directory == root and not name.endswith((".go", ".mod", ".sum")):
                continue
            info = os.lstat(os.path.join(directory, name))
            lines.append(f"{os.path.relpath(directory, root)}/{name} {info.st_size} {info.st_mtime_ns}")
    return lines


def _forget(directory: str, keep: str) -> None:
    """Removes commands of older sources, all but the four that were made last."""
    found = [os.path.join(directory, n) for n in os.listdir(directory) if n.startswith("ricci-")]
    found = [p for p in found if p != keep and os.path.isfile(p)]
    for path in sorted(found, key=os.path.getmtime, reverse=True)[4:]:
        try:
            os.unlink(path)
        except OSError:
            pass
