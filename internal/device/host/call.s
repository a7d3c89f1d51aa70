// This file is empty: with it the compiler accepts functions without a body,
// such as the linknamed cgocall.
