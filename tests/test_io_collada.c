/**
 * @file test_io_collada.c
 * @brief COLLADA read from small files with a known answer: primitives, accessors, nodes and units;
 * and files that are cut, damaged, or want to be huge.
 */
#include "mesh_read_check.h"

/* ---- COLLADA --------------------------------------------------------------------------------- */

#define DAE_HEAD "<?xml version=\"1.0\"?>\n<COLLADA xmlns=\"http://x\" version=\"1.4.1\">\n"
#define DAE_ASSET(unit, up) "<asset><unit meter=\"" unit "\"/><up_axis>" up "</up_axis></asset>\n"
#define DAE_SOURCE                                                                                 \
    "<source id=\"pos\"><float_array id=\"pos-array\" count=\"12\">0 0 0 1 0 0\n1 1 0 0 1 0"       \
    "</float_array><technique_common><accessor source=\"#pos-array\" count=\"4\" stride=\"3\">"    \
    "<param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/>"                         \
    "<param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"                    \
    "<source id=\"nor\"><float_array id=\"nor-array\" count=\"3\">0 nan 1.#QNAN</float_array>"     \
    "</source><vertices id=\"ver\"><input semantic=\"POSITION\" source=\"#pos\"/></vertices>\n"
#define DAE_INPUTS                                                                                 \
    "<input semantic=\"NORMAL\" source=\"#nor\" offset=\"0\"/>"                                    \
    "<input semantic=\"VERTEX\" source=\"#ver\" offset=\"1\"/>"
#define DAE_GEOMETRY(primitive)                                                                    \
    "<library_geometries><geometry id=\"g\"><mesh>\n" DAE_SOURCE primitive                         \
    "</mesh></geometry></library_geometries>\n"
#define DAE_NODES(nodes)                                                                           \
    "<library_visual_scenes><visual_scene id=\"s\">" nodes "</visual_scene>"                       \
    "</library_visual_scenes>\n<scene><instance_visual_scene url=\"#s\"/></scene>\n"
#define DAE_USE "<instance_geometry url=\"#g\"/>"
#define DAE_NODE "<node>" DAE_USE "</node>"
#define DAE_TRIANGLE "<triangles count=\"1\">" DAE_INPUTS "<p>0 0 0 1 0 2</p></triangles>"
#define DAE_TAIL "</COLLADA>\n"
#define DAE(primitive, nodes)                                                                      \
    DAE_HEAD DAE_ASSET("1", "Z_UP") DAE_GEOMETRY(primitive) DAE_NODES(nodes) DAE_TAIL

