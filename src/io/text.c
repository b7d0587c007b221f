/**
 * @file text.c
 * @brief What the readers share: messages, misspelt words, names, what a file is, and the words of
 * a text.
 */
#include <string.h>

#include "io_internal.h"
#include "utf8.h"

/* ---- messages -------------------------------------------------------------------------------- */

static ov_status fill_fault(ov_fault *fault, ov_status status, ov_fault_place place, size_t index,
                            const char *format, va_list values) {
    if (fault == NULL) {
        return status;
    }
    fault->place = place;
    fault->index = index;
    (void)vsnprintf(fault->text, sizeof fault->text, format, values);
    // the text may quote the file: it stays one line and sends a terminal no commands
    for (char *s = fault->text; *s != '\0'; s++) {
        if ((unsigned char)*s < 0x20 || *s == 0x7f) {
            *s = '?';
        }
    }
    return status;
}

ov_status ovi_file_fault_list(ov_fault *fault, ov_status status, size_t line, const char *format,
                              va_list values) {
    ov_fault_place place = line > 0 ? OV_FAULT_PLACE_LINE : OV_FAULT_PLACE_NONE;
    return fill_fault(fault, status, place, line, format, values);
}

ov_status ovi_file_fault(ov_fault *fault, ov_status status, size_t line, const char *format, ...) {
    va_list values;
    va_start(values, format);
    (void)ovi_file_fault_list(fault, status, line, format, values);
    va_end(values);
    return status;
}

ov_status ovi_fault_at(ov_fault *fault, ov_status status, ov_fault_place place, size_t index,
                       const char *format, ...) {
    va_list values;
    va_start(values, format);
    (void)fill_fault(fault, status, place, index, format, values);
    va_end(values);
    return status;
}

/* ---- misspelt words -------------------------------------------------------------------------- */

/** Insertions, removals and replacements that make `a` into `b`; `most` + 1 if more than that. */
static size_t edit_distance(const char *a, const char *b, size_t most) {
    enum { LONGEST = 40 };
    size_t row[LONGEST + 1], rows = strlen(a), columns = strlen(b);
    if (rows > LONGEST || columns > LONGEST) {
        return most + 1;
    }
    for (size_t j = 0; j <= columns; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= rows; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t replaced = corner + (a[i - 1] != b[j - 1]);
            size_t moved = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            corner = row[j];
            row[j] = replaced < moved ? replaced : moved;
        }
    }
    return row[columns] <= most ? row[columns] : most + 1;
}

const char *ovi_nearest(const char *word, const char *const *words, size_t count) {
    // a third of the letters wrong is still a misspelling, more is another word
    size_t most = strlen(word) / 3 + 1;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(word, words[i], most);
        if (distance <= most) {
            nearest = words[i];
            if (distance == 0) {
                break;
            }
            most = distance - 1;
        }
    }
    return nearest;
}

