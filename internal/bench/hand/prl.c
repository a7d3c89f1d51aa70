/* Record linkage as someone writes it who wants it fast: the registry in blocks that stay in the cache for many
 * new entries; a loop without branches that weighs a block, one that finds its greatest weight, and a search for
 * its place in the few blocks that have a better one. */
#define FIELDS X(given) X(family) X(birth_name) X(day) X(month) X(year) X(sex) X(place)
#define X(name) name##_,
enum { FIELDS COUNT };
#undef X
enum { BLOCK = 1024, ENTRIES = 16 };
typedef const int *restrict column;
#define NEW(name) (((column)args[4 + name##_])[i])
#define OLD(name) (((column)args[4 + COUNT + name##_]) + from)
#define FIELD(a, b, agree, differ) ((a) == 0 | (b) == 0 ? 0.0f : (a) == (b) ? (agree) : (differ))

/* weigh compares the new entry i with a block of the registry. */
static void weigh(const i64 *args, int i, int from, int count, float *restrict weight) {
#define X(name) const int name = NEW(name); column old_##name = OLD(name);
  FIELDS
#undef X
#pragma omp simd
  for (int j = 0; j < count; j++) {
    const int family_j = old_family[j], birth_name_j = old_birth_name[j], day_j = old_day[j], month_j = old_month[j], year_j = old_year[j];
    const float unknown_family = family == 0 | family_j == 0 ? 0.0f : -3.3f;
    const int married = (family != 0 & family == birth_name_j) | (family_j != 0 & family_j == birth_name);
    const float names = family == family_j & family != 0 ? 9.4f : married ? 6.1f : unknown_family;
    const int swapped = day == month_j & month == day_j & day != month & day != 0 & month != 0;
    const float date = swapped ? 4.5f : FIELD(day, day_j, 4.8f, -4.2f) + FIELD(month, month_j, 3.5f, -4.1f);
    const int apart = year - year_j;
    const float years = year == 0 | year_j == 0 ? 0.0f : apart == 0 ? 5.9f : apart == 1 | apart == -1 ? 1.2f : -4.6f;
    weight[j] = FIELD(given, old_given[j], 6.6f, -3.2f) + names + FIELD(birth_name, birth_name_j, 9.1f, -2.8f) + (date + years) +
                FIELD(sex, old_sex[j], 0.9f, -5.6f) + FIELD(place, old_place[j], 5.3f, -1.9f);
  }
}

int run(const i64 *args) {
  float *best = (float *)args[4 + 2 * COUNT];
  i64 *entry = (i64 *)args[5 + 2 * COUNT];
#pragma omp parallel for schedule(dynamic) num_threads(args[1])
  for (int first = 0; first < I; first += ENTRIES) {
    const int last = first + ENTRIES < I ? first + ENTRIES : I;
    float weight[BLOCK];
    for (int from = 0; from < J; from += BLOCK) {
      const int count = J - from < BLOCK ? J - from : BLOCK;
      for (int i = first; i < last; i++) {
        weigh(args, i, from, count, weight);
        float most = weight[0];
#pragma omp simd reduction(max : most)
        for (int j = 1; j < count; j++) most = weight[j] > most ? weight[j] : most;
        if (from > 0 && most <= best[i]) continue;
        int at = 0;
        while (weight[at] != most) at++;
        best[i] = most, entry[i] = from + at;
      }
    }
  }
  return 0;
}
