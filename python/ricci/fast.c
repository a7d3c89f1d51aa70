/* The fast way of a call: from Python's arguments to a kernel, without Python.
 *
 * A Dispatcher remembers the layouts that Function._slow has seen: for each the kernel, and of every
 * argument its type, shape and strides. A call whose arguments have one of these layouts is made
 * here; all others, and all that is unusual, go to _slow, which says what is wrong, or compiles and
 * teaches the Dispatcher.
 *
 * Inputs are arrays of NumPy, numbers, or tensors of other libraries, whose capsules (DLPack) are read
 * here and given back after the call.
 *
 * It is an extension of the stable ABI of Python 3.9, without headers of NumPy: the beginning of an
 * array's structure is part of NumPy's promise, and fast.py tests it once on real arrays. */
#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

enum { MOST_ARGUMENTS = 24, MOST_DIMENSIONS = 32, MOST_ENTRIES = 64, MESSAGE_BYTES = 2048 };

/* The beginning of PyArrayObject. */
typedef struct {
  PyObject_HEAD
  char *data;
  int nd;
  Py_ssize_t *dimensions;
  Py_ssize_t *strides;
  PyObject *base;
  PyObject *descr;
  int flags;
} Array;
enum { WRITEABLE = 0x0400 };

/* DLTensor and ricci_call, as in ricci.h; a test compares them with it. */
typedef struct {
  void *data;
  int32_t device_type, device_id, ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} Tensor;
typedef struct {
  uint32_t bytes;
  int32_t count;
  Tensor *const *arguments;
  const uint8_t *flags;
  const int64_t *sizes;
  void *stream;
  int32_t threads;
  uint32_t message_bytes;
  char *message;
  int32_t argument, dimension;
  int64_t guards;
} Call;
typedef int32_t (*Kernel)(Call *);

/* The beginning of DLManagedTensor. */
typedef struct {
  Tensor tensor;
} Managed;

/* What an entry knows of an argument. */
typedef struct {
  PyObject *descr; /* of its elements, held */
  PyObject *shape; /* a tuple, for new outputs */
  int nd;
  Py_ssize_t dimensions[MOST_DIMENSIONS], strides[MOST_DIMENSIONS]; /* in bytes, as NumPy has them */
  int64_t extents[MOST_DIMENSIONS], steps[MOST_DIMENSIONS];         /* in elements, as DLPack has them */
  uint8_t code, bits;
  char dense;    /* and row-major: as new outputs are */
  int64_t value; /* of a scalar that a kernel is compiled for */
} Layout;

typedef struct {
  int references; /* of the table, and of calls in progress */
  PyObject *owner; /* keeps the library loaded */
  Kernel kernel;
  int32_t threads;
  int count;
  Layout *layouts;
} Entry;

/* What is declared of an argument. */
typedef struct {
  uint8_t code, bits; /* of DLDataType */
  char scalar, size, in_out;
} Parameter;

typedef struct {
  PyObject_HEAD
  PyObject *result; /* makes the value of a call with several outputs; NULL where there is one */
  int inputs, outputs, positional;
  Parameter parameters[MOST_ARGUMENTS]; /* inputs, then outputs */
  Entry *entries[MOST_ENTRIES];
  int used, next;
  char ready;
} Dispatcher;

/* Of NumPy; set once, when the module is told of it. */
static PyObject *array_type, *empty, *out_name, *export_name;

static void release(Entry *e) {
  if (!e || --e->references) return;
  for (int k = 0; k < e->count; k++) {
    Py_XDECREF(e->layouts[k].descr);
    Py_XDECREF(e->layouts[k].shape);
  }
  Py_XDECREF(e->owner);
  PyMem_Free(e->layouts);
  PyMem_Free(e);
}

/* zeroed is PyMem_Calloc, which is no part of the stable ABI before Python 3.11. */
static void *zeroed(size_t count, size_t size) {
  void *memory = PyMem_Malloc(count * size);
  if (memory) memset(memory, 0, count * size);
  return memory;
}

static int is_array(PyObject *x) { return (PyObject *)Py_TYPE(x) == array_type; }

