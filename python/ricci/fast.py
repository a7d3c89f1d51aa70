def function_class(base):
    return base
