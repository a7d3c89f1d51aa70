package c

import (
	"slices"
	"strings"
)

// publicWords must not be called as a parameter in a header: the keywords of C++,
// and what the functions of a library use themselves.
const publicWords = `
	alignas alignof and and_eq asm bitand bitor catch char16_t char32_t char8_t class co_await co_return co_yield compl
	concept const_cast consteval constinit decltype delete dynamic_cast explicit export friend mutable namespace new
	noexcept not not_eq operator or or_eq private protected public reinterpret_cast requires static_cast template this
	throw try typeid typename using virtual wchar_t xor xor_eq
	NULL free malloc omp_get_max_threads refused lengths
	int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t`

// standardFunctions are names of the C library that compilers know, or that its
// headers declare: another function cannot have them.
const standardFunctions = `
	abort abs acos acosh alloca asin asinh assert atan atan2 atanh atexit atof atoi atol bcmp bcopy bsearch bzero cabs cacos
	calloc carg casin catan cbrt ccos ceil cexp cimag clog conj copysign cos cosh cpow creal csin csqrt ctan div drem erf
	erfc errno exit exp exp10 exp2 expm1 fabs fdim floor fma fmax fmin fmod fork fprintf fputc fputs frexp fscanf fwrite
	gamma getenv hypot ilogb imaxabs index isalnum isalpha isdigit isfinite isinf isnan isnormal isspace j0 j1 jn labs ldexp
	ldiv lgamma llabs llrint llround log log10 log1p log2 logb lrint lround malloc memchr memcmp memcpy memmove memset modf
	nan nearbyint nextafter nexttoward pow printf putc putchar puts qsort raise rand random realloc remainder remquo
	rindex rint round scalb scalbln scalbn scanf select setenv signbit significand sin sincos sinh snprintf sprintf sqrt
	srand sscanf stpcpy strcat strchr strcmp strcpy strlen strncmp strtol strtod system tan tanh tgamma time trunc
	vprintf y0 y1 yn`

// PublicName reports whether a C or C++ program can declare a function of that
// name next to those of the C library.
func PublicName(name string) bool {
	single := strings.TrimRight(name, "fl") // sinf and sinl come with sin
	functions := strings.Fields(standardFunctions)
	return name == identifier(name) && !reservedWords()[name] && !ownNames().MatchString(name) &&
		!slices.Contains(strings.Fields(publicWords), name) && !slices.Contains(functions, name) && !slices.Contains(functions, single)
}
