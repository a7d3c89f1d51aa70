"""Extents as expressions over sizes, computed on numbers or on what a framework has for unknown ones."""

import ast
import functools
from typing import Any, Callable, Dict, List, Sequence, Tuple

from .errors import Error


@functools.lru_cache(maxsize=4096)
def _parsed(text: str) -> ast.expr:
    return ast.parse(text.replace("/", "//"), mode="eval").body  # both round down


_OPERATORS: Dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b, ast.FloorDiv: lambda a, b: a // b, ast.Mod: lambda a, b: a % b,
}
_FUNCTIONS: Dict[str, Callable[..., Any]] = {"min": min, "max": max, "abs": abs}


def evaluate(text: str, sizes: Dict[str, Any]) -> Any:
    """The value of an expression such as "N - K + 1"."""
    return _value(_parsed(text), sizes)


def _value(node: ast.expr, sizes: Dict[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in sizes:
            raise Error(f"the size {node.id} follows from no shape that is a size alone; give it")
        return sizes[node.id]
    if isinstance(node, ast.UnaryOp):
        return -_value(node.operand, sizes)
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_value(node.left, sizes), _value(node.right, sizes))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _FUNCTIONS[node.func.id](*[_value(a, sizes) for a in node.args])
    raise Error(f"{ast.dump(node)} is no part of an extent")


def sizes_of(dims: Sequence[Sequence[str]], shapes: Sequence[Sequence[Any]]) -> Dict[str, Any]:
    """The sizes that dimensions name, from the shapes of arguments."""
    found: Dict[str, Any] = {}
    for names, shape in zip(dims, shapes):
        for name, extent in zip(names, shape):
            if name.isidentifier():
                found.setdefault(name, extent)
    return found


def shape_of(dims: Sequence[str], sizes: Dict[str, Any]) -> Tuple[Any, ...]:
    """The extents of an argument."""
    return tuple(evaluate(d, sizes) for d in dims)


def of_results(definition: Any, arguments: Sequence[Any]) -> List[Tuple[Any, ...]]:
    """The shapes of new outputs of a def, from arguments that have shapes, or are numbers: inputs,
    what is updated in place, and the sizes that no input has."""
    params = [*definition.inputs, *(p for p in definition.outputs if p.in_out)]
    sizes = sizes_of([p.dims for p in params], [getattr(x, "shape", ()) for x in arguments])
    sizes.update({p.name: x for p, x in zip(params, arguments) if p.size})
    sizes.update(zip(definition.free_sizes, arguments[len(params):]))
    return [shape_of(p.dims, sizes) for p in definition.outputs if not p.in_out]
