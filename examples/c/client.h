/* A client of `ricci serve` in C: it compiles programs while this one runs. docs/serve.md is about requests and answers. */
#ifndef RICCI_CLIENT_H
#define RICCI_CLIENT_H

#include "ricci.h" /* ricci serve --header > ricci.h */

typedef struct ricci_client ricci_client;

/* ricci_start starts a command such as "ricci", which it looks for in PATH; NULL where there is none. */
ricci_client *ricci_start(const char *command);

/* ricci_ask asks for a method with params, an object in JSON, and waits for the answer: a text in JSON to be freed, an object with result or
 * error; NULL where the service is lost. One thread at a time may ask. */
char *ricci_ask(ricci_client *client, const char *method, const char *params);

/* ricci_compile compiles by params as docs/serve.md has them, and loads the function. Where that fails it returns NULL, and in
 * error what a person reads, to be freed. The function can be called until the process ends. */
ricci_function_call *ricci_compile(ricci_client *client, const char *params, char **error);

/* ricci_stop ends the service. What it has compiled can still be called. */
void ricci_stop(ricci_client *client);

#endif
