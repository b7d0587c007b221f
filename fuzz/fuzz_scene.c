/**
 * @file fuzz_scene.c
 * @brief Fuzz target: the readers of scenes and of replays, from raw bytes.
 *
 * The first byte says which: 'r' a replay, anything else a scene; the rest is the file. What is
 * demanded: a known status, an object with success only and a printable text with failure only;
 * what was read has unit quaternions, names and shapes of its own; and what is written reads back
 * the same, bit by bit, and is written the same again.
 */
#include "reading.h"

static void judge_answer(ov_status status, const void *object, const ov_fault *fault) {
    demand(status >= OV_ERROR_LIMIT && status <= OV_OK, "status of reading");
    demand((status == OV_OK) == (object != NULL), "an object only with success");
    judge_text(status, fault);
}

/* ---- sameness */

static bool same_pose(ov_pose a, ov_pose b) {
    return same_vec3(a.position, b.position) && same_number(a.rotation.w, b.rotation.w) &&
           same_number(a.rotation.x, b.rotation.x) && same_number(a.rotation.y, b.rotation.y) &&
           same_number(a.rotation.z, b.rotation.z);
}

static bool same_polyhedron(const ov_shape *a, const ov_shape *b) {
    size_t vertices = a->u.polyhedron.vertex_count, triangles = a->u.polyhedron.triangle_count;
    if (vertices != b->u.polyhedron.vertex_count || triangles != b->u.polyhedron.triangle_count) {
        return false;
    }
    for (size_t i = 0; i < vertices; i++) {
        if (!same_vec3(a->u.polyhedron.vertices[i], b->u.polyhedron.vertices[i])) {
            return false;
        }
    }
    return triangles == 0 || memcmp(a->u.polyhedron.triangles, b->u.polyhedron.triangles,
                                    triangles * sizeof a->u.polyhedron.triangles[0]) == 0;
}

static bool same_shape(const ov_shape *a, const ov_shape *b) {
    bool same = a->kind == b->kind && same_vec3(a->a, b->a) && same_number(a->e1, b->e1) &&
                same_number(a->e2, b->e2) && same_number(a->tx, b->tx) &&
                same_number(a->ty, b->ty) && same_number(a->dent, b->dent) &&
                same_vec3(a->ball.centre, b->ball.centre) &&
                same_number(a->ball.radius, b->ball.radius);
    if (!same) {
        return false;
    }
    switch (a->kind) {
    case OV_SHAPE_KIND_HALFSPACE:
        return same_vec3(a->u.halfspace.normal, b->u.halfspace.normal) &&
               same_number(a->u.halfspace.offset, b->u.halfspace.offset);
    case OV_SHAPE_KIND_POLYHEDRON:
        return same_polyhedron(a, b);
    case OV_SHAPE_KIND_TRIANGLE:
        same = same_vec3(a->u.vertices[2], b->u.vertices[2]);
        // fall through
    case OV_SHAPE_KIND_SEGMENT:
        same = same && same_vec3(a->u.vertices[1], b->u.vertices[1]);
        // fall through
    case OV_SHAPE_KIND_POINT:
        return same && same_vec3(a->u.vertices[0], b->u.vertices[0]);
    default:
        return true;
    }
}

static bool same_mesh(const ov_trimesh *a, const ov_trimesh *b) {
    size_t vertices = ov_trimesh_vertex_count(a), triangles = ov_trimesh_triangle_count(a);
    if (vertices != ov_trimesh_vertex_count(b) || triangles != ov_trimesh_triangle_count(b)) {
        return false;
    }
    for (size_t i = 0; i < vertices; i++) {
        if (!same_vec3(ov_trimesh_vertices(a)[i], ov_trimesh_vertices(b)[i])) {
            return false;
        }
    }
    return memcmp(ov_trimesh_triangles(a), ov_trimesh_triangles(b),
                  triangles * sizeof ov_trimesh_triangles(a)[0]) == 0;
}

static bool same_part(const ov_part *a, const ov_part *b) {
    return same_pose(a->pose, b->pose) && (a->mesh == NULL) == (b->mesh == NULL) &&
           (a->mesh != NULL ? same_mesh(a->mesh, b->mesh) : same_shape(&a->shape, &b->shape));
}

static bool is_readable_kind(const ov_shape *s) {
    return ov_shape_is_convex(s->kind) && s->kind != OV_SHAPE_KIND_CUSTOM;
}

/* ---- scenes */

static void judge_pose(ov_pose pose) {
    const ov_quat q = pose.rotation;
    demand(fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0) < 1e-12, "unit quaternion");
    demand(ov_vec3_is_finite(pose.position), "a position");
}

static void judge_body(const ov_scene_body *b) {
    demand(b->name != NULL && b->name[0] != '\0' && strlen(b->name) <= OV_SCENE_NAME_MAX, "a name");
    judge_pose(b->pose);
    demand(b->parts != NULL && b->part_count > 0, "parts");
    for (size_t i = 0; i < b->part_count; i++) {
        const ov_part *p = &b->parts[i];
        judge_pose(p->pose);
        demand(p->mesh != NULL ? ov_trimesh_triangle_count(p->mesh) > 0
                               : is_readable_kind(&p->shape),
               "the kind of a part");
    }
}