/* number writes a number of Python into 8 bytes, in the type of a parameter; 0 where it does not fit. */
static int number(PyObject *x, const Parameter *p, void *into) {
  if (p->code == 2) {
    double v;
    if (Py_TYPE(x) == &PyFloat_Type) v = PyFloat_AsDouble(x);
    else if (Py_TYPE(x) == &PyLong_Type) v = PyLong_AsDouble(x);
    else return 0;
    if (v == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      return 0;
    }
    if (p->bits == 64) memcpy(into, &v, 8);
    else if (p->bits == 32) {
      float f = (float)v;
      memcpy(into, &f, 4);
    } else return 0;
    return 1;
  }
  if (p->code > 1 || Py_TYPE(x) != &PyLong_Type) return 0;
  int overflow;
  long long v = PyLong_AsLongLongAndOverflow(x, &overflow);
  if (overflow || (p->code == 1 && v < 0)) return 0;
  int free_bits = p->bits - (p->code == 0);
  if (free_bits < 63 && (v >= (1LL << free_bits) || v < -(1LL << free_bits))) return 0;
  memcpy(into, &v, p->bits / 8); /* little-endian: fast.py asks */
  return 1;
}

static int same_layout(const Array *a, const Layout *l) {
  if (a->descr != l->descr || a->nd != l->nd) return 0;
  for (int k = 0; k < l->nd; k++)
    if (a->dimensions[k] != l->dimensions[k] || a->strides[k] != l->strides[k]) return 0;
  return 1;
}

static int lies_as(const Tensor *t, const Layout *l) {
  if (t->code != l->code || t->bits != l->bits || t->lanes != 1 || t->ndim != l->nd) return 0;
  if (t->device_type != 1 && t->device_type != 3 && t->device_type != 11) return 0; /* memory of the host */
  if (!t->strides && !l->dense) return 0;
  for (int k = 0; k < l->nd; k++)
    if (t->shape[k] != l->extents[k] || (t->strides && t->strides[k] != l->steps[k])) return 0;
  return 1;
}

/* The arguments of a call in the order of the kernel: arrays, NULL for new outputs, numbers for scalars, tensors that capsules lend. */
typedef struct {
  Array *arrays[MOST_ARGUMENTS];
  int64_t numbers[MOST_ARGUMENTS];
  char is_number[MOST_ARGUMENTS];
  const Tensor *lent[MOST_ARGUMENTS];
  PyObject *capsules[MOST_ARGUMENTS]; /* which give back what they lend when they go */
  int capsule_count;
} Given;

static void give_back(Given *g) {
  if (!g->capsule_count) return;
  PyObject *type, *value, *traceback; /* what goes may be of Python, and must not see the error of a call */
  PyErr_Fetch(&type, &value, &traceback);
  while (g->capsule_count) Py_DECREF(g->capsules[--g->capsule_count]);
  PyErr_Restore(type, value, traceback);
}

/* lend asks an object of another library for its memory; NULL where it has none that is plain. Arrays that are more than arrays, as those
 * with masks, are for _slow. */
static const Tensor *lend(PyObject *x, Given *g) {
  if (PyType_IsSubtype(Py_TYPE(x), (PyTypeObject *)array_type)) return NULL;
  PyObject *capsule = PyObject_CallMethodObjArgs(x, export_name, NULL);
  const Managed *m = capsule && PyCapsule_IsValid(capsule, "dltensor") ? PyCapsule_GetPointer(capsule, "dltensor") : NULL;
  if (!m) {
    Py_XDECREF(capsule);
    PyErr_Clear(); /* _slow asks again, and says what is wrong */
    return NULL;
  }
  g->capsules[g->capsule_count++] = capsule;
  return &m->tensor;
}

static int matches(const Entry *e, const Given *g, const Dispatcher *d) {
  for (int k = 0; k < e->count; k++) {
    const Layout *l = &e->layouts[k];
    if (g->is_number[k]) {
      if (d->parameters[k].size && g->numbers[k] != l->value) return 0;
    } else if (g->lent[k]) {
      if (!lies_as(g->lent[k], l)) return 0;
    } else if (g->arrays[k] ? !same_layout(g->arrays[k], l) : !l->dense) {
      return 0;
    }
  }
  return 1;
}

