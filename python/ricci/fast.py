"""Builds and loads the extension fast.c, which makes calls cost less than a microsecond.

It is compiled at the first use with the system's C compiler, for the stable ABI of Python 3.9, and
kept in the cache. Where that is impossible, calls go by way of Python and ctypes: slower, the same
results. RICCI_FAST=0 leaves it out.
"""

import functools
import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from typing import Any, Optional

import numpy as np

from . import places

_SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fast.c")


@functools.lru_cache(maxsize=None)
def function_class(base: type, elsewhere: bool = False) -> type:
    """A class of functions: that of the extension on top of base, or one in Python, as those that run elsewhere than on the processor are."""
    module = None if elsewhere else _module()
    if module is None:
        return type(base.__name__, (_Python, base), {})
    return type(base.__name__, (_Fast, module.Dispatcher, base), {})


class _Python:
    """Calls by way of Python alone."""

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._slow(args, named)  # type: ignore[attr-defined]


class _Fast:
    """Teaches the extension what ``Function`` finds out."""

    def _teach_parameters(self) -> None:
        d = self._def  # type: ignore[attr-defined]
        declared = [(p.type.code, p.type.bits, not p.dims, p.size, p.in_out) for p in (*d.inputs, *d.outputs)]
        self._declare(self._result if len(d.outputs) > 1 else None, len(d.inputs), declared)  # type: ignore[attr-defined]
        # A dtype of bfloat16 is not known to the extension, and sizes are given by keywords.
        self._is_taught = not d.free_sizes and all(p.type.name != "bfloat16" for p in (*d.inputs, *d.outputs))

    def _again(self, found: Any) -> Any:
        """The results of a call whose layout is known, for arguments that were sorted; None where it is not."""
        if not self._is_taught or found.sizes:  # sizes that are given are compared with the arrays'
            return None
        out = tuple(None if v is None else v.array for v in found.outputs)
        updated = tuple(x for x, p in zip(out, self._def.outputs) if p.in_out)  # type: ignore[attr-defined]
        results = self._try(tuple(v.array for v in found.inputs) + updated, out if len(out) > 1 else out[0])  # type: ignore[attr-defined]
        if results is NotImplemented:
            return None
        made = results if len(out) > 1 else (results,)
        return [x if given is None else given for x, given in zip(made, found.given)]

    def _teach(self, kernel: Any, found: Any, views: Any) -> None:
        if self._is_taught:
            self._remember(kernel, kernel.address, self.options.threads, [v.array for v in views])  # type: ignore[attr-defined]


@functools.lru_cache(maxsize=None)
def _module() -> Optional[Any]:
    if os.environ.get("RICCI_FAST") == "0" or sys.byteorder != "little" or not _has_stable_abi():
        return None
    try:
        module = _load(_build())
        module.setup(np.ndarray, np.empty)
        return module if _reads_arrays(module) else None
    except (OSError, ImportError, subprocess.SubprocessError) as e:
        text = getattr(e, "stderr", None) or str(e)
        places.notice(f"the fast way of calls cannot be built ({text.strip().splitlines()[0]}); calls take some microseconds more")
        return None


def _has_stable_abi() -> bool:
    """CPython with the GIL; others have other objects."""
    return sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED") and not hasattr(sys, "getobjects")


def _build() -> str:
    """The path of the extension, which is compiled if need be."""
    with open(_SOURCE, "rb") as f:
        source = f.read()
    include = sysconfig.get_paths()["include"]
    path = os.path.join(places.cache(), f"fast-{places.digest(source, include.encode(), sysconfig.get_platform().encode())}.so")
    if os.path.exists(path):
        return path
    compiler = next((c for c in (os.environ.get("CC"), "gcc", "clang", "cc") if c and shutil.which(c.split()[0])), None)
    if compiler is None:
        raise OSError("there is no C compiler")
    if not os.path.exists(os.path.join(include, "Python.h")):
        raise OSError(f"{include} has no Python.h; the headers of Python are in the package python3-dev")
    handle, aside = tempfile.mkstemp(dir=places.cache(), prefix="building-")
    os.close(handle)
    try:
        # A function that the stable ABI of this Python lacks must not be guessed at.
        command = [*compiler.split(), "-O2", "-fPIC", "-shared", "-std=c11", "-Werror=implicit-function-declaration", f"-I{include}", _SOURCE, "-o", aside]
        if sys.platform == "darwin":
            command += ["-undefined", "dynamic_lookup"]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        os.chmod(aside, 0o700)
        os.replace(aside, path)
    finally:
        if os.path.exists(aside):
            os.unlink(aside)
    return path


def _load(path: str) -> Any:
    loader = importlib.machinery.ExtensionFileLoader("ricci._fast", path)
    spec = importlib.util.spec_from_file_location("ricci._fast", path, loader=loader)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    loader.exec_module(module)
    return module


def _reads_arrays(module: Any) -> bool:
    """Whether the extension sees arrays as they are."""
    a = np.arange(24, dtype=np.int32).reshape(2, 3, 4)[:, ::-1, ::2]
    b = np.zeros((), np.float64)
    b.flags.writeable = False
    return all(module.describe(x) == (x.ctypes.data, x.shape, x.strides, int(x.flags.writeable), x.dtype) for x in (a, b))
