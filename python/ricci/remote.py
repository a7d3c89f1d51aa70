"""Computing in the service: on devices, where there is no C compiler, and to judge what kernels computed."""

import base64
import os
import tempfile
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional

import numpy as np

from . import arrays, dlpack, service, types
from .errors import ArgumentTypeError

if TYPE_CHECKING:
    from .function import Function
    from .signature import Arguments

_IN_TEXT = 1 << 16  # bytes of an array that go into the request itself; larger ones go by way of a file


def memory() -> Optional[str]:
    """The directory of files that stay in memory; None where there is none."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class Arrays:
    """Arrays for a request: small ones in it, large ones in a file that lasts as long as the request."""

    def __init__(self) -> None:
        self._file: Optional[Any] = None

    def __enter__(self) -> "Arrays":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._file is not None:
            self._file.close()
            os.unlink(self._file.name)

    def encode(self, v: arrays.View) -> Dict[str, Any]:
        """An array as a member of a request (docs/serve.md)."""
        if v.place[0] != dlpack.CPU:
            raise ArgumentTypeError("arrays on a card cannot go to the service: pass copies in the memory of the processor")
        out: Dict[str, Any] = {"shape": list(v.array.shape), "dtype": v.type.name}
        dense = np.ascontiguousarray(v.array)
        if dense.nbytes <= _IN_TEXT:
            out["data"] = base64.b64encode(dense.tobytes()).decode()
            return out
        if self._file is None:
            self._file = tempfile.NamedTemporaryFile(dir=memory(), prefix="ricci-", delete=False)
        out["path"], out["offset"] = self._file.name, self._file.tell()
        self._file.write(memoryview(dense).cast("B"))
        self._file.flush()
        return out


def _request(f: "Function", found: "Arguments", files: Arrays) -> Dict[str, Any]:
    request = f._request(found)
    request.pop("arguments")
    inputs = {p.name: files.encode(v) for p, v in zip(f._def.inputs, found.inputs)}
    for p, v in zip(f._def.outputs, found.outputs):
        if p.in_out and v is not None:
            inputs[p.name] = files.encode(v)
    return {**request, "inputs": inputs}


class Copies(NamedTuple):
    """What calls in the service have copied: arrays, and their bytes, there and back."""

    arrays: int = 0
    bytes: int = 0


def run(f: "Function", found: "Arguments") -> List[Any]:
    """The results of a call in the service; outputs that were given are filled."""
    with Arrays() as files, tempfile.TemporaryDirectory(dir=memory(), prefix="ricci-") as directory:
        request = _request(f, found, files)
        if any("path" in x for x in request["inputs"].values()):  # large: results are files, too
            request["outputs"] = {p.name: {"path": os.path.join(directory, f"{k}.npy")} for k, p in enumerate(f._def.outputs)
                                  if p.type.dtype.kind in "fiu" and p.type.name == p.type.dtype.name}
        answer = service.ask("run", request)
        made = [_decode(answer["outputs"][p.name]) for p in f._def.outputs]
    results = []
    for p, v, given, array in zip(f._def.outputs, found.outputs, found.given, made):
        if v is not None:
            if v.array.shape != array.shape:
                raise f._signature.shape_error(p, v, array.shape)
            np.copyto(v.array, array)
            array = given
        results.append(array)
    copied = [v.array for v in found.inputs] + made + [v.array for p, v in zip(f._def.outputs, found.outputs) if p.in_out and v is not None]
    f.copies = Copies(f.copies.arrays + len(copied), f.copies.bytes + sum(a.nbytes for a in copied))
    return results


def _decode(fields: Dict[str, Any]) -> np.ndarray:
    if "path" in fields:
        return np.load(fields["path"])
    dtype = types.BY_NAME[fields["dtype"]].dtype
    return np.frombuffer(bytearray(base64.b64decode(fields["data"])), dtype).reshape(fields["shape"])


class Report:
    """What a check found: for each output how many elements were compared with the reference evaluator, of how many."""

    def __init__(self, name: str, answer: Dict[str, Any]):
        self.name = name
        self.values: Dict[str, Dict[str, Any]] = answer.get("values") or {}
        self.exact: Dict[str, Dict[str, Any]] = answer.get("exact") or {}
        self.sizes: Dict[str, int] = answer.get("sizes") or {}
        self.remarks: List[str] = answer.get("remarks") or []

    def __repr__(self) -> str:
        lines = []
        for found, how in ((self.values, ""), (self.exact, " on whole numbers")):
            for output, f in found.items():
                what = f"all {f['of']}" if f["elements"] == f["of"] else f"{f['elements']} of {f['of']}"
                lines.append(f"{self.name}: {output}{how} equals the reference in {what} elements that were compared")
        return "\n".join(lines + self.remarks)


def check(f: "Function", found: "Arguments", compute: Callable[["Arguments"], List[Any]]) -> Report:
    """Judges what a call computes, in copies of the arrays that it would update."""
    old = [None if v is None else arrays.View(v.array.copy(), v.type) for v in found.outputs]
    before = found._replace(outputs=old)
    results = compute(found)
    with Arrays() as files:
        request = _request(f, before, files)
        outputs = {p.name: files.encode(arrays.View(np.asarray(x), p.type)) for p, x in zip(f._def.outputs, results)}
        answer = service.ask("judge", {**request, "outputs": outputs})
    if not answer["ok"]:
        problem = answer.get("problem") or {"kind": "program", "message": "a result differs from the reference evaluator"}
        raise service.error_of(problem)
    return Report(f.__name__, answer)
