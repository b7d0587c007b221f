/**
 * @file xml.h
 * @brief XML as small trees that are read, and pieces of it that are written.
 */
#ifndef OVI_XML_H
#define OVI_XML_H

#include "io_internal.h"

/* ---- reading */

/** An element with what is in it; texts between the tags are left out. */
typedef struct ovi_xml_node {
    /** As the file has it; elements and attributes of Ovoid's namespace begin with "ovoid:",
     *  whatever their prefix is, and no others do. */
    const char *name;
    const char *const *attributes; /**< name, value, name, value, ..., null */
    size_t line;
    struct ovi_xml_node *first, *last, *next; /**< children, and the next one of the parent */
} ovi_xml_node;

/** What is done with a file; each may refuse it. */
typedef struct ovi_xml_takers {
    /** The root, when it begins: without children. */
    ov_status (*open)(void *user, const ovi_xml_node *root);
    /** Is an element kept as the text that it is? `parent` is what it stands in, without children:
     *  an element right below the root; or null, and then this is one. */
    bool (*is_text)(const ovi_xml_node *parent, const char *name);
    /** Such an element, before the one that it stands in: from "<" to ">", complete. Prefixes that
     *  the parent declares are declared in it. */
    ov_status (*take_text)(void *user, const ovi_xml_node *parent, const char *name,
                           const char *text);
    /** Any other element right below the root, complete. */
    ov_status (*take)(void *user, const ovi_xml_node *element);
} ovi_xml_takers;

/**
 * Reads a stream to its end in pieces, with one element below the root in memory at a time. What
 * the limits are, see xml.c.
 */
ov_status ovi_xml_read(FILE *stream, const ovi_xml_takers *takers, void *user, ov_fault *fault);

/** Value of an attribute, or null. */
const char *ovi_xml_attribute(const ovi_xml_node *node, const char *name);
/** The first child of a name, or null. */
const ovi_xml_node *ovi_xml_child(const ovi_xml_node *node, const char *name);

/* ---- writing */

/** A text between quotes or tags: what means something in XML is escaped. */
void ovi_xml_text(FILE *f, const char *text);
/** A number with the fewest digits that read back to the same one; infinite: the largest. */
void ovi_xml_number(FILE *f, double value);
/** ` name="1 2 3"` */
void ovi_xml_numbers(FILE *f, const char *name, const double *values, int count);
void ovi_xml_vec3(FILE *f, const char *name, ov_vec3 value);
/** ` name="text"` */
void ovi_xml_string(FILE *f, const char *name, const char *text);

#endif
