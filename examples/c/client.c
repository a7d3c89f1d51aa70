#define _POSIX_C_SOURCE 200809L
#include "client.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct ricci_client {
  pid_t process;
  FILE *requests, *answers;
  long id;
};

ricci_client *ricci_start(const char *command) {
  int in[2], out[2];
  if (pipe(in) != 0) return 0;
  if (pipe(out) != 0) {
    close(in[0]), close(in[1]);
    return 0;
  }
  pid_t process = fork();
  if (process == 0) {
    dup2(in[0], 0), dup2(out[1], 1);
    close(in[0]), close(in[1]), close(out[0]), close(out[1]);
    execlp(command, command, "serve", (char *)0);
    _exit(127);
  }
  close(in[0]), close(out[1]);
  ricci_client *c = process > 0 ? calloc(1, sizeof *c) : 0;
  if (!c) {
    close(in[1]), close(out[0]);
    return 0;
  }
  c->process = process;
  c->requests = fdopen(in[1], "w");
  c->answers = fdopen(out[0], "r");
  signal(SIGPIPE, SIG_IGN); /* a service that ends must not end this program */
  char *version = ricci_ask(c, "version", "{}");
  if (!version) {
    ricci_stop(c);
    return 0;
  }
  free(version);
  return c;
}

void ricci_stop(ricci_client *c) {
  fclose(c->requests);
  fclose(c->answers);
  waitpid(c->process, 0, 0);
  free(c);
}

/* Events stand before the answer of a request, and are left out here. */
char *ricci_ask(ricci_client *c, const char *method, const char *params) {
  char *line = 0;
  size_t room = 0;
  fprintf(c->requests, "{\"id\":%ld,\"method\":\"%s\",\"params\":", ++c->id, method);
  for (const char *p = params; *p; p++) fputc(*p == '\n' ? ' ' : *p, c->requests); /* a request is one line */
  fputs("}\n", c->requests);
  if (fflush(c->requests) != 0) return 0;
  do {
    if (getline(&line, &room, c->answers) < 0) {
      free(line);
      return 0;
    }
  } while (strstr(line, "\"event\":") && !strstr(line, "\"result\":") && !strstr(line, "\"error\":"));
  return line;
}

/* skip_text returns the place behind a text in JSON, which begins with a quotation mark. */
static const char *skip_text(const char *p) {
  for (p++; *p && *p != '"'; p++)
    if (*p == '\\' && p[1]) p++;
  return *p ? p + 1 : p;
}

/* skip returns the place behind a value. */
static const char *skip(const char *p) {
  int depth = 0;
  do {
    if (*p == '"') {
      p = skip_text(p);
    } else {
      depth += *p == '{' || *p == '[';
      depth -= *p == '}' || *p == ']';
      p++;
    }
  } while (*p && (depth > 0 || (*p != ',' && *p != '}' && *p != ']')));
  return p;
}

/* member finds the value of a member of an object; NULL where there is none. The service writes no spaces. */
static const char *member(const char *object, const char *name) {
  size_t length = strlen(name);
  for (const char *p = object ? object + 1 : ""; *p == '"';) {
    const char *value = skip_text(p) + 1;
    if (strncmp(p + 1, name, length) == 0 && p[1 + length] == '"') return value;
    p = skip(value);
    if (*p == ',') p++;
  }
  return 0;
}

/* text_of copies a text without its escapes; those of characters by their number become question marks. */
static char *text_of(const char *p) {
  const char *end = skip_text(p) - 1;
  char *text = malloc((size_t)(end - p) + 1), *to = text;
  for (p++; text && p < end; p++) {
    if (*p != '\\') {
      *to++ = *p;
    } else if (*++p == 'u') {
      *to++ = '?', p += 4;
    } else {
      *to++ = *p == 'n' ? '\n' : *p == 't' ? '\t' : *p;
    }
  }
  if (text) *to = 0;
  return text;
}

static char *copy(const char *text) {
  char *same = malloc(strlen(text) + 1);
  return same ? strcpy(same, text) : 0;
}

ricci_function_call *ricci_compile(ricci_client *c, const char *params, char **error) {
  char *answer = ricci_ask(c, "compile", params);
  const char *result = answer ? member(answer, "result") : 0, *failure = answer ? member(answer, "error") : 0;
  const char *libraries = member(result, "libraries"), *symbol = member(result, "symbol");
  *error = 0;
  if (!libraries || !symbol) {
    const char *rendered = member(failure, "rendered");
    *error = rendered ? text_of(rendered) : copy("the service is lost");
    free(answer);
    return 0;
  }
  void *library = 0;
  for (const char *p = libraries + 1; *p == '"'; p += *p == ',') { /* in their order */
    char *path = text_of(p);
    library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : 0;
    free(path);
    if (!library) {
      *error = copy(dlerror());
      free(answer);
      return 0;
    }
    p = skip_text(p);
  }
  char *name = text_of(symbol);
  ricci_function_call *function = 0;
  *(void **)&function = dlsym(library, name);
  if (!function) *error = copy("the library has no such function");
  free(name);
  free(answer);
  return function;
}
