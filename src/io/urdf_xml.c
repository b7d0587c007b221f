/**
 * @file urdf_xml.c
 * @brief XML in pieces, by expat: robots' files come from anywhere.
 *
 * A file can ask for more than it is worth. Against that:
 *   - it ends at OV_ROBOT_BYTES_MAX bytes and at OV_ROBOT_DEPTH_MAX nested elements, at once,
 * however much of it is still to come;
 *   - entities may make it twice as long, and not more (expat counts that), and there may be
 *     DECLARATIONS_MAX of them, so that a chain of them does not go deep either; as many attributes
 *     may be declared, since every element gets those that have a default;
 *   - external entities are never opened, and naming one is an error; an external DTD is passed
 *     over;
 *   - elements below the root are handed over one by one and forgotten, and each may hold NODES_MAX
 *     others.
 *
 * Namespaces are looked at here and not by expat, which refuses prefixes that nobody declared; many
 * files of robots have such ones, in parts that matter to other programs only. For the same reason
 * `ovoid:` without a declaration is taken as Ovoid's own.
 */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include <stdlib.h>
#include <string.h>

// the header shows the limits of expansion only with this
#ifndef XML_DTD
#define XML_DTD 1
#endif
#include <expat.h>

#include "urdf_internal.h"

enum {
    PIECE = 1 << 16,
    NODES_MAX = 1 << 20,
    DECLARATIONS_MAX = 256,
    BINDINGS_MAX = 64,
    PREFIX_MAX = 63
};

/** Entities may make a file longer by this factor, once it is longer than the threshold. */
static const float EXPANSION_MAX = 2.0F;
static const unsigned long long EXPANSION_THRESHOLD = 1 << 20;

/** A prefix that stands, or no longer stands, for Ovoid's namespace. */
typedef struct binding {
    char prefix[PREFIX_MAX + 1];
    int depth;
    bool ours;
} binding;

typedef struct parser {
    XML_Parser expat;
    const ovi_xml_takers *takers;
    void *user;
    ov_file_error *error;
    ov_status status;
    int depth, passed_over; /**< 0, or the depth of an element that is passed over with all in it */
    int declarations;       /**< of entities and of attributes */
    int nodes;              /**< in memory */
    ovi_xml_node *path[OV_ROBOT_DEPTH_MAX + 1]; /**< open elements by depth, from 2 */
    binding bindings[BINDINGS_MAX];
    int binding_count;
} parser;

/* ---- messages -------------------------------------------------------------------------------- */

/** Keeps the status and ends the parsing. */
static void stop(parser *p, ov_status status) {
    p->status = status;
    (void)XML_StopParser(p->expat, XML_FALSE);
}

__attribute__((format(printf, 3, 4))) static void refuse(parser *p, ov_status status,
                                                         const char *format, ...) {
    va_list values;
    va_start(values, format);
    (void)ovi_file_error_list(p->error, status, (size_t)XML_GetCurrentLineNumber(p->expat), format,
                              values);
    va_end(values);
    stop(p, status);
}

/* ---- namespaces ------------------------------------------------------------------------------ */

/** Does a prefix stand for Ovoid's namespace here? */
static bool is_ours(const parser *p, const char *prefix, size_t length) {
    for (int i = p->binding_count - 1; i >= 0; i--) {
        const binding *b = &p->bindings[i];
        if (strlen(b->prefix) == length && memcmp(b->prefix, prefix, length) == 0) {
            return b->ours;
        }
    }
    return length == 5 && memcmp(prefix, "ovoid", 5) == 0;
}

/** Notes the declarations of an element that have to do with Ovoid. */
static void bind_prefixes(parser *p, const char **attributes) {
    for (int i = 0; attributes[i] != NULL; i += 2) {
        const char *name = attributes[i];
        if (strncmp(name, "xmlns", 5) != 0 || (name[5] != ':' && name[5] != '\0')) {
            continue;
        }
        const char *prefix = name[5] == ':' ? name + 6 : "";
        size_t length = strlen(prefix);
        bool ours = strcmp(attributes[i + 1], OV_URDF_NAMESPACE) == 0;
        if (ours == is_ours(p, prefix, length)) {
            continue;
        }
        if (p->binding_count == BINDINGS_MAX || length > PREFIX_MAX) {
            refuse(p, OV_ERROR_COUNT, "too many or too long namespace prefixes");
            return;
        }
        binding *b = &p->bindings[p->binding_count++];
        memcpy(b->prefix, prefix, length + 1);
        b->depth = p->depth;
        b->ours = ours;
    }
}

/** How a name is split: bytes of its prefix and whether that is Ovoid's. */
typedef struct split {
    size_t skip; /**< bytes before the local name */
    bool ours, foreign;
} split;

static split split_name(const parser *p, const char *name, bool attribute) {
    const char *colon = strchr(name, ':');
    size_t length = colon == NULL ? 0 : (size_t)(colon - name);
    split s = {colon == NULL ? 0 : length + 1, false, false};
    // an attribute without a prefix is in no namespace
    s.ours = (colon != NULL || !attribute) && is_ours(p, name, length);
    s.foreign = !s.ours && strncmp(name, "ovoid:", 6) == 0;
    return s;
}

