#!/usr/bin/env python3
"""Writes tests/golden/npy/*.npy with NumPy, for tests/files/npy_test.cpp.

Run it again only to add arrays; the files are committed, and the tests need no Python.
"""
import pathlib

import numpy as np
from numpy.lib import format as npy_format

folder = pathlib.Path(__file__).parent / "npy"
folder.mkdir(exist_ok=True)


def write(name, array, version=None):
    with open(folder / f"{name}.npy", "wb") as file:
        npy_format.write_array(file, array, version=version, allow_pickle=False)


# The same 2 × 3 whole numbers in every type and order: 0 1 2 / 3 4 5.
counting = np.arange(6).reshape(2, 3)
for kind in ["f2", "f4", "f8", "i2", "i4", "i8", "u2", "u4", "u8"]:
    for order, name in [("<", "little"), (">", "big")]:
        write(f"counting_{kind}_{name}", counting.astype(order + kind))
for kind in ["i1", "u1"]:
    write(f"counting_{kind}", counting.astype(kind))
write("counting_fortran", np.asfortranarray(counting.astype("<f4")))
write("counting_version_2", counting.astype("<f4"), version=(2, 0))
write("counting_version_3", counting.astype("<f4"), version=(3, 0))

write("bool", np.array([[True, False, True], [False, False, True]]))
write("signs", np.array([-1, 0, 1, -128, 127], dtype="i1"))
write("large_i8", np.array([-(2**63), 2**63 - 1, 16777217], dtype="<i8"))
write("large_u8", np.array([2**64 - 1], dtype="<u8"))

write("scalar", np.array(2.5, dtype="<f4"))
write("vector", np.array([1.5, -2.5], dtype="<f4"))
write("empty_rows", np.zeros((0, 5), dtype="<f4"))
# value = 1000·i + 100·j + 10·k + l, so that a wrong order shows.
i, j, k, l = np.indices((2, 3, 4, 5))
places = (1000 * i + 100 * j + 10 * k + l).astype("<f4")
write("four_dimensions", places)
write("four_dimensions_fortran", np.asfortranarray(places))
write("three_dimensions_fortran", np.asfortranarray(places[0].astype(">f8")))

# Every kind of half: zeros, subnormals, normals, the largest, infinities, NaN; and beside them what float32 they are.
bits = np.array([0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x0400, 0x3C00, 0xC000, 0x3555, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00,
                 0x7E00], dtype="<u2")
write("halves", bits.view("<f2"))
write("halves_as_f4", bits.view("<f2").astype("<f4"))

# float64 that float32 cannot hold, and NumPy's own rounding of it.
wide = np.array([0.1, 1 / 3, 1e300, -1e300, 3.4028235677973366e38, 3.4028235677973362e38, 1e-300, np.nan, np.inf, -np.inf])
write("wide_f8", wide.astype("<f8"))
with np.errstate(over="ignore"):
    write("wide_f8_as_f4", wide.astype("<f4"))

# Refused by name.
write("complex", np.array([1 + 2j], dtype="<c8"))
write("text", np.array(["cat"]))
write("structured", np.array([(1, 2.0)], dtype=[("a", "<i4"), ("b", "<f4")]))
write("long_double", np.array([1.0], dtype=np.longdouble))
write("five_dimensions", np.zeros((1, 1, 1, 1, 1), dtype="<f4"))