static void collada_primitives(void) {
    static const char *const squares[] = {
        DAE("<triangles count=\"2\">" DAE_INPUTS "<p>0 0 0 1 0 2 \n 0 0 0 2 0 3</p></triangles>",
            DAE_NODE),
        DAE("<polylist count=\"1\">" DAE_INPUTS
            "<vcount>4 </vcount><p> 0 0 0 1 0 2 0 3</p></polylist>",
            DAE_NODE),
        DAE("<polylist count=\"2\">" DAE_INPUTS
            "<vcount>3 3</vcount><p>0 0 0 1 0 2 0 0 0 2 0 3</p></polylist>",
            DAE_NODE),
        DAE("<polygons count=\"1\"><p>0 0 0 1 0 2 0 3</p>" DAE_INPUTS "</polygons>", DAE_NODE),
        DAE("<polygons count=\"2\">" DAE_INPUTS "<p>0 0 0 1 0 2</p><p>0 0 0 2 0 3</p></polygons>",
            DAE_NODE),
        DAE("<trifans count=\"1\">" DAE_INPUTS "<p>0 0 0 1 0 2 0 3</p></trifans>", DAE_NODE),
        DAE("<triangles count=\"2\"><input semantic=\"POSITION\" source=\"#pos\"/>"
            "<p>0 1 2 0 2 3</p></triangles><lines count=\"1\"><p>7</p></lines>",
            DAE_NODE),
        // no scene at all, and none that is named
        DAE_HEAD DAE_ASSET("1", "Z_UP") DAE_GEOMETRY("<trifans count=\"1\">" DAE_INPUTS
                                                     "<p>0 0 0 1 0 2 0 3</p></trifans>") DAE_TAIL,
        DAE_HEAD "<library_visual_scenes><visual_scene>" DAE_NODE "</visual_scene>"
                 "</library_visual_scenes>" DAE_ASSET("1", "Z_UP")
                     DAE_GEOMETRY("<trifans count=\"1\">" DAE_INPUTS
                                  "<p>0 0 0 1 0 2 0 3</p></trifans>") DAE_TAIL,
    };
    for (size_t i = 0; i < sizeof squares / sizeof squares[0]; i++) {
        if (!CHECK_OK(read_text(squares[i], OV_MESH_FORMAT_COLLADA))) {
            fprintf(stderr, "%zu: line %zu: %s\n", i, fault.index, fault.text);
        }
        CHECK(mesh.vertex_count == 4 && mesh.triangle_count == 2);
        check_vertex(2, 1.0, 1.0, 0.0);
        check_triangle(0, 0, 1, 2);
        check_triangle(1, 0, 2, 3);
    }
    CHECK_OK(read_text(DAE("<tristrips count=\"2\">" DAE_INPUTS
                           "<p>0 0 0 1 0 2 0 3</p><p>0 3 0 2 0 1</p></tristrips>",
                           DAE_NODE),
                       OV_MESH_FORMAT_COLLADA));
    CHECK(mesh.triangle_count == 3);
    check_triangle(0, 0, 1, 2);
    check_triangle(1, 1, 3, 2); // every other triangle of a strip is turned
    check_triangle(2, 3, 2, 1);
    static const char whole[] =
        DAE("<polylist count=\"1\">" DAE_INPUTS "<vcount>4</vcount><p>0 0 0 1 0 2 0 3</p>"
            "</polylist>",
            "<node><translate>1 0 0</translate>" DAE_NODE "</node>");
    // but for the line's end after it, every byte is needed
    cut_everywhere(whole, sizeof whole - 2, OV_MESH_FORMAT_COLLADA, true);
}

/** Accessors with an offset, a stride and gaps. */
static void collada_accessor(void) {
    CHECK_OK(read_text(
        DAE_HEAD DAE_ASSET(
            "1",
            "Z_UP") "<library_geometries><geometry id=\"g\"><mesh>"
                    "<source id=\"p\"><technique_common><accessor source=\"#a\" offset=\"1\" "
                    "stride=\"5\">"
                    "<param name=\"X\"/><param/><param name=\"Y\"/><param name=\"Z\"/><param "
                    "name=\"W\"/>"
                    "</accessor></technique_common><float_array id=\"a\">9 1 9 2 3 9 4 9 5 6 9 7 9 "
                    "8 9 9"
                    "</float_array></source><vertices id=\"v\"><input semantic=\"POSITION\" "
                    "source=\"#p\"/>"
                    "</vertices><triangles><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
                    "<p>0 1 2</p></triangles></mesh></geometry></library_geometries>" DAE_TAIL,
        OV_MESH_FORMAT_COLLADA));
    check_vertex(0, 1.0, 2.0, 3.0);
    check_vertex(1, 4.0, 5.0, 6.0);
    check_vertex(2, 7.0, 8.0, 9.0);
}

