/**
 * @file collada_write.c
 * @brief Pictures of robots as COLLADA 1.4.1.
 *
 * A node for each link, in the tree of the links, with the surfaces that it has; colours are
 * materials. The file says that z is up, so that all numbers are the robot's own. It says nothing
 * of the time when it was made, for which the format asks: the same robot gives the same file.
 */
#include <stdlib.h>
#include <string.h>

#include <ovoid/ovoid.h>

#include "robot_internal.h"

enum { INDENT_MAX = 40, SURFACE_NAME = 256 };

/* ---- elements -------------------------------------------------------------------------------- */

/** Names of COLLADA are those of XML: letters, digits, "_", "-" and ".", a letter or "_" first. */
static void write_name(FILE *f, const char *name) {
    char first = (char)(name[0] | 0x20);
    (void)fputs(" name=\"", f);
    if (!((first >= 'a' && first <= 'z') || (name[0] & 0x80) != 0)) {
        (void)fputc('_', f);
    }
    for (const char *s = name; *s != '\0'; s++) {
        char lower = (char)(*s | 0x20);
        bool good = (lower >= 'a' && lower <= 'z') || (*s >= '0' && *s <= '9') || *s == '-' ||
                    *s == '.' || (*s & 0x80) != 0;
        (void)fputc(good ? *s : '_', f);
    }
    (void)fputc('"', f);
}

static void write_numbers(FILE *f, const double *v, int count) {
    for (int i = 0; i < count; i++) {
        (void)fputs(i > 0 ? " " : "", f);
        ovi_number_write(f, v[i]);
    }
}

/* ---- materials ------------------------------------------------------------------------------- */

static void write_effect(FILE *f, size_t index, const double *colour) {
    (void)fprintf(f,
                  "    <effect id=\"effect_%zu\">\n      <profile_COMMON>\n"
                  "        <technique sid=\"common\">\n          <lambert>\n"
                  "            <diffuse><color>",
                  index);
    write_numbers(f, colour, 4);
    (void)fputs("</color></diffuse>\n", f);
    if (colour[3] < 1.0) {
        (void)fputs("            <transparent opaque=\"A_ONE\"><color>1 1 1 ", f);
        ovi_number_write(f, colour[3]);
        (void)fputs("</color></transparent>\n"
                    "            <transparency><float>1</float></transparency>\n",
                    f);
    }
    (void)fputs("          </lambert>\n        </technique>\n      </profile_COMMON>\n"
                "    </effect>\n",
                f);
}

static void write_materials(FILE *f, const ovi_picture *p) {
    (void)fputs("  <library_effects>\n", f);
    for (size_t i = 0; i < p->colour_count && !ferror(f); i++) {
        write_effect(f, i, p->colours[i]);
    }
    (void)fputs("  </library_effects>\n  <library_materials>\n", f);
    for (size_t i = 0; i < p->colour_count && !ferror(f); i++) {
        (void)fprintf(f,
                      "    <material id=\"colour_%zu\"><instance_effect url=\"#effect_%zu\"/>"
                      "</material>\n",
                      i, i);
    }
    (void)fputs("  </library_materials>\n", f);
}

/* ---- geometries ------------------------------------------------------------------------------ */

/** Positions or normals of a mesh. */
static void write_source(FILE *f, size_t mesh, const char *what, const ov_vec3 *v, size_t count) {
    (void)fprintf(f,
                  "        <source id=\"mesh_%zu_%s\">\n"
                  "          <float_array id=\"mesh_%zu_%s_array\" count=\"%zu\">",
                  mesh, what, mesh, what, 3 * count);
    for (size_t i = 0; i < count && !ferror(f); i++) {
        (void)fputs(i > 0 ? " " : "", f);
        write_numbers(f, (const double[]){v[i].x, v[i].y, v[i].z}, 3);
    }
    (void)fprintf(
        f,
        "</float_array>\n          <technique_common>\n"
        "            <accessor source=\"#mesh_%zu_%s_array\" count=\"%zu\" stride=\"3\">\n"
        "              <param name=\"X\" type=\"float\"/>\n"
        "              <param name=\"Y\" type=\"float\"/>\n"
        "              <param name=\"Z\" type=\"float\"/>\n"
        "            </accessor>\n          </technique_common>\n        </source>\n",
        mesh, what, count);
}

