/* Taking texts apart. */

#ifndef WBU_STRING_H
#define WBU_STRING_H

#ifdef __cplusplus
extern "C" {
#endif

char *wbu_string_strsep(char **stringp, const char *delim);
char *wbu_string_replace(char *value, const char *before, const char *after); /* to be freed */

#ifdef __cplusplus
}
#endif

#endif
