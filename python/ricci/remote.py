"""Computing in the service: where there is no C compiler, and to judge what kernels computed."""

import base64
from typing import TYPE_CHECKING, Any, Dict, List

import numpy as np

from . import arrays, service, types

if TYPE_CHECKING:
    from .function import Arguments, Function


def run(f: "Function", found: "Arguments") -> List[Any]:
    """The results of a call by the reference evaluator; outputs that were given are filled."""
    request = f._request(found)
    request.pop("arguments")
    inputs = {p.name: _encode(v) for p, v in zip(f._def.inputs, found.inputs)}
    for p, v in zip(f._def.outputs, found.outputs):
        if p.in_out and v is not None:
            inputs[p.name] = _encode(v)
    answer = service.ask("run", {**request, "inputs": inputs})
    results = []
    for p, v, given in zip(f._def.outputs, found.outputs, found.given):
        array = _decode(answer["outputs"][p.name])
        if v is not None:
            np.copyto(v.array, array)
            array = given
        results.append(array)
    return results


def _encode(v: arrays.View) -> Dict[str, Any]:
    return {"shape": list(v.array.shape), "dtype": v.type.name, "data": base64.b64encode(np.ascontiguousarray(v.array).tobytes()).decode()}


def _decode(fields: Dict[str, Any]) -> np.ndarray:
    dtype = types.BY_NAME[fields["dtype"]].dtype
    return np.frombuffer(bytearray(base64.b64decode(fields["data"])), dtype).reshape(fields["shape"])
