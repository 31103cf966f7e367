#ifndef EXPR_CASES_H
#define EXPR_CASES_H
/* Expressions with their values, written a second time in C. Names: */
#define CASE_A 2.5
#define CASE_B (-0.75)
#define CASE_K 3.0
#define CASE_X 0.625
#define CASE_U (-1.5)
#define CASE_T 0.125

#define EXPR_CASES(X, a, b, k, x, u, t)                                                                        \
    /* numbers and names */                                                                                    \
    X("0", 0.0) X("1", 1.0) X("42", 42.0) X("1.5", 1.5) X(".5", 0.5) X("2.", 2.0) X("1e-3", 1e-3)              \
    X("2.E4", 2.e4) X("1E+2", 100.0) X("1e5", 1e5) X("0.1", 0.1) X("123456789012345678", 123456789012345678.0) \
    X("1e308", 1e308) X("5e-324", 5e-324) X("1e-400", 0.0) X("00012", 12.0) X("0.1e1", 1.0)                    \
    X("pi", 3.14159265358979323846) X("e", 2.7182818284590452354) X("a", a) X("u", u) X(" x\t\n", x)           \
    /* precedence and association */                                                                           \
    X("1+2*3", 7.0) X("(1+2)*3", 9.0) X("2*3+1", 7.0) X("1-2-3", -4.0) X("1-(2-3)", 2.0) X("8/4/2", 1.0)       \
    X("8/(4/2)", 4.0) X("2*3/4", 1.5) X("2/3*4", 2.0 / 3.0 * 4.0) X("1/2", 0.5) X("7/2*2", 7.0)                \
    X("-2^2", -4.0) X("(-2)^2", 4.0) X("2^-1", 0.5) X("2^3^2", 512.0) X("(2^3)^2", 64.0) X("-2^-2", -0.25)     \
    X("2^-2^1", 0.25) X("2*-3", -6.0) X("2--3", 5.0) X("2-+3", -1.0) X("--2", 2.0) X("-+-2", 2.0)              \
    X("---x", -x) X("+x", x) X("-x^2", -(x * x)) X("-a*b", -a * b) X("a-b-x", a - b - x)                       \
    X("a/b/x", a / b / x) X("a*b+x*u", a * b + x * u) X("a+b*x-u/k", a + b * x - u / k)                        \
    X("a*(b+x)*(u-k)", a * (b + x) * (u - k)) X("((((a))))", a) X("2*3^2", 18.0) X("2^2*3", 12.0)              \
    X("-3^2+1", -8.0) X("10-2^3", 2.0) X("2^.5*1", pow(2.0, 0.5)) X("1 - - 1", 2.0)                            \
    /* comparisons and logic */                                                                                \
    X("1 < 2", 1.0) X("2 < 1", 0.0) X("1 <= 1", 1.0) X("1 >= 2", 0.0) X("2 > 1", 1.0) X("1 == 1", 1.0)         \
    X("1 != 1", 0.0) X("a > x", 1.0) X("u >= x", 0.0) X("1 + 1 < 3", 1.0) X("1 < 2 == 1", 1.0)                 \
    X("2 == 1 < 3", 0.0) X("!0", 1.0) X("!3", 0.0) X("!!3", 1.0) X("!a == 0", 1.0) X("!(a == 0)", 1.0)         \
    X("1 && 0", 0.0) X("1 && 2", 1.0) X("0 || 0", 0.0) X("0 || 3", 1.0) X("1 || 0 && 0", 1.0)                  \
    X("(1 || 0) && 0", 0.0) X("a > 1 && b < 0 || 0", 1.0) X("a > 1 && b > 0", 0.0) X("-1 && 1", 1.0)           \
    X("a < 1 || x < 1", 1.0) X("1 < 2 && 2 < 3", 1.0) X("0 == -0", 1.0)                                        \
    X("1 ? 2 : 3", 2.0) X("0 ? 2 : 3", 3.0) X("a > 1 ? x : u", x) X("a < 1 ? x : u", u)                        \
    X("0 ? 1 : 0 ? 2 : 3", 3.0) X("1 ? 0 ? 1 : 2 : 3", 2.0) X("(1 ? 2 : 3) + 1", 3.0) X("1 ? 2 : 3 + 1", 2.0)  \
    X("x < 1 ? -1 : 1", -1.0) X("a ? b ? 1 : 2 : 3", 1.0) X("1 || 0 ? 5 : 6", 5.0) X("a*(x > 0.5)", a)         \
    /* functions */                                                                                            \
    X("sin(x)", sin(x)) X("cos(x)", cos(x)) X("tan(x)", tan(x)) X("asin(x)", asin(x)) X("acos(x)", acos(x))    \
    X("atan(u)", atan(u)) X("atan2(u, a)", atan2(u, a)) X("atan2(0, -1)", atan2(0.0, -1.0))                    \
    X("sinh(u)", sinh(u)) X("cosh(u)", cosh(u)) X("tanh(u)", tanh(u)) X("exp(u)", exp(u)) X("log(a)", log(a))  \
    /* by mpmath, to 17 digits */                                                                              \
    X("sech(x)", 0.83211726815995597) X("sech(u)", 0.42509603494228046) X("csch(x)", 1.5003925076539173)       \
    X("csch(u)", -0.46964244059522460) X("coth(x)", 1.8031022369860258) X("coth(u)", -1.1047913929825119)      \
    X("heaviside(0)", 1.0) X("heaviside(u)", 0.0) X("heaviside(a)", 1.0)                                       \
    X("log(e)", 1.0) X("sqrt(a)", sqrt(a)) X("sqrt(4)", 2.0) X("abs(u)", 1.5) X("abs(-0)", 0.0)                \
    X("min(a, b)", b) X("max(a, b)", a) X("min(3, 1, 2)", 1.0) X("max(3, 1, 2)", 3.0)                          \
    X("max(1, 2, 3, 4, 5)", 5.0) X("min(a, b, x, u)", u) X("floor(2.7)", 2.0) X("floor(-2.1)", -3.0)           \
    X("ceil(2.1)", 3.0) X("ceil(u)", -1.0) X("ceil(2)", 2.0) X("round(2.4)", 2.0) X("round(2.5)", 3.0)         \
    X("round(u)", -2.0) X("round(-2.4)", -2.0) X("mod(7, 3)", 1.0) X("mod(-7, 3)", 2.0) X("mod(7, -3)", -2.0)  \
    X("mod(-7, -3)", -1.0) X("mod(6, 3)", 0.0) X("mod(-6, 3)", 0.0) X("mod(1, 0.1)", fmod(1.0, 0.1))           \
    X("mod(u, k)", 1.5) X("mod(a, x)", fmod(a, x)) X("mod(1e300, k)", fmod(1e300, k)) X("erf(x)", erf(x))      \
    X("erf(u)", erf(u)) X("erf(0)", 0.0) X("log10(a)", log10(a)) X("log10(1000)", 3.0)                         \
    X("floor(u)", -2.0) X("sign(u)", -1.0) X("sign(a)", 1.0) X("sign(0)", 0.0) X("step(0)", 1.0)               \
    X("step(u)", 0.0) X("step(a)", 1.0) X("step(x - 0.625)", 1.0) X("step(-1e-300)", 0.0)                      \
    X("sin(pi/6)", sin(3.14159265358979323846 / 6.0)) X("exp(1) - e", 0.0) X("sin(cos(x))", sin(cos(x)))       \
    X("abs(sin(3*x)) + 1", fabs(sin(3.0 * x)) + 1.0) X("sqrt(x^2 + u^2)", sqrt(x * x + u * u))                 \
    /* powers: whole ones up to 16 are products, by squaring */                                                \
    X("u^0", 1.0) X("u^1", u) X("u^2", u * u) X("u^3", u * u * u) X("u^4", (u * u) * (u * u))                  \
    X("u^-1", 1.0 / u) X("u^-2", 1.0 / (u * u)) X("u^-3", 1.0 / (u * u * u)) X("2^10", 1024.0)                 \
    X("2^16", 65536.0) X("2^17", 131072.0) X("10^-3", 1.0 / 1000.0) X("a^0.5", pow(a, 0.5))                    \
    X("a^b", pow(a, b)) X("a^k", pow(a, k)) X("u^(1+1)", u * u) X("x^2.5", pow(x, 2.5)) X("a^20", pow(a, 20.0)) \
    X("(-1)^0.5", NAN) X("0^0", 1.0) X("u^3 - u", u * u * u - u)                                               \
    X("a^16", ((a * a) * (a * a)) * ((a * a) * (a * a)) * (((a * a) * (a * a)) * ((a * a) * (a * a))))         \
    /* inf and nan */                                                                                          \
    X("1/0", INFINITY) X("-1/0", -INFINITY) X("1/-0", -INFINITY) X("0/0", NAN) X("log(0)", -INFINITY)          \
    X("log(-1)", NAN) X("sqrt(-1)", NAN) X("exp(1000)", INFINITY) X("exp(-1000)", 0.0) X("1e308*10", INFINITY) \
    X("asin(2)", NAN) X("0*(1/0)", NAN) X("0/0 == 0/0", 0.0) X("0/0 != 0/0", 1.0) X("0/0 < 1", 0.0)            \
    X("!(0/0)", 0.0) X("0/0 && 1", 1.0) X("0/0 ? 1 : 2", 1.0) X("min(0/0, 1)", NAN) X("min(1, 0/0)", NAN)      \
    X("max(0/0, 1)", NAN) X("max(1, 0/0)", NAN) X("min(1, 2, 0/0, 3)", NAN) X("sign(0/0)", NAN)                \
    X("step(0/0)", 0.0) X("min(-1/0, 1)", -INFINITY) X("max(1/0, 1)", INFINITY) X("abs(-1/0)", INFINITY)       \
    X("mod(1, 0)", NAN) X("mod(1/0, 2)", NAN) X("mod(0/0, 2)", NAN) X("mod(2, 0/0)", NAN) X("erf(0/0)", NAN)   \
    X("mod(2, 1/0)", 2.0) X("round(0/0)", NAN) X("ceil(-1/0)", -INFINITY) X("erf(-1/0)", -1.0)                 \
    X("log10(0)", -INFINITY) X("log10(-1)", NAN)                                                               \
    X("sech(1e3)", 0.0) X("csch(0)", INFINITY) X("csch(-1e3)", -0.0) X("coth(0)", INFINITY) X("coth(1/0)", 1.0) \
    X("sech(0/0)", NAN) X("heaviside(0/0)", 0.0)                                                               \
    X("floor(1/0)", INFINITY) X("(1/0)^0", 1.0) X("(0/0)^0", 1.0) X("1/(1/0)", 0.0)                            \
    /* as in the configs */                                                                                    \
    X("a*cos(k*(x - b*t))", a * cos(k * (x - b * t))) X("2*pi*4/k", 2.0 * 3.14159265358979323846 * 4.0 / k)    \
    X("exp(-(x - 1)^2/(2*b^2))", exp(-((x - 1.0) * (x - 1.0)) / (2.0 * (b * b))))                              \
    X("a*sin(k*x)*exp(-k^4*t)", a * sin(k * x) * exp(-((k * k) * (k * k)) * t))                                \
    X("(x > 0.5 && x < 1)*sin(2*pi*t)", sin(2.0 * 3.14159265358979323846 * t))                                 \
    X("tanh((x - 1/2)/sqrt(2*t))", tanh((x - 0.5) / sqrt(2.0 * t)))                                            \
    X("min(1, max(-1, u))", -1.0) X("x - floor(x/k)*k", x - floor(x / k) * k)
#endif