static void write_geometry(FILE *f, const ovi_picture *p, size_t mesh) {
    const ovi_surface *s = &p->surfaces[mesh];
    char name[SURFACE_NAME];
    ovi_surface_name(p, mesh, name, sizeof name);
    (void)fprintf(f, "    <geometry id=\"mesh_%zu\"", mesh);
    write_name(f, name);
    (void)fputs(">\n      <mesh>\n", f);
    write_source(f, mesh, "positions", s->vertices, s->vertex_count);
    if (s->normals != NULL) {
        write_source(f, mesh, "normals", s->normals, s->vertex_count);
    }
    (void)fprintf(f,
                  "        <vertices id=\"mesh_%zu_vertices\">\n"
                  "          <input semantic=\"POSITION\" source=\"#mesh_%zu_positions\"/>\n",
                  mesh, mesh);
    if (s->normals != NULL) {
        (void)fprintf(f, "          <input semantic=\"NORMAL\" source=\"#mesh_%zu_normals\"/>\n",
                      mesh);
    }
    (void)fprintf(f,
                  "        </vertices>\n        <triangles count=\"%zu\" material=\"colour\">\n"
                  "          <input semantic=\"VERTEX\" source=\"#mesh_%zu_vertices\" "
                  "offset=\"0\"/>\n          <p>",
                  s->triangle_count, mesh);
    for (size_t i = 0; i < s->triangle_count && !ferror(f); i++) {
        const uint32_t *t = s->triangles[i];
        (void)fprintf(f, "%s%lu %lu %lu", i > 0 ? " " : "", (unsigned long)t[0],
                      (unsigned long)t[1], (unsigned long)t[2]);
    }
    (void)fputs("</p>\n        </triangles>\n      </mesh>\n    </geometry>\n", f);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/** By rows. */
static void write_matrix(FILE *f, ov_pose pose) {
    ov_mat3 m = ov_mat3_from_quat(pose.rotation);
    ov_vec3 t = pose.position;
    const double v[16] = {m.cx.x, m.cy.x, m.cz.x, t.x, m.cx.y, m.cy.y, m.cz.y, t.y,
                          m.cx.z, m.cy.z, m.cz.z, t.z, 0.0,    0.0,    0.0,    1.0};
    (void)fputs("<matrix>", f);
    write_numbers(f, v, 16);
    (void)fputs("</matrix>", f);
}

static void write_instance(FILE *f, const char *in, const ovi_picture *p, size_t surface) {
    (void)fprintf(f, "%s<node id=\"part_%zu\">\n%s  ", in, surface, in);
    write_matrix(f, p->surfaces[surface].pose);
    (void)fprintf(f,
                  "\n%s  <instance_geometry url=\"#mesh_%zu\"><bind_material><technique_common>"
                  "<instance_material symbol=\"colour\" target=\"#colour_%zu\"/>"
                  "</technique_common></bind_material></instance_geometry>\n%s</node>\n",
                  in, surface, p->surfaces[surface].material, in);
}

/** Surfaces of a link: they stand link after link. */
static size_t first_surface(const ovi_picture *p, uint32_t link) {
    size_t low = 0, high = p->surface_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->surfaces[middle].link < link) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/** Recursive as deep as the tree of the picture, which has a limit. */
static void write_link(FILE *f, const ovi_picture *p, uint32_t link, int depth) {
    char in[INDENT_MAX + 1];
    int width = 2 * depth < INDENT_MAX ? 2 * depth : INDENT_MAX;
    memset(in, ' ', (size_t)width);
    in[width] = '\0';
    (void)fprintf(f, "%.*s<node id=\"link_%lu\"", width - 2, in, (unsigned long)link);
    write_name(f, p->robot->links[link].name);
    (void)fprintf(f, ">\n%s", in);
    write_matrix(f, p->poses[link]);
    (void)fputc('\n', f);
    for (size_t i = first_surface(p, link); i < p->surface_count && p->surfaces[i].link == link;
         i++) {
        write_instance(f, in, p, i);
    }
    for (uint32_t k = p->children.first[link]; k < p->children.first[link + 1] && !ferror(f); k++) {
        write_link(f, p, p->children.list[k], depth + 1);
    }
    (void)fprintf(f, "%.*s</node>\n", width - 2, in);
}

static bool write_picture(FILE *f, const void *what) {
    const ovi_picture *p = what;
    (void)fprintf(f,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
                  "version=\"1.4.1\">\n  <asset>\n"
                  "    <contributor><authoring_tool>Ovoid %s</authoring_tool></contributor>\n"
                  "    <created>2000-01-01T00:00:00Z</created>\n"
                  "    <modified>2000-01-01T00:00:00Z</modified>\n"
                  "    <unit name=\"meter\" meter=\"1\"/>\n    <up_axis>Z_UP</up_axis>\n"
                  "  </asset>\n",
                  ov_version_string());
    write_materials(f, p);
    (void)fputs("  <library_geometries>\n", f);
    for (size_t i = 0; i < p->surface_count && !ferror(f); i++) {
        write_geometry(f, p, i);
    }
    (void)fputs("  </library_geometries>\n  <library_visual_scenes>\n"
                "    <visual_scene id=\"scene\"",
                f);
    write_name(f, p->robot->name[0] != '\0' ? p->robot->name : "robot");
    (void)fputs(">\n", f);
    for (size_t i = 0; i < p->robot->link_count && !ferror(f); i++) {
        if (p->parents[i] == OV_NO_LINK) {
            write_link(f, p, (uint32_t)i, 4);
        }
    }
    (void)fputs("    </visual_scene>\n  </library_visual_scenes>\n"
                "  <scene><instance_visual_scene url=\"#scene\"/></scene>\n</COLLADA>\n",
                f);
    return !ferror(f);
}

ov_status ovi_collada_write(const ovi_robot_out *out, const ov_robot *robot,
                            const double *positions, ov_fault *fault) {
    ovi_picture picture;
    ovi_undo undo = {NULL, 0};
    ov_status status = ovi_picture_make(robot, positions, "COLLADA", &picture, fault);
    if (status == OV_OK) {
        status = ovi_robot_out_write(out, &undo, write_picture, &picture, fault);
        ovi_picture_free(&picture);
    }
    return status;
}
