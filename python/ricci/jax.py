"""Defs as functions of JAX, which ``jax.jit``, ``jax.grad`` and ``jax.vmap`` accept.

    mm = ricci.jax.function("def mm(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }", gradient="def …")

XLA calls the kernels by itself, by its foreign function interface (``jax.ffi``, JAX 0.5
and later): a kernel is compiled for the shapes when JAX traces. On a card of CUDA those of ``ricci.compile(…, device="cuda")``
are called so. Else, and where there is no C compiler, XLA calls Python by ``jax.pure_callback``, which costs some ten microseconds and copies.
"""

import os
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import jax
import numpy as np

from . import shapes
from .errors import ArgumentError, ArgumentTypeError, Unavailable
from .function import Function
from .gradient import Rule
from .kernel import Kernel
from .program import compile
from .signature import Arguments

_VMAP = "sequential"  # jax.vmap calls once for each: a kernel has the shapes of one


def function(definition: Union[str, Function], *, gradient: Union[str, Function, None] = None, notation: str = "tc") -> Callable:
    """A def as a function of JAX.

    It takes the inputs, then what the def updates, whose new values are results, since arrays of JAX do not
    change; then sizes that no input has. These, and scalars that decide about shapes, are numbers that are known when JAX traces.

    ``gradient`` is a def as that of ``ricci.torch.op``; inputs without one have the gradient 0.
    """
    f = definition if isinstance(definition, Function) else compile(definition, notation=notation)
    if gradient is None:
        return lambda *arguments: _call(f, *_split(f, arguments))
    g = gradient if isinstance(gradient, Function) else compile(gradient, notation=notation)
    rule = Rule(f, g)

    def call(*arguments: Any) -> Any:
        known, sizes = _split(f, arguments)
        varies = [k for k, p in enumerate(f._def.inputs) if not p.size]  # all else must stay a number, and has no derivative

        def complete(values: Sequence[Any]) -> List[Any]:
            found = list(known)
            for k, x in zip(varies, values):
                found[k] = x
            return found

        def backward(kept: Sequence[Any], gradients: Any) -> Tuple[Any, ...]:
            by_input = _backward(rule, g, complete(kept), gradients)
            return tuple(by_input[k] for k in varies)

        made = jax.custom_vjp(lambda *values: _call(f, complete(values), sizes))
        made.defvjp(lambda *values: (_call(f, complete(values), sizes), values), backward)
        return made(*[known[k] for k in varies])

    return call


def _split(f: Function, arguments: Sequence[Any]) -> Tuple[List[Any], Dict[str, int]]:
    """Arguments that are arrays or scalars, and the sizes behind them."""
    d = f._def
    params = f._signature.params
    if len(arguments) != len(params) + len(d.free_sizes):
        raise ArgumentError(f"{f.__name__} takes {len(params) + len(d.free_sizes)} arguments in JAX, and {len(arguments)} are given")
    values = [_number(x, p.name) if p.size else x for x, p in zip(arguments, params)]
    return values, {n: _number(x, n) for n, x in zip(d.free_sizes, arguments[len(params):])}


def _number(x: Any, name: str) -> int:
    try:
        return int(x.__index__())
    except TypeError:  # JAX's own, too, of values that are not known yet
        raise ArgumentTypeError(f"{name} decides about shapes, and is not known when JAX traces: pass a whole number, which jax.jit has in static_argnums") from None


def _call(f: Function, values: Sequence[Any], sizes: Dict[str, int]) -> Any:
    d = f._def
    found = f._signature.sort([_example(x) for x in values], {}, None, sizes)
    wide = next((p for p in (*d.inputs, *d.outputs) if p.type.bits == 64), None)
    if wide is not None and not jax.config.jax_enable_x64:
        raise ArgumentTypeError(f"{wide.name} is {wide.type.name}, and JAX has 32 bits at most: jax.config.update('jax_enable_x64', True)")
    updated = [v for v in found.outputs if v is not None]
    views = [*found.inputs, *updated]
    given = [x if hasattr(x, "shape") else v.array.view(np.dtype(v.type.name)) for x, v in zip(values, views)]
    new = iter(shapes.of_results(d, [*(v.array if v.array.ndim else v.array.item() for v in views), *(sizes[n] for n in d.free_sizes)]))
    results = [jax.ShapeDtypeStruct(next(new) if v is None else v.array.shape, np.dtype(p.type.name)) for v, p in zip(found.outputs, d.outputs)]
    target = _target(f, found)
    if target is None:
        made = jax.pure_callback(_in_python(f, results, sizes), tuple(results), *given, vmap_method=_VMAP)
    else:
        in_place = [k for k, v in enumerate(found.outputs) if v is not None]
        aliases = {len(found.inputs) + k: result for k, result in enumerate(in_place)}
        made = jax.ffi.ffi_call(target, results, vmap_method=_VMAP, input_output_aliases=aliases)(*given)
    return made[0] if len(results) == 1 else tuple(made)


def _example(x: Any) -> Any:
    """An array of the type and shape of one whose values are not known; it is never looked into."""
    return np.empty(x.shape, x.dtype) if hasattr(x, "shape") and hasattr(x, "dtype") else x


def _in_python(f: Function, results: Sequence[Any], sizes: Dict[str, int]) -> Callable:
    count = len(f._def.inputs)

    def run(*given: Any) -> Tuple[np.ndarray, ...]:
        old = iter(given[count:])
        out = tuple(np.array(next(old)) if p.in_out else np.empty(r.shape, r.dtype) for p, r in zip(f._def.outputs, results))
        f(*map(np.asarray, given[:count]), out=out, sizes=sizes)
        return out

    return run


# What XLA calls the devices of its backends.
_PLATFORMS = {"cpu": "cpu", "gpu": "CUDA", "cuda": "CUDA"}

# Kernels that XLA knows, by their addresses: it may call them as long as the process lives.
_registered: Dict[int, Tuple[str, Kernel]] = {}
_registering = threading.Lock()


def _target(f: Function, found: Arguments) -> Optional[str]:
    """The name by which XLA calls the kernel for arguments; None where Python has to."""
    platform = _PLATFORMS.get(jax.default_backend())
    if not hasattr(jax, "ffi") or platform is None or not _runs_on(f, platform):
        return None
    try:
        kernel = f.kernel_for(found)
    except Unavailable:
        return None
    with _registering:
        if kernel.address not in _registered:
            # Named by what it is, since JAX keeps compiled programs from process to process.
            name = f"ricci.{f.__name__}.{os.path.splitext(os.path.basename(kernel.path))[0]}"
            jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(kernel.handler), platform=platform)
            _registered[kernel.address] = name, kernel
        return _registered[kernel.address][0]


def _runs_on(f: Function, platform: str) -> bool:
    """Whether kernels of f run where XLA has its arrays. On a card no kernel is told a size by a value, which would have to be waited for."""
    if platform == "CUDA":
        return f.takes_card and not any(p.size for p in f._def.inputs)
    return not f.runs_in_service


def _backward(rule: Rule, g: Function, values: Sequence[Any], gradients: Any) -> List[Any]:
    """The gradient of each input; None, which JAX takes for 0, where there is none."""
    every = gradients if isinstance(gradients, (tuple, list)) else (gradients,)
    return rule.results(_call(g, *_split(g, rule.arguments(dict(zip(rule.inputs, values)), every))))
