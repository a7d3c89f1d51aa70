"""As much of PyTorch as custom operators need, with its rules: for tests where it cannot be installed.

Schemas are read and enforced, tensors that need gradients refuse DLPack, and fakes have shapes alone.
"""

import re
import sys
import types
from typing import Any, Dict, List

import numpy as np

_DTYPES = {n: np.dtype(n) for n in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()}


stream = 0  # in which PyTorch queues at present


class Tensor:
    def __init__(self, array: np.ndarray, requires_grad: bool = False, device: str = "cpu"):
        self.array, self.requires_grad, self.shape, self.device = array, requires_grad, array.shape, device

    def __dlpack__(self, **keywords: Any) -> Any:
        if self.requires_grad:
            raise RuntimeError("Can't export tensors that require gradient, use tensor.detach()")
        if self.device == "cpu":
            return self.array.__dlpack__()
        import test_dlpack

        assert keywords["stream"] == (stream or 1), "a consumer says in which stream it queues"
        return test_dlpack.Tensor(self.array, device=(2, 0)).__dlpack__(max_version=keywords.get("max_version"))

    def __dlpack_device__(self) -> Any:
        return (2, 0) if self.device == "cuda" else self.array.__dlpack_device__()

    def detach(self) -> "Tensor":
        return Tensor(self.array, device=self.device)

    def contiguous(self) -> "Tensor":
        return Tensor(np.ascontiguousarray(self.array), self.requires_grad, self.device)


Tensor.__module__ = "torch"  # by which others know it


class Size:
    """A size of a fake tensor: it adds and multiplies, and nobody learns its number."""

    def __init__(self, text: str):
        self.text = text

    def _with(self, sign: str, other: Any) -> "Size":
        return Size(f"({self.text}{sign}{getattr(other, 'text', other)})")

    def __add__(self, o: Any) -> "Size": return self._with("+", o)
    def __sub__(self, o: Any) -> "Size": return self._with("-", o)
    def __mul__(self, o: Any) -> "Size": return self._with("*", o)
    def __floordiv__(self, o: Any) -> "Size": return self._with("//", o)
    def __radd__(self, o: Any) -> "Size": return Size(f"({o}+{self.text})")
    def __rmul__(self, o: Any) -> "Size": return Size(f"({o}*{self.text})")

    def __bool__(self) -> bool:
        raise RuntimeError("a fake shape was asked for its number")

    __int__ = __index__ = __bool__


class Fake:
    def __init__(self, shape: Any, dtype: Any = None):
        self.shape, self.dtype = tuple(shape), dtype


def empty(shape: Any, dtype: np.dtype, device: str) -> Any:
    if any(isinstance(n, Size) for n in shape):
        return Fake(shape, dtype)
    assert device in ("cpu", "cuda")
    return Tensor(np.full(shape, -1, dtype), device=device)


registered: Dict[str, "Operator"] = {}


class Operator:
    def __init__(self, name: str, run: Any, mutates: List[str], schema: str):
        self.name, self.run, self.fake, self.backward, self.setup = name, run, None, None, None
        inputs, _, results = schema.partition(" -> ")
        self.parameters = [re.fullmatch(r"(Tensor(?:\(a\d+!\))?|float|int|bool|SymInt|Device) (\w+)", p).groups() for p in inputs[1:-1].split(", ")]
        assert any(t.startswith("Tensor") or (t, n) == ("Device", "device") for t, n in self.parameters), "PyTorch finds an operator by tensors, or a device"
        assert [n for t, n in self.parameters if "!" in t] == list(mutates), "what is mutated is marked in the schema"
        self.results = 0 if results == "()" else results.count("Tensor")

    def register_fake(self, f: Any) -> None:
        self.fake = f

    def register_autograd(self, backward: Any, *, setup_context: Any = None) -> None:
        self.backward = backward
        # By these names, as PyTorch does.
        self.setup = lambda context, arguments, result: setup_context(ctx=context, inputs=arguments, output=result)

    def __call__(self, *arguments: Any) -> Any:
        for (kind, name), x in zip(self.parameters, arguments):
            assert kind.startswith("Tensor") == isinstance(x, (Tensor, Fake)), f"{name} is a {kind}"
        assert len(arguments) == len(self.parameters)
        fake = any(isinstance(x, Fake) for x in arguments)
        result = (self.fake if fake else self.run)(*arguments)
        found = result if isinstance(result, tuple) else () if result is None else (result,)
        assert len(found) == self.results
        return result


class Context:
    """What autograd hands from a call to its derivative."""

    def save_for_backward(self, *tensors: Tensor) -> None:
        self.saved_tensors = tensors


def custom_op(name: str, run: Any, *, mutates_args: Any, device_types: Any = None, schema: str) -> Operator:
    assert re.fullmatch(r"\w+::\w+", name) and name not in registered, "a name is registered once for ever"
    assert device_types in ("cpu", "cuda")
    registered[name] = Operator(name, run, mutates_args, schema)
    return registered[name]


def install() -> types.ModuleType:
    """Puts the stub where ``import torch`` finds it."""
    module = types.ModuleType("torch")
    module.library = types.SimpleNamespace(custom_op=custom_op)  # type: ignore[attr-defined]
    module.Tensor = Tensor  # type: ignore[attr-defined]
    module.empty = empty  # type: ignore[attr-defined]
    module.cuda = types.SimpleNamespace(current_stream=lambda device: types.SimpleNamespace(cuda_stream=stream))  # type: ignore[attr-defined]
    for name, dtype in _DTYPES.items():
        setattr(module, name, dtype)
    sys.modules["torch"] = module
    return module
