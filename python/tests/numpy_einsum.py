"""Runs NumPy's own tests of einsum with Ricci's in its place.

    PYTHONPATH=python python3 python/tests/numpy_einsum.py [-k PART]... [-v]

The tests are those of the installed NumPy; nothing of them is copied. Types that Ricci lacks must be
refused by a TypeError that names them, and are computed by NumPy then, so that the tests go on. This
takes minutes, since it compiles hundreds of kernels; test_einsum.py runs a part of it.
"""

import argparse
import importlib
import itertools
import os
import sys
import time
import traceback
import types
import warnings
from typing import Any, Callable, Iterator, List, Sequence, Tuple

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import numpy as np

from ricci.contraction import einsum

_numpy_einsum = np.einsum
refused: List[str] = []
computed = 0


def substitute(*arguments: Any, **keywords: Any) -> Any:
    """Ricci's einsum. What it refuses for its type NumPy computes, and it is noted."""
    global computed
    try:
        result = einsum(*arguments, **keywords)
        computed += 1
        return result
    except TypeError as e:
        if "Ricci has no such elements" not in str(e):
            raise
        refused.append(str(e).split(":")[0])
        return _numpy_einsum(*arguments, **keywords)


def tests() -> Iterator[Tuple[str, Callable[[], None]]]:
    """The tests of NumPy by name; parametrised ones once for each value."""
    if "pytest" not in sys.modules:
        try:
            import pytest  # noqa: F401
        except ImportError:
            sys.modules["pytest"] = _pytest()
    for name in ("numpy._core.tests.test_einsum", "numpy.core.tests.test_einsum"):
        try:
            module = importlib.import_module(name)
            break
        except ImportError:
            continue
    else:
        raise ImportError("this NumPy comes without its tests")
    for owner in (module.TestEinsum, module.TestEinsumPath, module):
        instance = owner() if isinstance(owner, type) else owner
        for name in sorted(n for n in dir(owner) if n.startswith("test_")):
            test = getattr(instance, name)
            for arguments, text in _arguments(test):
                yield name + text, lambda test=test, arguments=arguments: test(*arguments)


def _arguments(test: Callable) -> List[Tuple[Sequence[Any], str]]:
    marks = [m for m in getattr(test, "pytestmark", []) if m.name == "parametrize"]
    lists = [[v if isinstance(v, tuple) else (v,) for v in m.args[1]] for m in marks]
    return [(sum(choice, ()), f"[{'-'.join(map(str, sum(choice, ())))}]" if choice else "") for choice in itertools.product(*lists)]


def _pytest() -> types.ModuleType:
    """As much of pytest as these tests name."""
    module = types.ModuleType("pytest")

    class Mark:
        def __getattr__(self, name: str) -> Callable:
            def mark(*args: Any, **keywords: Any) -> Callable:
                def apply(test: Callable) -> Callable:
                    test.pytestmark = [*getattr(test, "pytestmark", []), types.SimpleNamespace(name=name, args=args)]  # type: ignore[attr-defined]
                    return test

                return apply

            return mark

    module.mark = Mark()  # type: ignore[attr-defined]
    module.raises = lambda *a, **k: np.testing.assert_raises(*a, **k)  # type: ignore[attr-defined]
    return module


def run(wanted: Callable[[str], bool], verbose: bool = False) -> Tuple[int, List[Tuple[str, str]]]:
    """How many tests were run, and those that failed with their traces."""
    failed, count = [], 0
    np.einsum = substitute
    try:
        for name, test in tests():
            if not wanted(name):
                continue
            count += 1
            start = time.monotonic()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    test()
                outcome = "ok"
            except Exception:
                failed.append((name, traceback.format_exc()))
                outcome = "FAILED"
            if verbose:
                print(f"{outcome:7} {name} ({time.monotonic() - start:.1f} s)", flush=True)
    finally:
        np.einsum = _numpy_einsum
    return count, failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-k", action="append", default=[], metavar="PART", help="only tests whose name has one of these parts")
    parser.add_argument("-v", action="store_true", help="prints each test")
    parser.add_argument("-x", action="append", default=[], metavar="PART", help="leaves out tests whose name has one of these parts")
    options = parser.parse_args()
    count, failed = run(lambda n: (not options.k or any(k in n for k in options.k)) and not any(x in n for x in options.x), options.v)
    for name, trace in failed:
        print(f"\n== {name}\n{trace}")
    print(f"NumPy {np.__version__}: {count} tests, {len(failed)} failed; {computed} calls by Ricci, {len(refused)} refused: {sorted(set(refused))}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