/** Nodes with a known answer for the point (1, 0, 0), which is vertex 1. */
static void collada_nodes(void) {
    static const struct {
        const char *text;
        double x, y, z;
    } known[] = {
        {DAE(DAE_TRIANGLE,
             "<node><translate>1 2 3</translate><scale>2 3 4</scale>" DAE_USE "</node>"),
         3.0, 2.0, 3.0},
        {DAE(DAE_TRIANGLE,
             "<node><scale>2 3 4</scale><translate>1 2 3</translate>" DAE_USE "</node>"),
         4.0, 6.0, 12.0},
        {DAE(DAE_TRIANGLE, "<node><rotate>0 0 1 90</rotate>" DAE_USE "</node>"), 0.0, 1.0, 0.0},
        {DAE(DAE_TRIANGLE, "<node><rotate>0 0 7 90</rotate><rotate>1 0 0 90</rotate>"
                           "<translate>0 1 0</translate>" DAE_USE "</node>"),
         0.0, 1.0, 1.0},
        {DAE(DAE_TRIANGLE,
             "<node><matrix>0 -1 0 5 1 0 0 6 0 0 1 7 0 0 0 1</matrix>" DAE_USE "</node>"),
         5.0, 7.0, 7.0},
        {DAE(DAE_TRIANGLE, "<node><translate>0 0 1</translate><node><scale>2 2 2</scale><node>"
                           "<translate>0 1 0</translate>" DAE_USE "</node></node></node>"),
         2.0, 2.0, 1.0},
        {DAE_HEAD DAE_ASSET("0.5", "Z_UP") DAE_GEOMETRY(DAE_TRIANGLE)
             DAE_NODES("<node><translate>1 2 3</translate>" DAE_USE "</node>") DAE_TAIL,
         1.0, 1.0, 1.5},
        {DAE_HEAD DAE_ASSET("1", "Y_UP") DAE_GEOMETRY(DAE_TRIANGLE)
             DAE_NODES("<node><translate>1 2 3</translate>" DAE_USE "</node>") DAE_TAIL,
         2.0, -3.0, 2.0},
        {DAE_HEAD DAE_ASSET("1", "X_UP") DAE_GEOMETRY(DAE_TRIANGLE)
             DAE_NODES("<node><translate>1 2 3</translate>" DAE_USE "</node>") DAE_TAIL,
         -2.0, -3.0, 2.0},
        // without an asset y is up
        {DAE_HEAD DAE_GEOMETRY(DAE_TRIANGLE)
             DAE_NODES("<node><translate>1 2 3</translate>" DAE_USE "</node>") DAE_TAIL,
         2.0, -3.0, 2.0},
        {DAE_HEAD DAE_ASSET("1", "Z_UP") DAE_GEOMETRY(
             DAE_TRIANGLE) "<library_nodes><node id=\"n\"><scale>3 3 3</scale>" DAE_USE
                           "</node></library_nodes>" DAE_NODES(
                               "<node><lookat>0 0 0 1 1 1 0 0 1</lookat></node><node>"
                               "<translate>0 0 1</translate><instance_node url=\"#n\"/></node>")
                               DAE_TAIL,
         3.0, 0.0, 1.0},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (!CHECK_OK(read_text(known[i].text, OV_MESH_FORMAT_COLLADA))) {
            fprintf(stderr, "%zu: line %zu: %s\n", i, fault.index, fault.text);
        }
        CHECK(mesh.vertex_count == 3 && mesh.triangle_count == 1);
        check_vertex(1, known[i].x, known[i].y, known[i].z);
        check_triangle(0, 0, 1, 2);
    }
    // used twice: two copies; a mirror keeps the outside outside
    CHECK_OK(read_text(DAE(DAE_TRIANGLE, DAE_NODE "<node><scale>-1 1 1</scale>" DAE_USE "</node>"),
                       OV_MESH_FORMAT_COLLADA));
    CHECK(mesh.vertex_count == 6 && mesh.triangle_count == 2);
    check_vertex(4, -1.0, 0.0, 0.0);
    check_triangle(1, 3, 5, 4);
}