/* gather sorts positional arguments, and what is given as out or NULL; 0 where something is unusual. */
static int gather(Dispatcher *d, PyObject *args, PyObject *out, Given *g) {
  if (!d->ready || PyTuple_Size(args) != d->positional) return 0;
  if (out == Py_None) out = NULL;
  int count = d->inputs + d->outputs, next = d->inputs;
  memset(g->is_number, 0, (size_t)count);
  memset(g->lent, 0, (size_t)count * sizeof *g->lent);
  for (int k = 0; k < d->inputs; k++) {
    PyObject *x = PyTuple_GetItem(args, k);
    const Parameter *p = &d->parameters[k];
    if (is_array(x) && !p->size) {
      g->arrays[k] = (Array *)x;
    } else if (p->scalar) {
      g->numbers[k] = 0;
      if (!number(x, p, &g->numbers[k])) return 0;
      g->arrays[k] = NULL;
      g->is_number[k] = 1;
    } else {
      g->arrays[k] = NULL;
      g->lent[k] = lend(x, g);
      if (!g->lent[k]) return 0;
    }
  }
  for (int k = d->inputs; k < count; k++) {
    PyObject *x = out;
    if (out && d->outputs > 1) {
      if (!PyTuple_Check(out) || PyTuple_Size(out) != d->outputs) return 0;
      x = PyTuple_GetItem(out, k - d->inputs);
      if (x == Py_None) x = NULL;
    }
    if (d->parameters[k].in_out) {
      PyObject *updated = PyTuple_GetItem(args, next++);
      if (x && x != updated) return 0;
      x = updated;
    }
    if (x && !is_array(x)) return 0;
    g->arrays[k] = (Array *)x;
  }
  return 1;
}

static Entry *find(Dispatcher *d, const Given *g) {
  for (int k = 0; k < d->used; k++) {
    if (!matches(d->entries[k], g, d)) continue;
    Entry *e = d->entries[k];
    if (k) { /* the last one is tried first */
      d->entries[k] = d->entries[0];
      d->entries[0] = e;
    }
    return e;
  }
  return NULL;
}

static PyObject *run(Dispatcher *d, Entry *e, Given *g) {
  PyObject *results[MOST_ARGUMENTS];
  Tensor tensors[MOST_ARGUMENTS], *pointers[MOST_ARGUMENTS];
  uint8_t flags[MOST_ARGUMENTS];
  char message[MESSAGE_BYTES];
  int made = 0;
  PyObject *value = NULL;
  for (int k = d->inputs; k < e->count; k++, made++) {
    PyObject *x = (PyObject *)g->arrays[k];
    if (x) {
      Py_INCREF(x);
    } else {
      x = PyObject_CallFunctionObjArgs(empty, e->layouts[k].shape, e->layouts[k].descr, NULL);
      if (!x) goto done;
      g->arrays[k] = (Array *)x;
    }
    results[made] = x;
  }
  for (int k = 0; k < e->count; k++) {
    const Layout *l = &e->layouts[k];
    const Array *a = g->arrays[k];
    tensors[k] = (Tensor){.data = a ? (void *)a->data : (void *)&g->numbers[k], .device_type = 1, .ndim = l->nd, .code = l->code, .bits = l->bits,
      .lanes = 1, .shape = (int64_t *)l->extents, .strides = (int64_t *)l->steps};
    if (g->lent[k]) tensors[k].data = (char *)g->lent[k]->data + g->lent[k]->byte_offset;
    pointers[k] = &tensors[k];
    flags[k] = a && !(a->flags & WRITEABLE);
  }
  Call call = {.bytes = sizeof call, .count = e->count, .arguments = pointers, .flags = flags, .threads = e->threads, .message_bytes = MESSAGE_BYTES,
    .message = message};
  message[0] = 0;
  e->references++;
  PyThreadState *state = PyEval_SaveThread();
  int32_t code = e->kernel(&call);
  PyEval_RestoreThread(state);
  release(e);
  if (code) {
    value = PyObject_CallMethod((PyObject *)d, "_failed", "is", (int)code, message); /* raises */
    goto done;
  }
  if (!d->result) {
    value = results[0];
    Py_INCREF(value);
  } else {
    PyObject *tuple = PyTuple_New(made);
    for (int k = 0; tuple && k < made; k++) {
      Py_INCREF(results[k]);
      PyTuple_SetItem(tuple, k, results[k]);
    }
    value = tuple ? PyObject_CallObject(d->result, tuple) : NULL;
    Py_XDECREF(tuple);
  }
done:
  for (int k = 0; k < made; k++) Py_DECREF(results[k]);
  return value;
}

/* is_plain finds out whether keywords are but out, which may be absent. */
static int is_plain(PyObject *named, PyObject **out) {
  *out = NULL;
  if (!named || !PyDict_Size(named)) return 1;
  *out = PyDict_GetItemWithError(named, out_name);
  PyErr_Clear();
  return *out && PyDict_Size(named) == 1;
}

