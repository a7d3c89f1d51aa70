"""Cells of notebooks: ``%load_ext ricci``, then ``%%ricci`` before a program. Its defs become functions of the notebook."""

import shlex
from typing import Any, Dict

from .errors import ArgumentError
from .options import Options
from .program import Program, program

_FLAGS = ("notation", "threads", "level", "numerics", "warnings")


def load_ipython_extension(shell: Any) -> None:
    """Called by ``%load_ext ricci``."""

    def ricci(line: str, cell: str) -> Program:
        """%%ricci [--notation mdh] [--threads N] [--level avx2] [--numerics strict] [--warnings ignore]"""
        flags = _flags(line)
        notation = flags.pop("notation", "tc")
        if "threads" in flags:
            flags["threads"] = int(flags["threads"])
        found = program(cell, notation=notation, name="cell", options=Options(**flags))
        shell.push({name: found[name] for name in found})
        return found

    shell.register_magic_function(ricci, "cell", "ricci")


def _flags(line: str) -> Dict[str, Any]:
    words, found = shlex.split(line), {}
    while words:
        flag = words.pop(0)
        name, equals, value = flag[2:].partition("=")
        if not flag.startswith("--") or name not in _FLAGS:
            raise ArgumentError(f"%%ricci has no {flag!r}; it has {', '.join('--' + f for f in _FLAGS)}")
        if not equals:
            if not words:
                raise ArgumentError(f"%%ricci: {flag} has no value")
            value = words.pop(0)
        found[name] = value
    return found
