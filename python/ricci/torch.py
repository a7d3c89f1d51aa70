"""Defs as operators of PyTorch, which ``torch.compile`` and ``torch.export`` accept.

    mm = ricci.torch.op("mm", "def mm(float(M,K) A, float(K,N) B) -> (C) { C(i,j) +=! A(i,k) * B(k,j) }",
                        gradient='''def grad(float(M,N) d_C, float(M,K) A, float(K,N) B) -> (d_A, d_B) {
                                      d_A(i,k) +=! d_C(i,j) * B(k,j)
                                      d_B(k,j) +=! A(i,k) * d_C(i,j)
                                    }''')

It needs ``torch.library.custom_op`` (PyTorch 2.4). Tensors are used where they are, by DLPack: on the processor, or, for
options with the device "cuda", on a card, in PyTorch's present stream.
"""

from typing import Any, Callable, List, Optional, Sequence, Union

import torch

from . import shapes
from .errors import ArgumentError
from .function import Function
from .gradient import Rule
from .options import Options
from .program import compile

_SCALARS = {"b": "bool", "i": "int", "u": "int", "f": "float"}


def op(name: str, definition: Union[str, Function], *, gradient: Union[str, Function, None] = None, backward: Optional[Callable] = None,
       setup_context: Optional[Callable] = None, namespace: str = "ricci", notation: str = "tc", options: Optional[Options] = None) -> Callable:
    """Registers a def as the operator ``NAMESPACE::NAME``, for ever in this process, and returns it.

    ``gradient`` is a def whose parameters have the names of inputs, or ``d_`` and that of an output:
    the derivative by it; its results are ``d_`` and the name of an input each. Inputs without one get
    no gradient. Or give ``backward`` (and ``setup_context``) as ``register_autograd`` takes them.
    Outputs that the def updates in place are arguments that the operator mutates, and no results.
    Arguments are inputs, what is updated, and sizes that no input has; where none of them is a tensor,
    a ``torch.device`` follows, which is the processor, or a card.
    """
    f = definition if isinstance(definition, Function) else compile(definition, notation=notation, options=options)
    if not name.isidentifier() or not namespace.isidentifier():
        raise ArgumentError(f"{namespace}::{name} is no name of an operator")
    if gradient is not None and backward is not None:
        raise ArgumentError("give gradient or backward, not both")
    rule = None
    if gradient is not None:
        g = gradient if isinstance(gradient, Function) else compile(gradient, notation=notation, options=options)
        rule = _Gradient(f, g)  # tested before anything is registered, which cannot be taken back
        rule.operator = op(f"{name}_backward", g, namespace=namespace)
    made = _Operator(f)
    registered = torch.library.custom_op(f"{namespace}::{name}", made.run, mutates_args=made.mutated, device_types="cuda" if f.takes_card else "cpu", schema=made.schema())
    registered.register_fake(made.fake)
    if rule is not None:
        registered.register_autograd(rule.backward, setup_context=rule.setup_context)
    elif backward is not None:
        registered.register_autograd(backward, setup_context=setup_context)
    return registered


class _Operator:
    """A def as PyTorch sees it: tensors and numbers in, new tensors out."""

    def __init__(self, f: Function):
        self._function = f
        self._def = f._def
        self._new = [p for p in self._def.outputs if not p.in_out]
        self.mutated = [p.name for p in self._def.outputs if p.in_out]

    def schema(self) -> str:
        """Such as ``(Tensor A, float a, Tensor(a0!) y, int N) -> (Tensor, Tensor)``."""
        parts = [f"{'Tensor' if p.dims else _SCALARS[p.type.dtype.kind]} {p.name}" for p in self._def.inputs]
        parts += [f"Tensor(a{k}!) {name}" for k, name in enumerate(self.mutated)]
        parts += [f"SymInt {name}" for name in self._def.free_sizes]
        if not self._has_tensors():
            parts.append("Device device")  # PyTorch finds the operator by its tensors, or by this
        results = ", ".join("Tensor" for _ in self._new)
        return f"({', '.join(parts)}) -> {results if len(self._new) == 1 else f'({results})'}"

    def _has_tensors(self) -> bool:
        return bool(self.mutated) or any(p.dims for p in self._def.inputs)

    def run(self, *arguments: Any) -> Any:
        """The operator on real tensors."""
        made = self._allocate(arguments)
        count = len(self._def.inputs) + len(self.mutated)
        given = [x.detach() if hasattr(x, "detach") else x for x in arguments[:count]]
        sizes = {n: int(v) for n, v in zip(self._def.free_sizes, arguments[count:])}
        out = {p.name: x for p, x in zip(self._new, made)}
        self._function(*given, out=out or None, sizes=sizes)
        return self._results(made)

    def fake(self, *arguments: Any) -> Any:
        """The operator on shapes alone."""
        return self._results(self._allocate(arguments))

    def _results(self, made: List[Any]) -> Any:
        return made[0] if len(made) == 1 else tuple(made) if made else None

    def _allocate(self, arguments: Sequence[Any]) -> List[Any]:
        found = shapes.of_results(self._def, arguments)
        device: Any = "cpu"
        if self._function.takes_card:
            device = next((x.device for x in arguments if hasattr(x, "device")), arguments[-1] if arguments else "cuda")
        return [torch.empty(shape, dtype=getattr(torch, p.type.name), device=device) for p, shape in zip(self._new, found)]


class _Gradient:
    """The derivative of an operator by another one."""

    operator: Callable

    def __init__(self, f: Function, g: Function):
        self._rule = Rule(f, g)

    def setup_context(self, ctx: Any, inputs: Sequence[Any], output: Any) -> None:
        """Keeps the inputs that the gradient takes. PyTorch gives these arguments by these names."""
        context = ctx
        kept = {n: x for n, x in zip(self._rule.inputs, inputs) if n in self._rule.takes}
        context.numbers = {n: x for n, x in kept.items() if not hasattr(x, "shape")}
        context.names = [n for n in kept if n not in context.numbers]
        context.count = len(inputs)
        context.save_for_backward(*[kept[n] for n in context.names])

    def backward(self, context: Any, *gradients: Any) -> Any:
        """A gradient for each input; None where there is none."""
        known = dict(zip(context.names, context.saved_tensors))
        known.update(context.numbers)
        found = self.operator(*self._rule.arguments(known, [g.contiguous() for g in gradients]))
        every = self._rule.results(found) + [None] * (context.count - len(self._rule.inputs))
        return every[0] if len(every) == 1 else tuple(every)
