"""Ricci, a tensor compiler: programs of five notations as functions on arrays.

    import numpy as np, ricci
    mm = ricci.compile("def mm(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k)*B(k,j) }")
    C = mm(A, B)

docs/python.md is the manual.
"""

from . import mdh
from .contraction import einsum
from .errors import (
    ArgumentError,
    ArgumentTypeError,
    BuildError,
    Cancelled,
    CheckError,
    Diagnostic,
    Error,
    OutOfMemory,
    ProgramError,
    ProgramWarning,
    RangeError,
    ServiceError,
    Unavailable,
)
from .function import Function
from .image import Image
from .options import Options
from .program import Program, compile, function, load, program, strands
from .worlds import Results, Strands, World

from .notebook import load_ipython_extension
from .tuning import Tuned
from .tuning import save as save_schedules
from .version import __version__

__all__ = [
    "ArgumentError", "ArgumentTypeError", "BuildError", "Cancelled", "CheckError", "Diagnostic", "Error", "Function", "Image",
    "Options", "OutOfMemory", "Program", "ProgramError", "ProgramWarning", "RangeError", "Results", "ServiceError", "Strands", "Tuned", "Unavailable", "World", "__version__",
    "compile", "einsum", "function", "load", "load_ipython_extension", "mdh", "program", "save_schedules", "strands",
]
