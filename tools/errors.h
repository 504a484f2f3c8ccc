/*
 * obinfo --error: what the code of an error line means.
 */
#ifndef OB_TOOLS_ERRORS_H
#define OB_TOOLS_ERRORS_H

/* docs/errors.md */
extern const char ob_errors_md[];

/* Prints the section of a code ("OB-1016", "1016", "[OB-1016]"), or for NULL the list of all.
 * Returns the program's status. */
int show_error(const char *code);

#endif
