/* java_properties.c: see java_properties.h */
#include "java_properties.h"

#include "formats/base/read_fully.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { END = -1 };

#define BLANKS " \t\f"
#define BETWEEN BLANKS "\r\n" /* keys */

enum status java_properties_load(struct java_properties *p, const char *name, struct error *e)
{
    struct stat st;
    size_t got = 0;
    *p = (struct java_properties){NULL, NULL};
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail_errno(e, name, "cannot open");
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > JAVA_PROPERTIES_BYTES)
        fail(e, ST_BAD_DATA, "%s: found no file of at most %d bytes, expected the properties of a graph", name,
             JAVA_PROPERTIES_BYTES);
    else if ((p->text = calloc((size_t)st.st_size + 1, 1)) == NULL)
        fail_memory(e, name, (uint64_t)st.st_size + 1);
    else if (read_fully_at(fd, 0, p->text, (size_t)st.st_size, &got) != 0)
        fail_errno(e, name, "cannot read");
    close(fd);
    if (e->status == ST_OK)
        p->next = p->text + (strncmp(p->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0); /* behind the byte order mark */
    return e->status;
}

void java_properties_close(struct java_properties *p)
{
    free(p->text);
}

static int is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\f';
}

/* Nonzero for the two signs that may stand between key and value, = and :. */
static int is_equals_sign(int c)
{
    return c == '=' || c == ':';
}

/* The character that an escape stands for. Moves *p behind it. */
static int take_escape(char **p)
{
    static const char letters[] = "tnrf", characters[] = "\t\n\r\f";
    unsigned code;
    if (**p == 'u' && strspn(*p + 1, "0123456789abcdefABCDEF") >= 4 && sscanf(*p + 1, "%4x", &code) == 1) {
        *p += 5;
        return code > 0 && code <= '~' ? (int)code : '?';
    }
    char c = *(*p)++;
    const char *letter = strchr(letters, c);
    return letter != NULL ? characters[letter - letters] : (unsigned char)c;
}

/* Takes the next character of a line, or END. *is_escape is set if it was escaped, and so ends no key. */
static int take_character(char **p, int *is_escape)
{
    while (**p == '\\' && ((*p)[1] == '\n' || (*p)[1] == '\r')) { /* the line goes on in the next one */
        *p += (*p)[1] == '\r' && (*p)[2] == '\n' ? 3 : 2;
        *p += strspn(*p, BLANKS);
    }
    *is_escape = **p == '\\' && (*p)[1] != '\0';
    if (*is_escape) {
        (*p)++;
        return take_escape(p);
    }
    if (**p == '\0' || **p == '\n' || **p == '\r')
        return END;
    return (unsigned char)*(*p)++;
}

/* Takes what separates a value from its key: blanks, of which one may be = or :. Returns the character behind. */
static int take_separator(char **p, int c, int *is_escape)
{
    int signs = 0;
    while (!*is_escape && (is_blank(c) || (is_equals_sign(c) && signs++ == 0)))
        c = take_character(p, is_escape);
    return c;
}

/* Cuts blanks off the end of a value, and makes '?' of characters that cannot be printed. */
static void tidy(char *value)
{
    for (char *last = value + strlen(value); last > value && isspace((unsigned char)last[-1]); last--)
        last[-1] = '\0';
    for (char *c = value; *c != '\0'; c++)
        *c = *c >= ' ' && *c <= '~' ? *c : '?';
}

/* Finds the next key and value, and writes both, without escapes, over the text where they stand: no escape is longer than its
 * text, and a separator or the end of the line is where a zero goes. */
int java_properties_next(struct java_properties *p, const char **key, char **value)
{
    char *from = p->next, *to;
    int is_escape, c;
    for (from += strspn(from, BETWEEN); *from == '#' || *from == '!'; from += strspn(from, BETWEEN))
        from += strcspn(from, "\r\n");
    if (*from == '\0')
        return 0;
    *key = to = from;
    while ((c = take_character(&from, &is_escape)) != END && (is_escape || !(is_blank(c) || is_equals_sign(c))))
        *to++ = (char)c;
    char *key_end = to;
    if (c != END) {
        c = take_separator(&from, c, &is_escape);
        to++;
    }
    for (*value = to; c != END; c = take_character(&from, &is_escape))
        *to++ = (char)c;
    p->next = from + (*from != '\0');
    *key_end = *to = '\0';
    tidy(*value);
    return 1;
}