static void collada_bad(void) {
    static const bad_text bad[] = {
        {"", OV_ERROR_FILE_FORMAT, 0},
        {"hello", OV_ERROR_FILE_FORMAT, 1},
        {"<html/>", OV_ERROR_FILE_FORMAT, 1},
        {"<COLLADA/>", OV_ERROR_COUNT, 0},
        {DAE_HEAD, OV_ERROR_FILE_FORMAT, 3},
        {DAE_HEAD DAE_ASSET("0", "Z_UP"), OV_ERROR_FILE_FORMAT, 3},
        {DAE_HEAD DAE_ASSET("nan", "Z_UP"), OV_ERROR_FILE_FORMAT, 3},
        {DAE_HEAD DAE_ASSET("1", "W_UP"), OV_ERROR_FILE_FORMAT, 3},
        {DAE("", DAE_NODE), OV_ERROR_COUNT, 0},
        {DAE("<triangles><p>0 1 2</p></triangles>", DAE_NODE), OV_ERROR_FILE_FORMAT, 7},
        {DAE("<triangles>" DAE_INPUTS "<p>0 0 0 1</p></triangles>", DAE_NODE), OV_ERROR_FILE_FORMAT,
         7},
        {DAE("<triangles>" DAE_INPUTS "<p>0 0 0 1 0 2 0</p></triangles>", DAE_NODE),
         OV_ERROR_FILE_FORMAT, 7},
        {DAE("<triangles>" DAE_INPUTS "<p>0 0 0 1 0 4</p></triangles>", DAE_NODE), OV_ERROR_INDEX,
         7},
        {DAE("<triangles>" DAE_INPUTS "<p>0 0 0 1 0 -1</p></triangles>", DAE_NODE), OV_ERROR_INDEX,
         7},
        {DAE("<triangles>" DAE_INPUTS "<p>0 0 0 x 0 0</p></triangles>", DAE_NODE),
         OV_ERROR_FILE_FORMAT, 7},
        {DAE("<polylist>" DAE_INPUTS "<vcount>5</vcount><p>0 0 0 1 0 2</p></polylist>", DAE_NODE),
         OV_ERROR_FILE_FORMAT, 7},
        {DAE("<polylist>" DAE_INPUTS "<vcount>2</vcount><p>0 0 0 1 0 2</p></polylist>", DAE_NODE),
         OV_ERROR_FILE_FORMAT, 7},
        {DAE("<polygons>" DAE_INPUTS "<ph><p>0 0 0 1 0 2</p><h>0</h></ph></polygons>", DAE_NODE),
         OV_ERROR_FILE_FORMAT, 7},
        {DAE("<triangles><input semantic=\"VERTEX\" source=\"#none\"/><p>0 1 2</p></triangles>",
             DAE_NODE),
         OV_ERROR_FILE_FORMAT, 7},
        {DAE("<triangles><input semantic=\"VERTEX\" offset=\"4000000000\" source=\"#ver\"/>",
             DAE_NODE),
         OV_ERROR_FILE_FORMAT, 7},
        {DAE("<triangles><input semantic=\"POSITION\" source=\"#nor\"/><p>0 0 0</p></triangles>",
             DAE_NODE),
         OV_ERROR_FILE_FORMAT, 6},
        {DAE(DAE_TRIANGLE, "<node><instance_geometry url=\"#x\"/></node>"), OV_ERROR_FILE_FORMAT,
         8},
        {DAE(DAE_TRIANGLE, "<node><instance_geometry url=\"file:///etc/passwd\"/></node>"),
         OV_ERROR_FILE_FORMAT, 8},
        {DAE(DAE_TRIANGLE, "<node><instance_geometry/></node>"), OV_ERROR_FILE_FORMAT, 8},
        {DAE(DAE_TRIANGLE, "<node><instance_controller url=\"#x\"/></node>"), OV_ERROR_FILE_FORMAT,
         8},
        {DAE(DAE_TRIANGLE, "<node><skew>1 2 3 4 5 6 7</skew>" DAE_NODE "</node>"),
         OV_ERROR_FILE_FORMAT, 8},
        {DAE(DAE_TRIANGLE, "<node><scale>1 2</scale>" DAE_USE "</node>"), OV_ERROR_FILE_FORMAT, 8},
        {DAE(DAE_TRIANGLE, "<node><scale>1 2 nan</scale>" DAE_USE "</node>"), OV_ERROR_NOT_FINITE,
         8},
        {DAE(DAE_TRIANGLE,
             "<node><scale>1e60 1 1</scale><scale>1e60 1 1</scale>" DAE_USE "</node>"),
         OV_ERROR_SIZE_RANGE, 5},
        {DAE(DAE_TRIANGLE, "<node id=\"a\"><instance_node url=\"#a\"/></node>"), OV_ERROR_COUNT, 8},
        // no coordinates at all
        {DAE_HEAD
         "<library_geometries><geometry id=\"g\"><mesh>\n<source id=\"pos\"><float_array "
         "id=\"a\" count=\"0\"></float_array><technique_common><accessor source=\"#a\" "
         "count=\"0\" stride=\"3\"/></technique_common></source><vertices id=\"ver\"><input "
         "semantic=\"POSITION\" source=\"#pos\"/></vertices><triangles><input "
         "semantic=\"VERTEX\" source=\"#ver\" offset=\"0\"/><p>0 0 0</p></triangles></mesh>"
         "</geometry></library_geometries>\n" DAE_NODES(DAE_NODE) DAE_TAIL,
         OV_ERROR_INDEX, 4},
        {"<?xml version=\"1.0\"?>\n<!DOCTYPE COLLADA [<!ENTITY a \"ha\">]>\n<COLLADA/>",
         OV_ERROR_FILE_FORMAT, 2},
        {"<?xml version=\"1.0\"?>\n<!DOCTYPE COLLADA [\n<!ENTITY a SYSTEM \"/etc/passwd\">]>\n"
         "<COLLADA>&a;</COLLADA>",
         OV_ERROR_FILE_FORMAT, 3},
    };
    CHECK_BAD(bad, OV_MESH_FORMAT_COLLADA);
}