/** Writes the name to `at` and returns what follows it. */
static char *put_name(split s, const char *name, char *at) {
    const char *prefix = s.ours ? "ovoid:" : s.foreign ? "?" : "";
    const char *rest = s.ours ? name + s.skip : name;
    size_t prefix_length = strlen(prefix), length = strlen(rest) + 1;
    memcpy(at, prefix, prefix_length);
    memcpy(at + prefix_length, rest, length);
    return at + prefix_length + length;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/** An element in one block of memory. */
static ovi_xml_node *make_node(const parser *p, const char *name, const char **attributes) {
    size_t count = 0;
    split own = split_name(p, name, false);
    // a name may get "ovoid:" before it
    size_t bytes = strlen(name) + 7;
    for (; attributes[count] != NULL; count += 2) {
        bytes += strlen(attributes[count]) + 7 + strlen(attributes[count + 1]) + 1;
    }
    ovi_xml_node *node = malloc(sizeof *node + (count + 1) * sizeof(char *) + bytes);
    if (node == NULL) {
        return NULL;
    }
    const char **kept = (const char **)(node + 1);
    char *at = (char *)(kept + count + 1);
    *node = (ovi_xml_node){
        .name = at, .attributes = kept, .line = (size_t)XML_GetCurrentLineNumber(p->expat)};
    at = put_name(own, name, at);
    for (size_t i = 0; i < count; i += 2) {
        kept[i] = at;
        at = put_name(split_name(p, attributes[i], true), attributes[i], at);
        size_t length = strlen(attributes[i + 1]) + 1;
        kept[i + 1] = at;
        memcpy(at, attributes[i + 1], length);
        at += length;
    }
    kept[count] = NULL;
    return node;
}

/** Recursive to OV_ROBOT_DEPTH_MAX at most. */
static void free_node(ovi_xml_node *node) {
    while (node != NULL) {
        ovi_xml_node *next = node->next;
        free_node(node->first);
        free(node);
        node = next;
    }
}

const char *ovi_xml_attribute(const ovi_xml_node *node, const char *name) {
    for (size_t i = 0; node->attributes[i] != NULL; i += 2) {
        if (strcmp(node->attributes[i], name) == 0) {
            return node->attributes[i + 1];
        }
    }
    return NULL;
}

const ovi_xml_node *ovi_xml_child(const ovi_xml_node *node, const char *name) {
    const ovi_xml_node *child = node->first;
    while (child != NULL && strcmp(child->name, name) != 0) {
        child = child->next;
    }
    return child;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void on_start(void *user, const char *name, const char **attributes) {
    parser *p = user;
    if (p->status != OV_OK) {
        return;
    }
    if (++p->depth > OV_ROBOT_DEPTH_MAX) {
        refuse(p, OV_ERROR_COUNT, "elements are nested deeper than %d", OV_ROBOT_DEPTH_MAX);
        return;
    }
    if (strncmp(name, "xacro:", 6) == 0) {
        refuse(p, OV_ERROR_FILE_FORMAT,
               "<%.40s> is xacro: the file must be expanded to URDF first (xacro FILE > NEW.urdf)",
               name);
        return;
    }
    bind_prefixes(p, attributes);
    if (p->status != OV_OK || p->passed_over > 0) {
        return;
    }
    if (p->depth == 2 && !p->takers->wanted(name)) {
        p->passed_over = p->depth;
        return;
    }
    p->nodes = p->depth <= 2 ? 0 : p->nodes + 1;
    if (p->nodes > NODES_MAX) {
        refuse(p, OV_ERROR_COUNT, "more than %d elements within one", NODES_MAX);
        return;
    }
    ovi_xml_node *node = make_node(p, name, attributes);
    if (node == NULL) {
        refuse(p, OV_ERROR_MEMORY, "out of memory");
        return;
    }
    if (p->depth == 1) {
        ov_status status = p->takers->open(p->user, node);
        free_node(node);
        if (status != OV_OK) {
            stop(p, status);
        }
        return;
    }
    p->path[p->depth] = node;
    if (p->depth > 2) {
        ovi_xml_node *parent = p->path[p->depth - 1];
        *(parent->first == NULL ? &parent->first : &parent->last->next) = node;
        parent->last = node;
    }
}

static void on_end(void *user, const char *name) {
    parser *p = user;
    (void)name;
    if (p->status != OV_OK) {
        return;
    }
    while (p->binding_count > 0 && p->bindings[p->binding_count - 1].depth == p->depth) {
        p->binding_count--;
    }
    int depth = p->depth--;
    if (p->passed_over > 0) {
        p->passed_over = depth == p->passed_over ? 0 : p->passed_over;
        return;
    }
    if (depth == 2) {
        ov_status status = p->takers->take(p->user, p->path[2]);
        free_node(p->path[2]);
        p->path[2] = NULL;
        if (status != OV_OK) {
            stop(p, status);
        }
    }
}

static void count_declaration(parser *p) {
    if (p->status == OV_OK && ++p->declarations > DECLARATIONS_MAX) {
        refuse(p, OV_ERROR_COUNT, "more than %d entities or attributes are declared",
               DECLARATIONS_MAX);
    }
}

static void on_entity(void *user, const char *name, int is_parameter, const char *value, int length,
                      const char *base, const char *system_id, const char *public_id,
                      const char *notation) {
    (void)name, (void)is_parameter, (void)value, (void)length, (void)base, (void)system_id;
    (void)public_id, (void)notation;
    count_declaration(user);
}

static void on_attribute(void *user, const char *element, const char *name, const char *type,
                         const char *value, int required) {
    (void)element, (void)name, (void)type, (void)value, (void)required;
    count_declaration(user);
}

static int on_external(XML_Parser expat, const char *context, const char *base,
                       const char *system_id, const char *public_id) {
    parser *p = XML_GetUserData(expat);
    (void)context, (void)base, (void)public_id;
    if (p->status == OV_OK) {
        refuse(p, OV_ERROR_FILE_FORMAT, "external entity \"%.80s\" is not read",
               system_id != NULL ? system_id : "");
    }
    return XML_STATUS_ERROR;
}

static void on_skipped(void *user, const char *name, int is_parameter) {
    parser *p = user;
    if (p->status == OV_OK && !is_parameter) {
        refuse(p, OV_ERROR_FILE_FORMAT, "entity \"%.40s\" is not declared in the file", name);
    }
}

/* ---- the file -------------------------------------------------------------------------------- */

/** What expat found wrong. */
static void explain(parser *p, size_t bytes) {
    enum XML_Error code = XML_GetErrorCode(p->expat);
    if (p->status != OV_OK) {
        return;
    }
    switch (code) {
    case XML_ERROR_NO_MEMORY:
        refuse(p, OV_ERROR_MEMORY, "out of memory");
        break;
    case XML_ERROR_AMPLIFICATION_LIMIT_BREACH:
        refuse(p, OV_ERROR_COUNT, "its entities expand to too much");
        break;
    case XML_ERROR_NO_ELEMENTS:
        refuse(p, OV_ERROR_FILE_FORMAT, "%s",
               bytes == 0     ? "empty, where a robot should be"
               : p->depth > 0 ? "the file ends within <robot>"
                              : "no <robot> in the file");
        break;
    case XML_ERROR_ATTRIBUTE_EXTERNAL_ENTITY_REF:
        refuse(p, OV_ERROR_FILE_FORMAT, "external entities are not read");
        break;
    default:
        refuse(p, OV_ERROR_FILE_FORMAT, "not XML: %s", XML_ErrorString(code));
    }
}

static void parse_pieces(parser *p, FILE *stream) {
    size_t bytes = 0;
    bool last = false;
    while (p->status == OV_OK && !last) {
        // expat goes over a token again with each piece of it, so pieces grow with what was read
        size_t piece = bytes < PIECE ? PIECE : bytes;
        void *buffer = XML_GetBuffer(p->expat, (int)piece);
        if (buffer == NULL) {
            explain(p, bytes);
            return;
        }
        size_t length = fread(buffer, 1, piece, stream);
        bytes += length;
        last = length < piece;
        if (last && ferror(stream)) {
            refuse(p, OV_ERROR_FILE_READ, "cannot be read");
        } else if (bytes > OV_ROBOT_BYTES_MAX) {
            refuse(p, OV_ERROR_COUNT, "longer than %zu bytes", OV_ROBOT_BYTES_MAX);
        } else if (XML_ParseBuffer(p->expat, (int)length, last) != XML_STATUS_OK) {
            explain(p, bytes);
        }
    }
}

static bool set_up(parser *p) {
    p->expat = XML_ParserCreate(NULL);
    if (p->expat == NULL) {
        return false;
    }
    XML_SetUserData(p->expat, p);
    XML_SetElementHandler(p->expat, on_start, on_end);
    XML_SetEntityDeclHandler(p->expat, on_entity);
    XML_SetAttlistDeclHandler(p->expat, on_attribute);
    XML_SetExternalEntityRefHandler(p->expat, on_external);
    XML_SetSkippedEntityHandler(p->expat, on_skipped);
    return XML_SetBillionLaughsAttackProtectionMaximumAmplification(p->expat, EXPANSION_MAX) &&
           XML_SetBillionLaughsAttackProtectionActivationThreshold(p->expat, EXPANSION_THRESHOLD);
}

ov_status ovi_xml_read(FILE *stream, const ovi_xml_takers *takers, void *user,
                       ov_file_error *error) {
    parser *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return ovi_file_error(error, OV_ERROR_MEMORY, 0, "out of memory");
    }
    p->takers = takers;
    p->user = user;
    p->error = error;
    if (set_up(p)) {
        parse_pieces(p, stream);
    } else {
        p->status = ovi_file_error(error, OV_ERROR_MEMORY, 0, "out of memory");
    }
    free_node(p->path[2]);
    XML_ParserFree(p->expat);
    ov_status status = p->status;
    free(p);
    return status;
}