static PyObject *dispatch(PyObject *self, PyObject *args, PyObject *named) {
  Dispatcher *d = (Dispatcher *)self;
  Given g;
  PyObject *out;
  g.capsule_count = 0;
  Entry *e = is_plain(named, &out) && gather(d, args, out, &g) ? find(d, &g) : NULL;
  PyObject *value = e ? run(d, e, &g) : NULL;
  give_back(&g);
  if (e) return value;
  return PyObject_CallMethod(self, "_slow", "OO", args, named ? named : Py_None);
}

/* _try(arguments, out): calls the kernel for these arrays, if there is one, or returns NotImplemented. */
static PyObject *try_known(PyObject *self, PyObject *args) {
  Dispatcher *d = (Dispatcher *)self;
  PyObject *arguments, *out;
  Given g;
  if (!PyArg_ParseTuple(args, "O!O", &PyTuple_Type, &arguments, &out)) return NULL;
  g.capsule_count = 0;
  Entry *e = gather(d, arguments, out, &g) ? find(d, &g) : NULL;
  PyObject *value = e ? run(d, e, &g) : NULL;
  give_back(&g);
  if (e) return value;
  Py_INCREF(Py_NotImplemented);
  return Py_NotImplemented;
}

/* _declare(result or None, inputs, [(code, bits, scalar, size, in_out) …]) */
static PyObject *declare(PyObject *self, PyObject *args) {
  Dispatcher *d = (Dispatcher *)self;
  PyObject *result, *list;
  int inputs;
  if (!PyArg_ParseTuple(args, "OiO", &result, &inputs, &list)) return NULL;
  Py_ssize_t count = PyList_Size(list);
  if (count < 0) return NULL;
  if (count <= MOST_ARGUMENTS) {
    d->positional = d->inputs = inputs;
    d->outputs = (int)count - inputs;
    for (Py_ssize_t k = 0; k < count; k++) {
      int code, bits, scalar, size, in_out;
      if (!PyArg_ParseTuple(PyList_GetItem(list, k), "iippp", &code, &bits, &scalar, &size, &in_out)) return NULL;
      d->parameters[k] = (Parameter){(uint8_t)code, (uint8_t)bits, (char)scalar, (char)size, (char)in_out};
      d->positional += in_out;
    }
    if (result != Py_None) {
      Py_INCREF(result);
      d->result = result;
    }
    d->ready = 1;
  }
  Py_RETURN_NONE;
}

/* learn fills in a layout from an example; 0 with an error where it cannot. */
static int learn(Layout *l, PyObject *example, int64_t item, const Parameter *p) {
  if (!is_array(example) || ((Array *)example)->nd > MOST_DIMENSIONS) {
    PyErr_SetString(PyExc_ValueError, "no array, or one with too many dimensions");
    return 0;
  }
  const Array *a = (const Array *)example;
  Py_INCREF(a->descr);
  l->descr = a->descr;
  l->nd = a->nd;
  l->code = p->code;
  l->bits = p->bits;
  l->shape = PyTuple_New(a->nd);
  if (!l->shape) return 0;
  for (int k = 0; k < a->nd; k++) {
    l->dimensions[k] = l->extents[k] = a->dimensions[k];
    l->strides[k] = a->strides[k];
    l->steps[k] = a->strides[k] / item;
    PyObject *n = PyLong_FromSsize_t(a->dimensions[k]);
    if (!n) return 0;
    PyTuple_SetItem(l->shape, k, n);
  }
  int64_t step = 1;
  l->dense = 1;
  for (int k = a->nd - 1; k >= 0; k--) {
    if (l->extents[k] > 1 && l->steps[k] != step) l->dense = 0;
    step *= l->extents[k];
  }
  if (p->size) memcpy(&l->value, a->data, (size_t)item);
  return 1;
}