static void demand_same_scene(const ov_scene *a, const ov_scene *b) {
    demand(strcmp(ov_scene_title(a), ov_scene_title(b)) == 0, "titles read back the same");
    demand(ov_scene_count(a) == ov_scene_count(b), "as many bodies read back");
    for (size_t i = 0; i < ov_scene_count(a); i++) {
        const ov_scene_body *x = ov_scene_get(a, i), *y = ov_scene_get(b, i);
        demand(strcmp(x->name, y->name) == 0, "names read back the same");
        demand(x->part_count == y->part_count, "as many parts read back");
        for (size_t k = 0; k < x->part_count; k++) {
            demand(same_part(&x->parts[k], &y->parts[k]), "parts read back the same");
        }
        demand(same_pose(x->pose, y->pose), "poses read back the same");
    }
}

static ov_scene *read_scene(const char *bytes, size_t size) {
    ov_fault fault;
    ov_scene *scene;
    FILE *f = open_bytes(bytes, size);
    // no file can be beside a scene that comes from nowhere
    judge_answer(ov_scene_read_stream(f, "/nowhere", &scene, &fault), scene, &fault);
    (void)fclose(f);
    return scene;
}

static char *write_scene(const ov_scene *scene, size_t *length) {
    char *text = NULL;
    FILE *f = open_memstream(&text, length);
    demand(f != NULL && ov_scene_write_stream(f, scene) == OV_OK && fclose(f) == 0,
           "a scene that was read can be written");
    return text;
}

static void try_scene(const char *bytes, size_t size) {
    ov_scene *scene = read_scene(bytes, size);
    if (scene == NULL) {
        return;
    }
    for (size_t i = 0; i < ov_scene_count(scene); i++) {
        judge_body(ov_scene_get(scene, i));
    }
    demand(ov_scene_get(scene, ov_scene_count(scene)) == NULL, "no body beyond the last");
    size_t first_length, second_length;
    char *first = write_scene(scene, &first_length);
    ov_scene *back = read_scene(first, first_length);
    demand(back != NULL, "a scene that was written can be read");
    demand_same_scene(scene, back);
    char *second = write_scene(back, &second_length);
    demand(first_length == second_length && memcmp(first, second, first_length) == 0,
           "a scene is written the same again");
    free(first);
    free(second);
    ov_scene_destroy(back);
    ov_scene_destroy(scene);
}

/* ---- replays */

static ov_replay *read_replay(const char *bytes, size_t size) {
    ov_fault fault;
    ov_replay *replay;
    FILE *f = open_bytes(bytes, size);
    judge_answer(ov_replay_read_stream(f, &replay, &fault), replay, &fault);
    (void)fclose(f);
    return replay;
}

static char *write_replay(const ov_replay *replay, size_t *length) {
    char *text = NULL;
    FILE *f = open_memstream(&text, length);
    demand(f != NULL && ov_replay_write_stream(f, replay) == OV_OK && fclose(f) == 0,
           "a replay that was read can be written");
    return text;
}

static bool same_contact(const ov_contact *a, const ov_contact *b) {
    return same_number(a->gap, b->gap) && same_number(a->gap_lower, b->gap_lower) &&
           same_number(a->gap_upper, b->gap_upper) && same_vec3(a->point_a, b->point_a) &&
           same_vec3(a->point_b, b->point_b) && same_vec3(a->normal, b->normal) &&
           a->relation == b->relation && a->status == b->status && a->iterations == b->iterations;
}

static void demand_same_replay(const ov_replay *a, const ov_replay *b) {
    demand(same_shape(&a->a, &b->a) && same_shape(&a->b, &b->b), "replayed shapes");
    demand(same_pose(a->pose_a, b->pose_a) && same_pose(a->pose_b, b->pose_b), "replayed poses");
    demand(same_number(a->options.tolerance, b->options.tolerance) &&
               a->options.depth == b->options.depth && a->batch == b->batch,
           "replayed options");
    demand(a->has_warm == b->has_warm && same_vec3(a->warm.a, b->warm.a) &&
               same_vec3(a->warm.b, b->warm.b) && same_vec3(a->warm.normal, b->warm.normal),
           "replayed warm start");
    demand(same_contact(&a->contact, &b->contact), "replayed contact");
}

static void try_replay(const char *bytes, size_t size) {
    ov_replay *replay = read_replay(bytes, size);
    if (replay == NULL) {
        return;
    }
    demand(is_readable_kind(&replay->a) && is_readable_kind(&replay->b), "kinds of a replay");
    size_t length;
    char *text = write_replay(replay, &length);
    ov_replay *back = read_replay(text, length);
    demand(back != NULL, "a replay that was written can be read");
    demand_same_replay(replay, back);
    size_t again_length;
    char *again = write_replay(back, &again_length);
    demand(again_length == length && memcmp(again, text, length) == 0, "a replay, to the bit");
    free(again);
    // unlike, so that a run that leaves its contact unset shows
    ov_contact once = {.gap = 1.0}, twice = {.gap = 2.0};
    ov_status status = ov_replay_run(replay, &once);
    demand(status == ov_replay_run(back, &twice) && same_contact(&once, &twice),
           "a replay runs the same again");
    free(text);
    ov_replay_destroy(back);
    ov_replay_destroy(replay);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    const char *bytes = (const char *)data + 1;
    (data[0] == 'r' ? try_replay : try_scene)(bytes, size - 1);
    return 0;
}
