#include "expr/lex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ASCII only, whatever the locale says. */
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static const struct { const char *written; enum token_kind kind; enum operation op; } signs[] = {
    {"<=", T_OPERATOR, OP_LE}, {">=", T_OPERATOR, OP_GE}, {"==", T_OPERATOR, OP_EQ},  {"!=", T_OPERATOR, OP_NE},
    {"&&", T_OPERATOR, OP_AND}, {"||", T_OPERATOR, OP_OR}, {"+", T_OPERATOR, OP_ADD}, {"-", T_OPERATOR, OP_SUB},
    {"*", T_OPERATOR, OP_MUL}, {"/", T_OPERATOR, OP_DIV}, {"^", T_OPERATOR, OP_POW},  {"<", T_OPERATOR, OP_LT},
    {">", T_OPERATOR, OP_GT},  {"!", T_OPERATOR, OP_NOT}, {"(", T_LEFT, OP_COUNT},    {")", T_RIGHT, OP_COUNT},
    {",", T_COMMA, OP_COUNT},  {"?", T_QUESTION, OP_COUNT}, {":", T_COLON, OP_COUNT},
};

/* What people write who come from another language. */
static const struct { const char *written, *hint; } foreign[] = {
    {"**", "a power is written with ^"},     {"=", "equality is written =="},       {"&", "logical and is written &&"},
    {"|", "logical or is written ||, an absolute value abs(x)"},
    {"%", "the remainder is mod(a, b)"},
    {"[", "parentheses are ( and )"},        {"]", "parentheses are ( and )"},      {"{", "parentheses are ( and )"},
    {"}", "parentheses are ( and )"},        {"\xC3\x97", "multiplication is written with *"},
    {"\xC2\xB7", "multiplication is written with *"}, {"\xE2\x88\x92", "minus is written -"}, {"\xCF\x80", "write pi"},
    {"\xC2\xB2", "a power is written with ^"}, {"\xC2\xB3", "a power is written with ^"},
};

static size_t character_bytes(const char *s)
{
    size_t bytes = 1;
    if ((unsigned char)*s >= 0xC0)
        while (bytes < 4 && ((unsigned char)s[bytes] & 0xC0) == 0x80) bytes++;
    return bytes;
}

static enum sw_status refuse_character(struct lexer *lexer)
{
    const char *s = lexer->next;
    for (size_t k = 0; k < sizeof foreign / sizeof foreign[0]; k++)
        if (!strncmp(s, foreign[k].written, strlen(foreign[k].written)))
            return expr_refuse(lexer->err, lexer->column, s[0] == '*' ? 2 : 1, foreign[k].hint,
                               "'%s' is not part of the language", foreign[k].written);
    size_t bytes = character_bytes(s);
    if ((unsigned char)*s < ' ' || *s == 127 || (bytes == 1 && (unsigned char)*s >= 0x80))
        return expr_refuse(lexer->err, lexer->column, 1, "", "unexpected byte 0x%02x", (unsigned char)*s);
    return expr_refuse(lexer->err, lexer->column, 1, "", "unexpected character '%.*s'", (int)bytes, s);
}

static const char *skip_digits(const char *s)
{
    while (is_digit(*s)) s++;
    return s;
}

/* digits [. digits] [e [+-] digits], or . digits ... */
static const char *number_end(const char *s)
{
    const char *end = skip_digits(s);
    if (*end == '.') end = skip_digits(end + 1);
    if (*end == 'e' || *end == 'E') {
        const char *power = end + 1 + (end[1] == '+' || end[1] == '-');
        if (is_digit(*power)) end = skip_digits(power);
    }
    return end;
}

static enum sw_status lex_number(struct lexer *lexer, struct token *token)
{
    const char *end = number_end(token->begin), *junk = end;
    if ((*junk == 'e' || *junk == 'E') && !is_letter(junk[1])) junk++;  /* "2e", but not "2exp(x)" */
    while (*junk == '.' || is_digit(*junk)) junk++;
    int shown = junk - token->begin < 40 ? (int)(junk - token->begin) : 40;
    token->kind = T_NUMBER;
    token->bytes = (size_t)(end - token->begin);
    if (junk > end || (token->bytes == 1 && *token->begin == '.'))
        return expr_refuse(lexer->err, token->column, (int)(junk - token->begin), "numbers look like 1, 1.5, .5, 1e-3",
                           "bad number '%.*s'", shown, token->begin);
    /* strtod would read "0x1" as hexadecimal; here it is 0 and a name */
    bool hexadecimal = token->bytes == 1 && *token->begin == '0' && (*end == 'x' || *end == 'X');
    token->value = hexadecimal ? 0.0 : strtod(token->begin, NULL);
    if (isinf(token->value))
        return expr_refuse(lexer->err, token->column, (int)token->bytes, "the largest is 1.79e308",
                           "number '%.*s' is out of range", shown, token->begin);
    return SW_OK;
}

static enum sw_status lex_name(struct lexer *lexer, struct token *token)
{
    const char *end = token->begin;
    while (is_letter(*end) || is_digit(*end)) end++;
    token->kind = T_NAME;
    token->bytes = (size_t)(end - token->begin);
    if (token->bytes > NAME_LONGEST)
        return expr_refuse(lexer->err, token->column, (int)token->bytes, "",
                           "name of %zu characters, at most %d are allowed", token->bytes, NAME_LONGEST);
    return SW_OK;
}

static enum sw_status lex_sign(struct lexer *lexer, struct token *token)
{
    if (!strncmp(token->begin, "**", 2)) return refuse_character(lexer);
    for (size_t k = 0; k < sizeof signs / sizeof signs[0]; k++) {
        token->bytes = strlen(signs[k].written);
        if (strncmp(token->begin, signs[k].written, token->bytes)) continue;
        token->kind = signs[k].kind;
        token->op = signs[k].op;
        return SW_OK;
    }
    return refuse_character(lexer);
}

enum sw_status lex(struct lexer *lexer, struct token *token)
{
    for (; is_space(*lexer->next); lexer->next++) lexer->column++;
    *token = (struct token){.begin = lexer->next, .column = lexer->column, .op = OP_COUNT};
    char c = *token->begin;
    if (!c)
        token->kind = T_END;
    else if (is_digit(c) || c == '.')
        SW_TRY(lex_number(lexer, token));
    else if (is_letter(c))
        SW_TRY(lex_name(lexer, token));
    else
        SW_TRY(lex_sign(lexer, token));
    token->length = (int)token->bytes;  /* tokens are ASCII: a character is a byte */
    lexer->next += token->bytes;
    lexer->column += token->length;
    return SW_OK;
}
