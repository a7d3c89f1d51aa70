"""Arrays with places: what fields are made of."""

from typing import Any, Dict, Optional, Sequence, Tuple

import numpy as np

from .errors import ArgumentError


class Image:
    """An array whose elements are samples at places of a world.

    Its first axes are the spatial ones; those behind them are the parts of a sample, as 3 of a vector.
    ``directions`` has for each spatial axis the step from a sample to the next, ``origin`` is the place
    of the first sample; ``spacing`` has the lengths of steps where axes are those of the world.
    Coordinates of the world are x, y, z, and the last spatial axis of an array is that of x where
    nothing is said, so that element [k, j, i] is at (i, j, k).
    """

    def __init__(self, array: Any, directions: Optional[Sequence[Sequence[float]]] = None, origin: Optional[Sequence[float]] = None,
                 spacing: Optional[Sequence[float]] = None):
        if directions is not None and spacing is not None:
            raise ArgumentError("give the directions of an image, or its spacing")
        if directions is None and spacing is None and origin is not None:
            spacing = [1.0] * len(origin)
        if spacing is not None:
            count = len(spacing)
            directions = [[float(s) if n == count - 1 - k else 0.0 for n in range(count)] for k, s in enumerate(spacing)]
        self.array = array
        self.directions = None if directions is None else [[float(x) for x in step] for step in directions]
        if self.directions is not None and origin is None:
            origin = [0.0] * len(self.directions[0])
        self.origin = None if origin is None else [float(x) for x in origin]

    def places(self) -> Dict[str, Any]:
        """Where samples are, as members of a request: the fastest axis first; nothing where nothing is said."""
        return {} if self.directions is None else {"directions": self.directions[::-1], "origin": self.origin}

    def matrix(self, rank: int) -> Tuple[np.ndarray, np.ndarray]:
        """The place of a sample is the matrix times its index, the last axis first, plus the origin: as functions of fields take them."""
        if self.directions is None:
            return np.eye(rank), np.zeros(rank)
        return np.array(self.directions[::-1]).T, np.array(self.origin)
