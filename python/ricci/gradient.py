"""Derivatives of defs that are defs, too: the names by which they are put together."""

from typing import Any, Dict, List, Sequence

from .errors import ArgumentError
from .function import Function


class Rule:
    """A def and its derivative: that takes inputs by their names and ``d_`` before the name of an output,
    and gives ``d_`` before the name of an input."""

    def __init__(self, f: Function, g: Function):
        self.inputs = [p.name for p in f._def.inputs]
        self.outputs = [p.name for p in f._def.outputs]
        self.takes = [p.name for p in g._def.inputs]
        self.gives = [p.name for p in g._def.outputs]
        if any(p.in_out for p in f._def.outputs):
            raise ArgumentError(f"{f.__name__} updates an argument in place, so it has no gradient")
        for name in self.takes:
            if name not in self.inputs and not self._is_derivative(name, self.outputs):
                raise ArgumentError(f"the gradient takes {name}: expected inputs ({', '.join(self.inputs)}) and d_ before an output ({', '.join(self.outputs)})")
        for name in self.gives:
            if not self._is_derivative(name, self.inputs):
                raise ArgumentError(f"the gradient gives {name}: expected d_ and the name of an input ({', '.join(self.inputs)})")

    @staticmethod
    def _is_derivative(name: str, of: Sequence[str]) -> bool:
        return name.startswith("d_") and name[2:] in of

    def arguments(self, known: Dict[str, Any], gradients: Sequence[Any]) -> List[Any]:
        """The arguments of the derivative, from inputs by name and the gradients of all outputs."""
        by_name = {f"d_{n}": g for n, g in zip(self.outputs, gradients)}
        by_name.update(known)
        return [by_name[n] for n in self.takes]

    def results(self, found: Any) -> List[Any]:
        """The gradient of each input, None where there is none, from what the derivative gave."""
        by_name = dict(zip(self.gives, found if isinstance(found, (tuple, list)) else (found,)))
        return [by_name.get(f"d_{n}") for n in self.inputs]
