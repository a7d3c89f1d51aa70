"""The package is for Python 3.9 and later, also where tests run with a later one (scripts/test-python runs them with 3.9)."""

import ast
import glob
import os
import re
import unittest

_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "ricci")

# What fast.c uses, all of it of the stable ABI of Python 3.9. Headers of later versions declare what has joined it since, as PyMem_Calloc.
_STABLE = set("""
PyArg_ParseTuple PyCapsule_GetPointer PyCapsule_IsValid PyDict_GetItemWithError PyDict_Size PyErr_Clear PyErr_Fetch PyErr_NoMemory PyErr_Occurred
PyErr_Restore PyErr_SetString PyEval_RestoreThread PyEval_SaveThread PyExc_TypeError PyExc_ValueError PyFloat_AsDouble PyFloat_Type PyList_GetItem
PyList_Size PyLong_AsDouble PyLong_AsLongLongAndOverflow PyLong_FromSsize_t PyLong_Type PyMem_Free PyMem_Malloc PyModuleDef_HEAD_INIT PyModule_AddObject
PyModule_Create PyObject_CallFunctionObjArgs PyObject_CallMethod PyObject_CallMethodObjArgs PyObject_CallObject PyObject_HEAD PyTuple_Check PyTuple_GetItem
PyTuple_New PyTuple_SetItem PyTuple_Size PyTuple_Type PyType_FromSpec PyType_GetSlot PyType_IsSubtype PyUnicode_InternFromString
PyMODINIT_FUNC PyType_Slot PyType_Spec Py_ssize_t Py_BuildValue Py_DECREF Py_INCREF Py_LIMITED_API Py_None Py_NotImplemented Py_RETURN_NONE Py_TPFLAGS_BASETYPE Py_TPFLAGS_DEFAULT Py_TYPE Py_XDECREF
Py_tp_call Py_tp_dealloc Py_tp_doc Py_tp_free Py_tp_methods
""".split())


class TestSource(unittest.TestCase):
    def test_syntax(self) -> None:
        paths = glob.glob(os.path.join(_PACKAGE, "**", "*.py"), recursive=True)
        self.assertGreater(len(paths), 30)
        for path in paths:
            with open(path, encoding="utf-8") as f:
                tree = ast.parse(f.read(), path, feature_version=(3, 9))
            for node in ast.walk(tree):
                for name in ("annotation", "returns"):
                    for part in ast.walk(getattr(node, name, None) or ast.Pass()):
                        self.assertFalse(isinstance(part, ast.BinOp), f"{path}:{getattr(part, 'lineno', 0)}: X | Y is no type before Python 3.10")

    def test_stable_abi(self) -> None:
        with open(os.path.join(_PACKAGE, "fast.c"), encoding="utf-8") as f:
            text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        self.assertIn("#define Py_LIMITED_API 0x03090000", text)
        used = set(re.findall(r"\bPy[A-Z]?[A-Za-z]*_[A-Za-z_]+", text)) - {"PyInit__fast", "PY_SSIZE_T_CLEAN"}
        self.assertEqual(used - _STABLE, set(), "look these up in Doc/data/stable_abi.dat of Python")


if __name__ == "__main__":
    unittest.main()
