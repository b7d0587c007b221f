/**
 * @file xml.c
 * @brief XML: files of robots are read in pieces, by expat, and written.
 *
 * Files come from anywhere, and one can ask for more than it is worth. Against that:
 *   - it ends at OV_ROBOT_BYTES_MAX bytes and at OV_ROBOT_DEPTH_MAX nested elements, at once,
 * however much of it is still to come;
 *   - entities may make it twice as long, and not more (expat counts that), and there may be
 *     DECLARATIONS_MAX of them, so that a chain of them does not go deep either; as many attributes
 *     may be declared, since every element gets those that have a default;
 *   - external entities are never opened, and naming one is an error; an external DTD is passed
 *     over;
 *   - elements below the root are handed over one by one and forgotten, and each may hold NODES_MAX
 *     others;
 *   - what is kept as text is no longer than the longest file, all together.
 *
 * Text is kept as the file has it, comments and all, in UTF-8. Where the file declares entities or
 * attributes, tags are written anew: the text must stand without these declarations.
 *
 * Namespaces are looked at here and not by expat, which refuses prefixes that nobody declared; many
 * files of robots have such ones, in parts that matter to other programs only. For the same reason
 * `ovoid:` without a declaration is taken as Ovoid's own.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// the header shows the limits of expansion only with this
#ifndef XML_DTD
#define XML_DTD 1
#endif
#include <expat.h>

#include "xml.h"

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
    ov_fault *fault;
    ov_status status;
    int depth;
    int declarations;                           /**< of entities and of attributes */
    int nodes;                                  /**< in memory */
    ovi_xml_node *path[OV_ROBOT_DEPTH_MAX + 1]; /**< open elements by depth, from 2 */
    binding bindings[BINDINGS_MAX];
    int binding_count;
    int text_depth; /**< 0, or the depth of the element that is being kept as text */
    char *text, *text_name;
    size_t text_length, text_room, text_total; /**< the last: of all elements */
    char *ovoid_uri;                           /**< what `ovoid:` is to the root, or null: ours */
    ov_file_kind kind;                         /**< what the file looks like */
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
    (void)ovi_file_fault_list(p->fault, status, (size_t)XML_GetCurrentLineNumber(p->expat), format,
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

/* ---- elements that are kept as text ---------------------------------------------------------- */

static void add_text(parser *p, const char *text, size_t length) {
    if (p->status != OV_OK) {
        return;
    }
    p->text_total += length;
    if (p->text_total > OV_ROBOT_BYTES_MAX) {
        refuse(p, OV_ERROR_COUNT, "more than %zu bytes of elements for other programs",
               OV_ROBOT_BYTES_MAX);
        return;
    }
    if (p->text_length + length >= p->text_room) {
        size_t room = 2 * (p->text_length + length) + 256;
        char *larger = realloc(p->text, room);
        if (larger == NULL) {
            refuse(p, OV_ERROR_MEMORY, "out of memory");
            return;
        }
        p->text = larger;
        p->text_room = room;
    }
    memcpy(p->text + p->text_length, text, length);
    p->text_length += length;
    p->text[p->text_length] = '\0';
}

static void add_string(parser *p, const char *text) { add_text(p, text, strlen(text)); }

static void on_default(void *user, const char *text, int length) {
    parser *p = user;
    if (p->text_depth > 0 && length > 0) {
        add_text(p, text, (size_t)length);
    }
}

/** ` name="value"` */
static void add_attribute(parser *p, const char *name, const char *value) {
    add_string(p, " ");
    add_string(p, name);
    add_string(p, "=\"");
    for (size_t length; *value != '\0'; value += length) {
        length = strcspn(value, "&<>\"\t\n\r");
        add_text(p, value, length);
        if (value[length] != '\0') {
            char reference[16];
            (void)snprintf(reference, sizeof reference, "&#%d;", value[length]);
            add_string(p, reference);
            length++;
        }
    }
    add_string(p, "\"");
}

static bool has_attribute(const char *const *attributes, const char *name) {
    for (size_t i = 0; attributes[i] != NULL; i += 2) {
        if (strcmp(attributes[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void add_start(parser *p, const char *name, const char **attributes) {
    if (p->declarations == 0) {
        XML_DefaultCurrent(p->expat);
        return;
    }
    add_string(p, "<");
    add_string(p, name);
    for (size_t i = 0; attributes[i] != NULL; i += 2) {
        add_attribute(p, attributes[i], attributes[i + 1]);
    }
    add_string(p, ">");
}

static void add_end(parser *p, const char *name) {
    if (p->declarations == 0) {
        XML_DefaultCurrent(p->expat); // nothing, for the end of an empty element
        return;
    }
    add_string(p, "</");
    add_string(p, name);
    add_string(p, ">");
}

/** Begins to keep an element. What it needs to mean the same elsewhere goes behind its name. */
static void begin_text(parser *p, const char *name, const char **attributes) {
    const char *const *parent = p->depth > 2 ? p->path[2]->attributes : NULL;
    const char *const *own = (const char *const *)attributes;
    static const char ovoid[] = "xmlns:ovoid";
    p->text_depth = p->depth;
    p->text_length = 0;
    free(p->text_name);
    p->text_name = strdup(name);
    if (p->text_name == NULL) {
        refuse(p, OV_ERROR_MEMORY, "out of memory");
        return;
    }
    add_string(p, "<");
    add_string(p, name);
    for (size_t i = 0; parent != NULL && parent[i] != NULL; i += 2) {
        bool declares = strcmp(parent[i], "xmlns") == 0 || strncmp(parent[i], "xmlns:", 6) == 0;
        if (declares && !has_attribute(own, parent[i])) {
            add_attribute(p, parent[i], parent[i + 1]);
        }
    }
    if (p->ovoid_uri != NULL && !has_attribute(own, ovoid) &&
        (parent == NULL || !has_attribute(parent, ovoid))) {
        add_attribute(p, ovoid, p->ovoid_uri);
    }
    // the tag itself, without its beginning
    size_t at = p->text_length, skip = strlen(name) + 1;
    add_start(p, name, attributes);
    if (p->status == OV_OK) {
        memmove(p->text + at, p->text + at + skip, p->text_length - at - skip + 1);
        p->text_length -= skip;
    }
}

static void end_text(parser *p) {
    p->text_depth = 0;
    if (p->status == OV_OK) {
        const ovi_xml_node *parent = p->depth > 1 ? p->path[2] : NULL;
        ov_status status = p->takers->take_text(p->user, parent, p->text_name, p->text);
        if (status != OV_OK) {
            stop(p, status);
        }
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

/** Where the root has the prefix `ovoid:` for something else, elements that are kept need that. */
static void keep_ovoid(parser *p, const ovi_xml_node *root) {
    const char *uri = ovi_xml_attribute(root, "xmlns:ovoid");
    if (uri != NULL && strcmp(uri, OV_URDF_NAMESPACE) != 0) {
        p->ovoid_uri = strdup(uri);
        if (p->ovoid_uri == NULL) {
            refuse(p, OV_ERROR_MEMORY, "out of memory");
        }
    }
}

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
    if (p->status != OV_OK) {
        return;
    }
    if (p->text_depth > 0) {
        add_start(p, name, attributes);
        return;
    }
    if ((p->depth == 2 || p->depth == 3) &&
        p->takers->is_text(p->depth == 2 ? NULL : p->path[2], name)) {
        begin_text(p, name, attributes);
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
        keep_ovoid(p, node);
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
    if (p->status != OV_OK) {
        return;
    }
    while (p->binding_count > 0 && p->bindings[p->binding_count - 1].depth == p->depth) {
        p->binding_count--;
    }
    int depth = p->depth--;
    if (p->text_depth > 0) {
        add_end(p, name);
        if (depth == p->text_depth) {
            end_text(p);
        }
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
        if (p->depth == 0 && p->kind != OV_FILE_KIND_UNKNOWN && p->kind != OV_FILE_KIND_XML) {
            size_t line = (size_t)XML_GetCurrentLineNumber(p->expat);
            stop(p, ovi_wrong_file(p->fault, p->kind, line, "a URDF"));
            break;
        }
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
        p->kind = bytes == 0 ? ov_file_kind_of(buffer, length) : p->kind;
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
    XML_SetDefaultHandlerExpand(p->expat, on_default);
    XML_SetEntityDeclHandler(p->expat, on_entity);
    XML_SetAttlistDeclHandler(p->expat, on_attribute);
    XML_SetExternalEntityRefHandler(p->expat, on_external);
    XML_SetSkippedEntityHandler(p->expat, on_skipped);
    return XML_SetBillionLaughsAttackProtectionMaximumAmplification(p->expat, EXPANSION_MAX) &&
           XML_SetBillionLaughsAttackProtectionActivationThreshold(p->expat, EXPANSION_THRESHOLD);
}

ov_status ovi_xml_read(FILE *stream, const ovi_xml_takers *takers, void *user, ov_fault *fault) {
    parser *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "out of memory");
    }
    p->takers = takers;
    p->user = user;
    p->fault = fault;
    if (set_up(p)) {
        parse_pieces(p, stream);
    } else {
        p->status = ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "out of memory");
    }
    free_node(p->path[2]);
    free(p->text);
    free(p->text_name);
    free(p->ovoid_uri);
    XML_ParserFree(p->expat);
    ov_status status = p->status;
    free(p);
    return status;
}
