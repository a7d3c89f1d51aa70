"""MDH from Python: the input that the paper shows (its Listing 5), as a function on arrays.

    def matvec(T, I, K):
        @mdh(out(w = Buffer[T, [I]]),
             inp(M = Buffer[T, [I, K]], v = Buffer[T, [K]]))
        def mdh_matvec():
            def mul(out, inp):
                out['w'] = inp['M'] * inp['v']
            def scalar_plus(res, lhs, rhs):
                res['w'] = lhs['w'] + rhs['w']
            return (
                out_view[T](w = [lambda i, k: (i)]),
                md_hom[I, K](mul, (CC, PW(scalar_plus))),
                inp_view[T, T](M = [lambda i, k: (i, k)], v = [lambda i, k: (k)]))
        return mdh_matvec

    f = matvec(fp32, 1024, 1024)      # or matvec(fp32, *sizes("I, K")), for all sizes
    w = f(M, v)

Three functions in a tuple are what ``out_view[…](…)(md_hom[…](…)(inp_view[…](…)))`` gives, too.
docs/python.md has the rest.
"""

from .elements import Record, ScalarType, Table, bf16, bool8, fp16, fp32, fp64, int8, int16, int32, int64, uint8, uint16, uint32, uint64
from .expression import Scalar, iterate, maximum, minimum, where
from .parts import CC, PS, PW, Buffer, index, inp, inp_view, md_hom, op, out, out_view, sizes, undefined
from .program import mdh
from .trace import TraceError

__all__ = [
    "CC", "PS", "PW", "Buffer", "Record", "Scalar", "ScalarType", "Table", "TraceError", "bf16", "bool8", "fp16", "fp32", "fp64", "index", "inp", "inp_view",
    "int8", "int16", "int32", "int64", "iterate", "maximum", "md_hom", "mdh", "minimum", "op", "out", "out_view", "sizes", "uint8", "uint16", "uint32",
    "uint64", "undefined", "where",
]