void ovi_suggest(const char *word, const char *const *known, size_t count, char *text,
                 size_t size) {
    const char *near = ovi_nearest(word, known, count);
    if (near != NULL) {
        (void)snprintf(text, size, "did you mean '%s'?", near);
        return;
    }
    size_t used = (size_t)snprintf(text, size, "known are:");
    for (size_t i = 0; i < count && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, " %s", known[i]);
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

/** Is the character at `s` one of C0 or C1, or the one that deletes? */
static bool is_control(const unsigned char *s) {
    return s[0] < 0x20 || s[0] == 0x7f || (s[0] == 0xc2 && s[1] < 0xa0);
}

/** 1 to `most` bytes of UTF-8 without control characters. */
static bool is_printable(const char *text, size_t most) {
    const unsigned char *s = (const unsigned char *)text;
    size_t length = 0;
    while (s[length] != '\0') {
        size_t step = is_control(s + length) ? 0 : ovi_utf8_length(s + length);
        length += step;
        if (step == 0 || length > most) {
            return false;
        }
    }
    return length > 0;
}

bool ovi_is_name(const char *text) { return is_printable(text, OV_SCENE_NAME_MAX); }

bool ovi_is_xml_name(const char *text) {
    // two characters of Unicode that XML has not
    return is_printable(text, SIZE_MAX) && strstr(text, "\xef\xbf\xbe") == NULL &&
           strstr(text, "\xef\xbf\xbf") == NULL;
}

/* ---- what a file is -------------------------------------------------------------------------- */

static bool begins(const char *s, const char *end, const char *text) {
    size_t length = strlen(text);
    return (size_t)(end - s) >= length && memcmp(s, text, length) == 0;
}

/** Where a text begins in another, or null. */
static const char *find(const char *s, const char *end, const char *text) {
    while (s < end && !begins(s, end, text)) {
        s++;
    }
    return s < end ? s : NULL;
}

static const char *skip_blanks(const char *s, const char *end) {
    while (s < end && (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\n')) {
        s++;
    }
    return s;
}

/** Passes over blanks, a byte order mark, and what may stand before the root of an XML text. */
static const char *skip_prologue(const char *s, const char *end) {
    static const struct {
        const char *open, *close;
    } skipped[] = {{"<?", "?>"}, {"<!--", "-->"}, {"<!", ">"}, {"\xef\xbb\xbf", ""}};
    bool again = true;
    while (again) {
        s = skip_blanks(s, end);
        again = false;
        for (size_t i = 0; i < sizeof skipped / sizeof skipped[0] && !again; i++) {
            if (begins(s, end, skipped[i].open)) {
                const char *close = find(s, end, skipped[i].close);
                s = close != NULL ? close + strlen(skipped[i].close) : end;
                s += skipped[i].close[0] == '\0' ? strlen(skipped[i].open) : 0;
                again = close != NULL;
                break;
            }
        }
    }
    return s;
}

/** Does a text begin with a word, and not with a longer one? */
static bool begins_with_word(const char *s, const char *end, const char *word) {
    size_t length = strlen(word);
    return begins(s, end, word) &&
           (s + length == end || strchr(" \t\r\n>/\x02", s[length]) != NULL ||
            strchr("<,", word[length - 1]) != NULL);
}

/** Keys of JSON that tell: those of the object itself, and of the objects in its lists. */
static ov_file_kind json_kind(const char *s, const char *end) {
    ov_file_kind kind = OV_FILE_KIND_JSON;
    int depth = 0;
    for (; s < end; s++) {
        depth += (*s == '{' || *s == '[') - (*s == '}' || *s == ']');
        if (*s != '"') {
            continue;
        }
        ovi_word key = {s + 1, 0};
        for (s++; s < end && *s != '"'; s++) {
            s += *s == '\\' && s + 1 < end;
        }
        key.length = (size_t)(s - key.at);
        const char *next = s < end ? skip_blanks(s + 1, end) : end;
        if (next == end || *next != ':') {
            continue;
        }
        if ((depth == 1 && ovi_word_is(key, "time")) ||
            (depth == 3 && ovi_word_is(key, "motion"))) {
            return OV_FILE_KIND_MOTION_SCENE;
        }
        if (depth == 1 && ovi_word_is(key, "bodies")) {
            kind = OV_FILE_KIND_SCENE;
        } else if (depth == 1 && ovi_word_is(key, "bufferviews")) {
            return OV_FILE_KIND_GLTF;
        }
    }
    return kind;
}

ov_file_kind ov_file_kind_of(const void *bytes, size_t size) {
    static const struct {
        const char *beginning;
        ov_file_kind kind;
    } known[] = {{"<sdf", OV_FILE_KIND_SDFORMAT},
                 {"<mujoco", OV_FILE_KIND_MJCF},
                 {"<COLLADA", OV_FILE_KIND_COLLADA},
                 {"<", OV_FILE_KIND_XML},
                 {"ply", OV_FILE_KIND_PLY},
                 {"solid", OV_FILE_KIND_STL},
                 {"OFF", OV_FILE_KIND_OFF},
                 {"COFF", OV_FILE_KIND_OFF},
                 {"NOFF", OV_FILE_KIND_OFF},
                 {"glTF", OV_FILE_KIND_GLTF},
                 {"A_a1,", OV_FILE_KIND_PAIRS},
                 {"ovoid replay", OV_FILE_KIND_REPLAY},
                 {"version https://git-lfs.github.com/spec/v1", OV_FILE_KIND_LFS}};
    if (bytes == NULL) {
        return OV_FILE_KIND_UNKNOWN;
    }
    const char *end = (const char *)bytes + size, *s = skip_prologue(bytes, end);
    if (begins_with_word(s, end, "<robot")) {
        // a xacro is a URDF with elements that have yet to be expanded
        return find(s, end, "<xacro:") != NULL ? OV_FILE_KIND_XACRO : OV_FILE_KIND_URDF;
    }
    if (begins(s, end, "{")) {
        return json_kind(s, end);
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (begins_with_word(s, end, known[i].beginning)) {
            return known[i].kind;
        }
    }
    return OV_FILE_KIND_UNKNOWN;
}

const char *ov_file_kind_name(ov_file_kind kind) {
    static const char *const names[OV_FILE_KIND_COUNT] = {
        [OV_FILE_KIND_UNKNOWN] = "something unknown",
        [OV_FILE_KIND_SCENE] = "a scene",
        [OV_FILE_KIND_MOTION_SCENE] = "a scene in motion",
        [OV_FILE_KIND_URDF] = "a URDF",
        [OV_FILE_KIND_XACRO] = "a xacro, to be expanded first",
        [OV_FILE_KIND_SDFORMAT] = "SDFormat",
        [OV_FILE_KIND_MJCF] = "MJCF",
        [OV_FILE_KIND_COLLADA] = "COLLADA",
        [OV_FILE_KIND_XML] = "XML",
        [OV_FILE_KIND_JSON] = "JSON",
        [OV_FILE_KIND_GLTF] = "glTF",
        [OV_FILE_KIND_PLY] = "a PLY mesh",
        [OV_FILE_KIND_STL] = "an STL mesh",
        [OV_FILE_KIND_OFF] = "an OFF mesh",
        [OV_FILE_KIND_PAIRS] = "a file of pairs",
        [OV_FILE_KIND_REPLAY] = "a replay",
        [OV_FILE_KIND_LFS] = "a pointer of Git LFS (git lfs pull fetches the file)"};
    return kind >= 0 && kind < OV_FILE_KIND_COUNT ? names[kind] : names[OV_FILE_KIND_UNKNOWN];
}

ov_status ovi_wrong_file(ov_fault *fault, ov_file_kind kind, size_t line, const char *expected) {
    return ovi_file_fault(fault, OV_ERROR_FILE_FORMAT, line, "this is %s; %s is expected",
                          ov_file_kind_name(kind), expected);
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/** Length of a backslash with the line end behind it, or 0. */
static size_t continuation(const ovi_text *t) {
    size_t left = (size_t)(t->end - t->at);
    if (!t->continues || left < 2 || *t->at != '\\') {
        return 0;
    }
    if (t->at[1] == '\n') {
        return 2;
    }
    return left >= 3 && t->at[1] == '\r' && t->at[2] == '\n' ? 3 : 0;
}

bool ovi_text_word(ovi_text *t, ovi_word *word) {
    for (;;) {
        while (t->at < t->end && is_blank(*t->at)) {
            t->at++;
        }
        size_t step = t->at < t->end ? continuation(t) : 0;
        if (step == 0) {
            break;
        }
        t->at += step;
        t->line++;
    }
    word->at = t->at;
    while (t->at < t->end && !is_blank(*t->at) && *t->at != '\n' && continuation(t) == 0) {
        t->at++;
    }
    word->length = (size_t)(t->at - word->at);
    return word->length > 0;
}

bool ovi_text_next_line(ovi_text *t) {
    bool comment = false; // a backslash at its end, as of a folder's name, joins nothing
    while (t->at < t->end && *t->at != '\n') {
        comment = comment || *t->at == '#';
        size_t step = comment ? 0 : continuation(t);
        t->line += step > 0;
        t->at += step > 0 ? step : 1;
    }
    if (t->at == t->end) {
        return false;
    }
    t->at++;
    t->line++;
    return t->at < t->end;
}

bool ovi_text_word_anywhere(ovi_text *t, ovi_word *word) {
    while (!ovi_text_word(t, word)) {
        if (!ovi_text_next_line(t)) {
            return false;
        }
    }
    return true;
}

bool ovi_word_is(ovi_word word, const char *lower) {
    for (size_t i = 0; i < word.length; i++) {
        char c =
            word.at[i] >= 'A' && word.at[i] <= 'Z' ? (char)(word.at[i] - 'A' + 'a') : word.at[i];
        // the zero at the end of `lower` is unlike any character of a longer word, but one
        if (c != lower[i] || c == '\0') {
            return false;
        }
    }
    return lower[word.length] == '\0';
}