/* _remember(owner, address, threads, [array …]) */
static PyObject *remember(PyObject *self, PyObject *args) {
  Dispatcher *d = (Dispatcher *)self;
  PyObject *owner, *list;
  unsigned long long address;
  int threads;
  if (!PyArg_ParseTuple(args, "OKiO", &owner, &address, &threads, &list)) return NULL;
  int count = d->inputs + d->outputs;
  if (!d->ready) Py_RETURN_NONE;
  if (PyList_Size(list) != count) {
    PyErr_SetString(PyExc_ValueError, "_remember: not the arguments that were declared");
    return NULL;
  }
  Entry *e = zeroed(1, sizeof *e);
  if (!e) return PyErr_NoMemory();
  e->references = 1;
  e->kernel = (Kernel)(uintptr_t)address;
  e->threads = threads;
  Py_INCREF(owner);
  e->owner = owner;
  e->layouts = zeroed((size_t)count, sizeof *e->layouts);
  if (!e->layouts) {
    release(e);
    return PyErr_NoMemory();
  }
  e->count = count;
  for (int k = 0; k < count; k++)
    if (!learn(&e->layouts[k], PyList_GetItem(list, k), d->parameters[k].bits / 8, &d->parameters[k])) {
      release(e);
      return NULL;
    }
  if (d->used < MOST_ENTRIES) {
    d->entries[d->used++] = e;
  } else {
    release(d->entries[d->next]);
    d->entries[d->next] = e;
    d->next = (d->next + 1) % MOST_ENTRIES;
  }
  Py_RETURN_NONE;
}

static PyObject *forget(PyObject *self, PyObject *unused) {
  Dispatcher *d = (Dispatcher *)self;
  int used = d->used;
  d->used = 0;
  for (int k = 0; k < used; k++) release(d->entries[k]);
  Py_RETURN_NONE;
}

static void dealloc(PyObject *self) {
  Dispatcher *d = (Dispatcher *)self;
  PyTypeObject *type = Py_TYPE(self);
  Py_XDECREF(forget(self, NULL));
  Py_XDECREF(d->result);
  freefunc free_object = (freefunc)PyType_GetSlot(type, Py_tp_free);
  free_object(self);
  Py_DECREF(type);
}

static PyMethodDef methods[] = {
  {"_declare", declare, METH_VARARGS, "Says what the arguments are; once."},
  {"_try", try_known, METH_VARARGS, "Calls the kernel for arrays, if there is one."},
  {"_remember", remember, METH_VARARGS, "Teaches the layouts of arguments that a kernel takes."},
  {"_forget", forget, METH_NOARGS, "Forgets all layouts."},
  {NULL, NULL, 0, NULL},
};
static PyType_Slot slots[] = {
  {Py_tp_call, dispatch},
  {Py_tp_dealloc, dealloc},
  {Py_tp_methods, methods},
  {Py_tp_doc, "Calls kernels for the layouts of arguments that it knows."},
  {0, NULL},
};
static PyType_Spec spec = {"ricci._fast.Dispatcher", sizeof(Dispatcher), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

/* setup(ndarray, empty) */
static PyObject *setup(PyObject *module, PyObject *args) {
  PyObject *type, *function;
  if (!PyArg_ParseTuple(args, "OO", &type, &function)) return NULL;
  Py_INCREF(type);
  Py_INCREF(function);
  array_type = type;
  empty = function;
  out_name = PyUnicode_InternFromString("out");
  export_name = PyUnicode_InternFromString("__dlpack__");
  if (!out_name || !export_name) return NULL;
  Py_RETURN_NONE;
}

/* describe(array) tells what is read of an array: (data, shape, strides, writeable, descr). */
static PyObject *describe(PyObject *module, PyObject *x) {
  if (!array_type || !is_array(x)) {
    PyErr_SetString(PyExc_TypeError, "no array");
    return NULL;
  }
  const Array *a = (const Array *)x;
  PyObject *shape = PyTuple_New(a->nd), *strides = PyTuple_New(a->nd);
  for (int k = 0; shape && strides && k < a->nd; k++) {
    PyTuple_SetItem(shape, k, PyLong_FromSsize_t(a->dimensions[k]));
    PyTuple_SetItem(strides, k, PyLong_FromSsize_t(a->strides[k]));
  }
  if (!shape || !strides) {
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    return NULL;
  }
  return Py_BuildValue("KNNiO", (unsigned long long)(uintptr_t)a->data, shape, strides, (a->flags & WRITEABLE) != 0, a->descr);
}

static PyMethodDef functions[] = {
  {"setup", setup, METH_VARARGS, "Says what NumPy's arrays are."},
  {"describe", describe, METH_O, "What is read of an array, for a test."},
  {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_fast", "The fast way of a call.", -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__fast(void) {
  PyObject *module = PyModule_Create(&definition);
  if (!module) return NULL;
  PyObject *type = PyType_FromSpec(&spec);
  if (!type || PyModule_AddObject(module, "Dispatcher", type) < 0) {
    Py_XDECREF(type);
    Py_DECREF(module);
    return NULL;
  }
  return module;
}