/** Small files that want to be huge. */
static void collada_bombs(void) {
    static char text[1 << 16];
    // each node uses the next one ten times
    size_t n = (size_t)snprintf(text, sizeof text, "%s",
                                DAE_HEAD DAE_GEOMETRY(DAE_TRIANGLE) "<library_nodes>");
    for (int i = 0; i < 30; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "<node id=\"n%d\">", i);
        for (int k = 0; k < 10; k++) {
            n +=
                (size_t)snprintf(text + n, sizeof text - n, "<instance_node url=\"#n%d\"/>", i + 1);
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "</node>");
    }
    (void)snprintf(text + n, sizeof text - n,
                   "<node id=\"n30\">" DAE_USE
                   "</node></library_nodes>" DAE_NODES("<node><instance_node url=\"#n0\"/></node>")
                       DAE_TAIL);
    CHECK_STATUS(read_text(text, OV_MESH_FORMAT_COLLADA), OV_ERROR_COUNT);
    // nesting without end
    n = (size_t)snprintf(text, sizeof text, "%s", DAE_HEAD);
    while (n + 10 < sizeof text) {
        n += (size_t)snprintf(text + n, sizeof text - n, "<node>");
    }
    CHECK_STATUS(read_text(text, OV_MESH_FORMAT_COLLADA), OV_ERROR_COUNT);
    // a number without end
    n = (size_t)snprintf(text, sizeof text, "%s",
                         DAE_HEAD "<library_geometries><geometry><mesh>"
                                  "<source><float_array>");
    memset(text + n, '1', sizeof text - n);
    CHECK_STATUS(read_bytes(text, sizeof text, OV_MESH_FORMAT_COLLADA), OV_ERROR_FILE_FORMAT);
}

/** An arrow that is not convex, mirrored: the triangles stay within, and turn the other way. */
static void collada_polygon(void) {
    CHECK_OK(read_text(
        DAE_HEAD DAE_ASSET(
            "1",
            "Z_UP") "<library_geometries><geometry id=\"g\"><mesh>"
                    "<source id=\"p\"><float_array id=\"a\">0 0 0 3 0 0 1 1 0 0 3 0</float_array>"
                    "<technique_common><accessor source=\"#a\" "
                    "stride=\"3\"/></technique_common></source>"
                    "<polylist><input semantic=\"POSITION\" source=\"#p\"/><vcount>4</vcount>"
                    "<p>1 2 3 0</p></polylist></mesh></geometry></library_geometries>" DAE_NODES(
                        "<node><scale>-1 1 1</scale>" DAE_USE "</node>") DAE_TAIL,
        OV_MESH_FORMAT_COLLADA));
    CHECK(mesh.vertex_count == 4 && mesh.triangle_count == 2);
    double area = 0.0;
    for (size_t i = 0; i < mesh.triangle_count; i++) {
        const uint32_t *t = mesh.triangles[i];
        ov_vec3 a = mesh.vertices[t[0]];
        ov_vec3 n =
            ov_vec3_cross(ov_vec3_sub(mesh.vertices[t[1]], a), ov_vec3_sub(mesh.vertices[t[2]], a));
        CHECK(n.z > 0.0);
        area += 0.5 * n.z;
    }
    CHECK_NEAR(area, 3.0, 1e-15);
}

static void collada_damage(void) {
    static const char text[] = DAE(DAE_TRIANGLE, "<node><scale>1 2 3</scale>" DAE_USE "</node>");
    check_damaged(text, sizeof text - 1, OV_MESH_FORMAT_COLLADA, 58);
}

int main(void) {
    check_suite = "io_collada";
    RUN(collada_primitives);
    RUN(collada_accessor);
    RUN(collada_nodes);
    RUN(collada_polygon);
    RUN(collada_bad);
    RUN(collada_bombs);
    RUN(collada_damage);
    ov_mesh_free(&mesh);
    return check_finish();
}
