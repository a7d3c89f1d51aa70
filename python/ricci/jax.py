"""Defs as functions of JAX, which ``jax.jit`` and ``jax.grad`` accept, by way of ``jax.pure_callback``.

    mm = ricci.jax.function("def mm(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }", gradient="def …")

XLA calls Python for each call, which costs some ten microseconds; arrays are not copied on the processor.
"""

from typing import Any, Callable, List, Sequence, Union

import jax

from . import shapes
from .errors import ArgumentError
from .function import Function
from .gradient import Rule
from .program import compile


def function(definition: Union[str, Function], *, gradient: Union[str, Function, None] = None, notation: str = "tc") -> Callable:
    """A def as a function of JAX. Sizes that no input has are last, as numbers.

    ``gradient`` is a def as that of ``ricci.torch.op``; inputs without one have the gradient 0.
    """
    f = definition if isinstance(definition, Function) else compile(definition, notation=notation)
    if any(p.in_out for p in f._def.outputs):
        raise ArgumentError(f"{f.__name__} updates an argument in place, and arrays of JAX do not change")
    if gradient is None:
        return lambda *arguments: _call(f, arguments)
    g = gradient if isinstance(gradient, Function) else compile(gradient, notation=notation)
    rule = Rule(f, g)
    made = jax.custom_vjp(lambda *arguments: _call(f, arguments))
    made.defvjp(lambda *arguments: (_call(f, arguments), arguments), lambda kept, gradients: _backward(rule, f, g, kept, gradients))
    return made


def _call(f: Function, arguments: Sequence[Any]) -> Any:
    d = f._def
    expected = len(d.inputs) + len(d.free_sizes)
    if len(arguments) != expected:
        raise ArgumentError(f"{f.__name__} takes {expected} arguments in JAX, and {len(arguments)} are given")
    results = [jax.ShapeDtypeStruct(shape, p.type.dtype) for p, shape in zip(d.outputs, shapes.of_results(d, arguments))]
    sizes = dict(zip(d.free_sizes, arguments[len(d.inputs):]))

    def run(*given: Any) -> Any:
        return f(*given, sizes=sizes)  # arrays of NumPy, or of JAX on the processor, and numbers

    return jax.pure_callback(run, results[0] if len(results) == 1 else tuple(results), *arguments[:len(d.inputs)])


def _backward(rule: Rule, f: Function, g: Function, kept: Sequence[Any], gradients: Any) -> Any:
    every = gradients if isinstance(gradients, (tuple, list)) else (gradients,)
    found = _call(g, rule.arguments(dict(zip(rule.inputs, kept)), every))
    out: List[Any] = [jax.numpy.zeros_like(x) if d is None else d for x, d in zip(kept, rule.results(found))]
    return tuple(out + [None] * (len(kept) - len(rule.inputs)))
