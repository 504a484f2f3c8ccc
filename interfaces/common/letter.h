/*
 * The letters that routines take as arguments: in either case, whatever the locale.
 */
#ifndef OB_COMMON_LETTER_H
#define OB_COMMON_LETTER_H

static inline char ob_capital(char letter)
{
    return letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;
}

#endif
