#ifndef LEX_H
#define LEX_H
/* Text to tokens. Private to the parser. */
#include "expr/expr_impl.h"

enum token_kind { T_END, T_NUMBER, T_NAME, T_OPERATOR, T_LEFT, T_RIGHT, T_COMMA, T_QUESTION, T_COLON };

struct token {
    enum token_kind kind;
    enum operation  op;              /* T_OPERATOR; '-' is OP_SUB here */
    const char     *begin;
    size_t          bytes;
    int             column, length;  /* in characters */
    double          value;           /* T_NUMBER */
};

struct lexer {                       /* start from {text, 1, err} */
    const char *next;
    int         column;
    struct sw_expr_error *err;
};

/** The next token; at the end of the text T_END, again and again. @return SW_E_CONFIG */
enum sw_status lex(struct lexer *lexer, struct token *token);
#endif
