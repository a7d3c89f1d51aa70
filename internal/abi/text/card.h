/* What the code of a def for a card of CUDA and the code that all such defs share know of each other. */

/* A kernel: one for each launch in the text of the program. */
typedef struct {
  const char *symbol;
  uint32_t items[3]; /* of a group, along x, y and z */
  uint32_t shared;   /* bytes that a launch gives a group, where there are more than a kernel can declare */
} ricci_kernel;

/* The kernels of a function. */
typedef struct {
  uint64_t id;       /* of all that follows: where another library lies once this one is unloaded, its kernels are not taken for these */
  const char *image; /* PTX; or CUDA C, which is compiled for the card when it is loaded */
  int32_t is_text;
  int32_t architecture; /* the least that the code is for, such as 80 */
  int32_t strict;       /* no two operations are rounded as one */
  int32_t tests;        /* the kernels test subscripts */
  int32_t kernels, notices;
  const ricci_kernel *kernel;
  const int64_t *notice; /* places in the workspace of numbers of 32 bits: those that are not 0 are counted as guards */
} ricci_code;

extern const ricci_device ricci_card;

/* A run of a function takes its memory, launches kernels and ends. groups are along x, y and z, words what a kernel takes. The end returns what
 * ricci_function.run does. */
void ricci_card_begin(ricci_run *run, int64_t workspace);
void ricci_card_launch(ricci_run *run, int32_t kernel, const int64_t *groups, const int64_t *words, int32_t count);
int ricci_card_end(ricci_run *run);
