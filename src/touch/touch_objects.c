/**
 * @file touch_objects.c
 * @brief Objects against maps: contacts of vertices and faces, cold and warm; zones, bones.
 *
 * The distance to A changes by no more than a point moves: if it is d at the centre of a ball of
 * radius r, nothing in the ball is nearer than d - r. The same bound finds the deepest point of a
 * face by branch and bound: pieces of the face are cut in four as long as their balls may reach
 * deeper than what was found.
 */
#include "../math/rounding_mode.h"
#include "touch_balls_internal.h"
#include "touch_lookup.h"

enum {
    PIECES_MAX = 48, // of a face that wait at one time
    CUTS_MAX = 128,  // of one face
    CROSSING_CUTS_MAX = 24,
    REMEMBERED = 512, // vertices: a power of two
    GATHERED = 64,    // vertices that are looked up before the first one is judged
    PUT_OFF_MAX = 32  // balls beside the field
};
/** A face is searched to this share of A's diagonal. */
static const double face_tolerance = 1e-4;

/* ---- a query under way, in A's frame */

/** What is beside the field: a ball in A's frame, and a bound of its distance by A's box. */
typedef struct beside {
    ov_vec3 p;
    double radius, lower;
} beside;

typedef struct run {
    ov_touch_query *q;
    const ov_pose *bones; // with unit quaternions; null: A is rigid
    const ov_touch_map *map;
    const ov_touch_object *b;
    ov_affine to_a;     // from B's frame
    ov_affine from_a;   // to the world
    double error;       // of a point of B in A's frame, by rounding
    double cross_error; // of the test whether a face crosses A
    double limit;
    /** What is proven to be further than this is in contact at no level: the limit, and how far off
     * the field may be. */
    double clear;
    ov_touch_level level;
    double lower, upper, value; // of the distance
    bool open;                  // something was not told
    // what is known from the queries before; null: nothing
    float *leaf_bounds, *vertex_bounds;
    double moved;                // what they are above the distances now
    float edge;                  // bounds up to here have to be looked at
    uint32_t gathered[GATHERED]; // vertices, by their places in the tree, to be looked up
    int gathered_count;
    beside put_off[PUT_OFF_MAX];
    int put_off_count;
    // with faces: is a vertex in contact? 2 n + 2 of vertex n, one more where it is; 0: not known
    uint32_t *remembered;
} run;

/** What is known of a point of A's frame. */
typedef struct seen {
    ovi_touch_bounds bounds;
    ov_vec3 p;
    uint32_t part; // with bones: whose this is
} seen;

/** A point as a part sees it that a bone has displaced. */
typedef struct bone_view {
    ov_vec3 p;              // in the frame of the map
    double error;           // of p
    double box, box_error;  // distance to the part's box
    ovi_touch_bounds field; // to the mesh, without the box
} bone_view;

/** False where nothing of the part is nearer than `most`, by its box: then there is no more. */
static bool see_bone(const run *r, uint32_t part, ov_vec3 p, double most, bone_view *v) {
    const ov_pose *bone = &r->bones[part];
    v->p = ov_pose_apply_inverse(*bone, p);
    v->error = r->error + ovi_touch_rounding(ov_vec3_length(bone->position) + ov_vec3_length(p));
    v->box = ovi_touch_box_distance(&r->map->boxes[part], v->p);
    v->box_error = v->error + ovi_touch_rounding(ov_vec3_length(r->map->boxes[part].centre));
    if (v->box - v->box_error > most) {
        return false;
    }
    v->field = ovi_touch_field_bounds(r->map, v->p, v->error);
    return true;
}

/** Distance to what of the solid is in the part's box, with what is known of that to the mesh. */
static ovi_touch_bounds within_box(const bone_view *v, const ovi_touch_bounds *mesh) {
    return (ovi_touch_bounds){ovi_larger(mesh->value, v->box),
                              ovi_larger(mesh->lower, v->box - v->box_error),
                              ovi_larger(mesh->upper, v->box + v->box_error)};
}

/** Takes over what is less, number by number; true where the value is. */
static bool take_nearer(ovi_touch_bounds *least, const ovi_touch_bounds *b) {
    bool nearer = b->value < least->value;
    least->value = nearer ? b->value : least->value;
    least->lower = b->lower < least->lower ? b->lower : least->lower;
    least->upper = b->upper < least->upper ? b->upper : least->upper;
    return nearer;
}

/** The nearest of all parts, each where its bone has put it. */
static seen see_bones(const run *r, ov_vec3 p) {
    seen best = {.bounds = {INFINITY, INFINITY, INFINITY}, .part = OV_NO_PART, .p = p};
    for (uint32_t i = 0; i < r->map->box_count; i++) {
        bone_view v;
        if (see_bone(r, i, p, best.bounds.upper, &v)) {
            ovi_touch_bounds b = within_box(&v, &v.field);
            best.part = take_nearer(&best.bounds, &b) ? i : best.part;
        }
    }
    return best;
}

static seen see(const run *r, ov_vec3 p) {
    if (r->bones != NULL) {
        return see_bones(r, p);
    }
    return (seen){ovi_touch_field_bounds(r->map, p, r->error), p, OV_NO_PART};
}

/** Gradient of the distance with bones, as ovi_touch_normal has it without. */
static ov_vec3 bones_normal(const run *r, ov_vec3 p) {
    double d[4];
    for (int i = 0; i < 4; i++) {
        ov_vec3 x = ov_vec3_add_scaled(p, ovi_touch_corner(i), ovi_touch_normal_reach(r->map));
        d[i] = see_bones(r, x).bounds.value;
    }
    return ovi_touch_slope(d);
}

/* ---- contacts */

/** What is known of a point in contact, in A's frame. */
typedef struct touch {
    ov_vec3 p;
    ovi_touch_bounds bounds;
    uint32_t vertex, triangle, zone, part;
    bool exact;
    ov_vec3 nearest; // where exact
} touch;

/** The point is a sum until the end of the query (finish_zones). */
static void add_to_zone(ov_touch_zone *z, const ov_touch_contact *c, double limit) {
    double depth = limit - c->distance;
    if (z->count == 0 || c->distance < z->deepest.distance) {
        z->deepest = *c;
    }
    z->count++;
    z->depth_sum += depth;
    z->depth = depth > z->depth ? depth : z->depth;
    z->point = ov_vec3_add_scaled(z->point, c->point, depth);
    z->normal_sum = ov_vec3_add_scaled(z->normal_sum, c->normal, depth);
}

/** Of sums the means. */
static void finish_zones(ov_touch_zone *zones, size_t count) {
    for (size_t i = 0; i < count; i++) {
        ov_touch_zone *z = &zones[i];
        if (z->count > 0) {
            z->point =
                z->depth_sum > 0.0 ? ov_vec3_scale(z->point, 1.0 / z->depth_sum) : z->deepest.point;
        }
    }
}

OVI_INLINE ovi_v4 less4(ovi_v4 a, ovi_v4 b) { return ovi_v4_select(a < b, a, b); }
OVI_INLINE ovi_v4 more4(ovi_v4 a, ovi_v4 b) { return ovi_v4_select(a > b, a, b); }

/** The parts that have four points most within their boxes; of no part the number is not used. */
OVI_INLINE ovi_i4 parts4(const ov_touch_map *map, ovi_places4 p) {
    ovi_v4 least = ovi_v4_of(INFINITY);
    ovi_i4 best = {0, 0, 0, 0};
    for (size_t i = 0; i < map->box_count; i++) {
        const ovi_part_axes *b = &map->part_axes[i];
        ovi_v4 x = p.x - b->centre.x, y = p.y - b->centre.y, z = p.z - b->centre.z;
        ovi_v4 most = ovi_v4_of(0.0);
        for (int k = 0; k < 3; k++) {
            const ov_vec3 a = b->axes[k];
            most = more4(ovi_v4_abs(a.x * x + a.y * y + a.z * z), most);
        }
        ovi_i4 less = most < least;
        least = ovi_v4_select(less, most, least);
        best = (less & (int64_t)i) | (~less & best);
    }
    return best;
}

/** With bones the part is known. */
static void settle_with_bones(const run *r, const touch *t, ov_touch_contact *c) {
    c->point = ov_affine_apply(&r->from_a, t->p);
    if (!r->q->no_normals) {
        ov_vec3 n = bones_normal(r, t->p);
        ov_vec3 nearest = t->exact ? t->nearest : ov_vec3_add_scaled(t->p, n, -t->bounds.value);
        c->normal = ov_mat3_mul_vec3(&r->from_a.linear, n);
        c->nearest = ov_affine_apply(&r->from_a, nearest);
    }
}

/** Points in contact as the world sees them, four by four. */
typedef struct settled {
    double point[3][GATHERED], normal[3][GATHERED], nearest[3][GATHERED];
    int64_t part[GATHERED];
} settled;

OVI_INLINE void store_lanes(double (*to)[GATHERED], int first, ovi_places4 p) {
    memcpy(&to[0][first], &p.x, sizeof p.x);
    memcpy(&to[1][first], &p.y, sizeof p.y);
    memcpy(&to[2][first], &p.z, sizeof p.z);
}

OVI_INLINE ovi_places4 four_of(ov_vec3 a, ov_vec3 b, ov_vec3 c, ov_vec3 d) {
    return (ovi_places4){{a.x, b.x, c.x, d.x}, {a.y, b.y, c.y, d.y}, {a.z, b.z, c.z, d.z}};
}

OVI_INLINE ovi_places4 turned4(const ov_mat3 *m, ovi_places4 p) {
    const ov_affine turn = {.linear = *m};
    return ovi_places4_moved(&turn, p);
}

/** The normals of four points: ovi_touch_slope of what the field says of their corners. */
OVI_INLINE ovi_places4 normals4(const ov_touch_map *map, ovi_places4 p) {
    ovi_v4 d[4];
    for (int i = 0; i < 4; i++) {
        ov_vec3 to = ov_vec3_scale(ovi_touch_corner(i), ovi_touch_normal_reach(map));
        ovi_v4 bound;
        ovi_places4 x = {p.x + to.x, p.y + to.y, p.z + to.z};
        unsigned outside = ovi_look_up_four(&map->field, x, &d[i], &bound);
        for (int k = 0; k < 4 && outside != 0; k++) {
            if (outside >> k & 1) {
                d[i][k] =
                    ovi_touch_bounds_outside(map, ov_vec3_make(x.x[k], x.y[k], x.z[k]), 0.0).value;
            }
        }
    }
    ovi_places4 n = {d[1] + d[3] - d[0] - d[2], d[2] + d[3] - d[0] - d[1],
                     d[0] + d[3] - d[1] - d[2]};
    ovi_v4 square = n.x * n.x + n.y * n.y + n.z * n.z;
    ovi_v4 per = ovi_v4_select(square > DBL_MIN, 1.0 / ovi_v4_sqrt(square), ovi_v4_of(0.0));
    return (ovi_places4){n.x * per, n.y * per, n.z * per};
}

OVI_INLINE void settle_inline(const run *r, const touch *touches, int count, settled *out) {
    const bool normals = !r->q->no_normals, exact = r->level != OV_TOUCH_LEVEL_FIELD;
    for (int i = 0; i < count; i += 4) {
        const touch *t[4];
        for (int k = 0; k < 4; k++) {
            t[k] = &touches[i + k < count ? i + k : i];
        }
        ovi_places4 p = four_of(t[0]->p, t[1]->p, t[2]->p, t[3]->p);
        store_lanes(out->point, i, ovi_places4_moved(&r->from_a, p));
        if (!normals) {
            continue;
        }
        const ovi_v4 value = {t[0]->bounds.value, t[1]->bounds.value, t[2]->bounds.value,
                              t[3]->bounds.value};
        ovi_places4 n = normals4(r->map, p),
                    nearest = {p.x - n.x * value, p.y - n.y * value, p.z - n.z * value};
        for (int k = 0; k < 4 && exact; k++) {
            if (t[k]->exact) {
                nearest.x[k] = t[k]->nearest.x;
                nearest.y[k] = t[k]->nearest.y;
                nearest.z[k] = t[k]->nearest.z;
            }
        }
        store_lanes(out->normal, i, turned4(&r->from_a.linear, n));
        store_lanes(out->nearest, i, ovi_places4_moved(&r->from_a, nearest));
        ovi_i4 parts = parts4(r->map, nearest);
        memcpy(&out->part[i], &parts, sizeof parts);
    }
}
OVI_DISPATCH(static, void, settle, settle_inline,
             (const run *r, const touch *touches, int count, settled *out),
             (r, touches, count, out))

static ov_vec3 vector_at(const double (*from)[GATHERED], int i) {
    return ov_vec3_make(from[0][i], from[1][i], from[2][i]);
}

/** Takes down some contacts, no more than are gathered: what is to be known about them in the
 *  world. */
static void add_contacts(run *r, const touch *touches, int count) {
    ov_touch_query *q = r->q;
    settled s;
    bool wanted = q->contacts != NULL || q->zones != NULL, normals = wanted && !q->no_normals;
    bool named = normals && r->map->box_count > 0;
    if (wanted && r->bones == NULL) {
        settle(r, touches, count, &s);
    }
    for (int i = 0; i < count; i++) {
        const touch *t = &touches[i];
        r->upper = t->bounds.upper < r->upper ? t->bounds.upper : r->upper;
        r->value = t->bounds.value < r->value ? t->bounds.value : r->value;
        size_t number = q->contact_count++;
        bool listed = q->contacts != NULL && number < q->contact_room;
        if (!listed && q->zones == NULL) {
            continue;
        }
        ov_touch_contact other, *c = listed ? &q->contacts[number] : &other;
        *c = (ov_touch_contact){.distance = t->bounds.value,
                                .distance_lower = t->bounds.lower,
                                .distance_upper = t->bounds.upper,
                                .vertex = t->vertex,
                                .triangle = t->triangle,
                                .zone = t->zone,
                                .part = t->part};
        if (r->bones != NULL) {
            settle_with_bones(r, t, c);
        } else {
            c->point = vector_at(s.point, i);
            c->normal = normals ? vector_at(s.normal, i) : c->normal;
            c->nearest = normals ? vector_at(s.nearest, i) : c->nearest;
            c->part = named ? (uint32_t)s.part[i] : t->part;
        }
        if (q->zones != NULL) {
            add_to_zone(&q->zones[c->zone], c, r->limit);
        }
    }
}

static void note_lower(run *r, double lower) { r->lower = lower < r->lower ? lower : r->lower; }

/** Are the triangles to be asked? */
static bool wants_triangles(const run *r, const ovi_touch_bounds *b) {
    bool undecided = b->lower <= 0.0 && b->upper >= 0.0;
    return r->level == OV_TOUCH_LEVEL_EXACT || (r->level == OV_TOUCH_LEVEL_DECIDED && undecided);
}

/** With bones: of every part that may be the nearest, as the field alone may take another one for
 *  it. Where a part ends, the mesh does not count. */
static void sharpen_bones(run *r, const seen *s, touch *t) {
    t->bounds = (ovi_touch_bounds){INFINITY, INFINITY, INFINITY};
    for (uint32_t i = 0; i < r->map->box_count; i++) {
        bone_view v;
        if (!see_bone(r, i, s->p, s->bounds.upper, &v)) {
            continue;
        }
        ovi_nearest near;
        ovi_touch_bounds mesh = v.field, b = within_box(&v, &mesh);
        bool asked = b.lower <= s->bounds.upper && v.box - v.box_error <= mesh.upper &&
                     wants_triangles(r, &b);
        if (asked) {
            r->open =
                !ovi_touch_exact_bounds(r->map, v.p, v.error, &v.field, &mesh, &near) || r->open;
            b = within_box(&v, &mesh);
        }
        if (take_nearer(&t->bounds, &b)) {
            t->part = i;
            t->exact = asked && v.box <= mesh.value;
            t->nearest = t->exact ? ov_pose_apply(r->bones[i], near.point) : t->nearest;
        }
    }
}

/** Asks the triangles where the level wants it. */
static void sharpen(run *r, const seen *s, touch *t) {
    t->bounds = s->bounds;
    if (!wants_triangles(r, &s->bounds)) {
        return;
    }
    if (r->bones != NULL) {
        sharpen_bones(r, s, t);
        return;
    }
    ovi_nearest near;
    r->open =
        !ovi_touch_exact_bounds(r->map, s->p, r->error, &s->bounds, &t->bounds, &near) || r->open;
    t->exact = true;
    t->nearest = near.point;
}

/**
 * Is it in contact? What the level says decides. But a field that is far off somewhere could say so
 * of what a search passes over; there the triangles tell, so that the answer does not depend on the
 * way that a search takes.
 */
static bool is_contact(const run *r, const seen *s, const touch *t) {
    if (!(t->bounds.value <= r->limit)) {
        return false;
    }
    if (t->bounds.upper <= r->clear || r->bones != NULL) {
        return true;
    }
    ovi_nearest near;
    ovi_touch_bounds exact;
    (void)ovi_touch_exact_bounds(r->map, s->p, r->error, &t->bounds, &exact, &near);
    return exact.value <= r->clear;
}

/** Judges a vertex that may be in contact; fills in `t` if it is. */
static bool look_at_vertex(run *r, uint32_t index, const seen *s, touch *t) {
    uint32_t vertex = r->b->points.order[index];
    *t = (touch){.p = s->p,
                 .vertex = vertex,
                 .triangle = OV_NO_TRIANGLE,
                 .zone = r->b->zones[vertex],
                 .part = s->part};
    sharpen(r, s, t);
    note_lower(r, t->bounds.lower);
    bool touches = is_contact(r, s, t);
    if (r->remembered != NULL) {
        r->remembered[vertex % REMEMBERED] = 2 * vertex + 2 + touches;
    }
    return touches;
}

/** Places in A's frame, and what the field says of them. */
typedef struct looked {
    double x[GATHERED], y[GATHERED], z[GATHERED];
    double value[GATHERED], bound[GATHERED];
    uint64_t outside; // bits of those that are not in the field
} looked;

OVI_INLINE void look_up_here(const run *r, ovi_places4 p, int first, looked *l) {
    ovi_v4 value, bound;
    l->outside |= (uint64_t)ovi_look_up_four(&r->map->field, p, &value, &bound) << first;
    bound += r->error;
    memcpy(l->x + first, &p.x, sizeof p.x);
    memcpy(l->y + first, &p.y, sizeof p.y);
    memcpy(l->z + first, &p.z, sizeof p.z);
    memcpy(l->value + first, &value, sizeof value);
    memcpy(l->bound + first, &bound, sizeof bound);
}

OVI_INLINE void look_up_moved(const run *r, ovi_places4 p, int first, looked *l) {
    look_up_here(r, ovi_places4_moved(&r->to_a, p), first, l);
}

/** Below a number, by little. */
OVI_INLINE float rounded_down(double x) {
    float f = (float)x;
    return f - FLT_EPSILON * fabsf(f);
}

OVI_INLINE unsigned bits4(ovi_i4 mask) {
    return (unsigned)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
}

/** Bits of those whose distances are not above the limit, by their bounds, or are not in the field;
 *  `beyond`: the least bound of the others. Keeps the bounds, where a query is warm. */
OVI_INLINE uint64_t vertices_inline(const run *r, looked *l, double *beyond) {
    const ov_vec3 *v = r->b->sorted;
    ovi_v4 most = ovi_v4_of(INFINITY);
    uint64_t near = 0;
    l->outside = 0;
    for (int i = 0; i < r->gathered_count; i += 4) {
        const uint32_t *g = &r->gathered[i];
        look_up_moved(r, four_of(v[g[0]], v[g[1]], v[g[2]], v[g[3]]), i, l);
        ovi_v4 lower = ovi_load_lanes(l->value + i) - ovi_load_lanes(l->bound + i);
        near |= (uint64_t)bits4(lower <= r->limit) << i;
        most = less4(most, ovi_v4_select(lower > r->limit, lower, most));
        for (int k = 0; k < 4 && r->vertex_bounds != NULL; k++) {
            r->vertex_bounds[g[k]] = rounded_down(lower[k] + r->moved);
        }
    }
    *beyond = fmin(fmin(most[0], most[1]), fmin(most[2], most[3]));
    return near | l->outside;
}
OVI_DISPATCH(static, uint64_t, look_up_vertices, vertices_inline,
             (const run *r, looked *l, double *beyond), (r, l, beyond))

OVI_INLINE void places_inline(const run *r, const ovi_places4 *p, looked *l) {
    l->outside = 0;
    look_up_here(r, *p, 0, l);
}
/** Four places of A's frame. */
OVI_DISPATCH(static, void, look_up_places, places_inline,
             (const run *r, const ovi_places4 *p, looked *l), (r, p, l))

/** One of the places that were looked up. */
static seen seen_of(const run *r, const looked *l, int i) {
    seen s = {{l->value[i], l->value[i] - l->bound[i], l->value[i] + l->bound[i]},
              ov_vec3_make(l->x[i], l->y[i], l->z[i]),
              OV_NO_PART};
    if (l->outside >> i & 1) {
        s.bounds = ovi_touch_bounds_outside(r->map, s.p, r->error);
    }
    return s;
}

/** A lower bound of the distances of a ball beside the field, by the box of the mesh where that is
 *  enough to pass it over. It may be far below the distance, and what else is known takes long to
 *  find out: that is put off, since mostly something else is nearer; the bound is infinite then.
 *  Warm queries keep what is returned. */
static double lower_beside(run *r, ov_vec3 p, double radius, double most) {
    const ov_aabb *box = &r->map->box;
    double lower = ovi_axes_bound(fmax(box->min.x - p.x, p.x - box->max.x),
                                  fmax(box->min.y - p.y, p.y - box->max.y),
                                  fmax(box->min.z - p.z, p.z - box->max.z)) -
                   (ovi_touch_rounding_at(r->map, p) + r->error) - radius;
    if (lower > most && (lower >= r->lower || r->leaf_bounds != NULL)) {
        return lower;
    }
    if (lower > most && r->put_off_count < PUT_OFF_MAX) {
        r->put_off[r->put_off_count++] = (beside){p, radius, lower};
        return INFINITY;
    }
    return ovi_touch_bounds_outside(r->map, p, r->error).lower - radius;
}

/** Finds out what was put off, as far as it is not further away than all else. */
static void look_beside(run *r) {
    for (int i = 0; i < r->put_off_count; i++) {
        const beside *b = &r->put_off[i];
        if (b->lower < r->lower) {
            note_lower(r, ovi_touch_bounds_outside(r->map, b->p, r->error).lower - b->radius);
        }
    }
    r->put_off_count = 0;
}

static void keep_vertex(run *r, uint32_t index, double lower) {
    if (r->vertex_bounds != NULL) {
        r->vertex_bounds[index] = rounded_down(lower + r->moved);
    }
}

/** Looks up the vertices that were gathered, all before any is judged: what the processor guesses
 *  of the judgements is wrong now and then, and must not wait for one lookup after the other. */
static void look_at_gathered(run *r) {
    looked l;
    touch touches[GATHERED];
    int found = 0, count = r->gathered_count;
    double beyond;
    if (count == 0) {
        return;
    }
    for (int i = count; i % 4 != 0; i++) {
        r->gathered[i] = r->gathered[0];
    }
    uint64_t near = look_up_vertices(r, &l, &beyond);
    note_lower(r, beyond);
    for (int i = 0; i < count; i++) {
        if (!(near >> i & 1)) {
            continue;
        }
        if (l.outside >> i & 1) {
            double lower = lower_beside(r, ov_vec3_make(l.x[i], l.y[i], l.z[i]), 0.0, r->limit);
            if (lower > r->limit) {
                note_lower(r, lower);
                keep_vertex(r, r->gathered[i], lower);
                continue;
            }
        }
        seen s = seen_of(r, &l, i);
        keep_vertex(r, r->gathered[i], s.bounds.lower);
        if (s.bounds.lower > r->limit) {
            note_lower(r, s.bounds.lower);
        } else if (look_at_vertex(r, r->gathered[i], &s, &touches[found])) {
            found++;
        }
    }
    r->gathered_count = 0;
    if (found > 0) {
        add_contacts(r, touches, found);
    }
}

/** The vertices of a leaf. */
static void look_at_vertices(run *r, uint32_t first, uint32_t count) {
    if (r->bones == NULL) {
        if (r->gathered_count + OVI_LEAF > GATHERED) {
            look_at_gathered(r);
        }
        for (uint32_t i = first; i < first + count; i++) {
            r->gathered[r->gathered_count] = i;
            r->gathered_count += r->vertex_bounds == NULL || !(r->vertex_bounds[i] > r->edge);
        }
        return;
    }
    for (uint32_t i = first; i < first + count; i++) {
        ov_vec3 p = ov_affine_apply(&r->to_a, r->b->sorted[i]);
        seen s = see_bones(r, p);
        touch t;
        if (s.bounds.lower > r->limit) {
            note_lower(r, s.bounds.lower);
        } else if (look_at_vertex(r, i, &s, &t)) {
            add_contacts(r, &t, 1);
        }
    }
}

/* ---- triangles that cross

   Two triangles are apart if they are so along the normal of one of them, or along a vector across
   an edge of each. Such a vector has rounding of its own, which counts by how far the triangles
   reach, so that slivers prove nothing. Four vectors are tried at once, normals among the first. */

OVI_INLINE ovi_v4 extent4(ovi_places4 v) {
    return ovi_v4_abs(v.x) + ovi_v4_abs(v.y) + ovi_v4_abs(v.z);
}

OVI_INLINE ovi_v4 along4(ovi_places4 n, ov_vec3 v) { return n.x * v.x + n.y * v.y + n.z * v.z; }

OVI_INLINE bool any2(ovi_i2 mask) { return (mask[0] | mask[1]) != 0; }
static double extent(ov_vec3 v) { return fabs(v.x) + fabs(v.y) + fabs(v.z); }

/** A triangle that may cross the mesh, with its edges, and a box that holds it and the error. */
typedef struct crossing {
    ov_vec3 c[3], edges[3];
    ovi_v4 lo, hi;                 // the fourth is infinite
    ovi_vf4 node_least, node_most; // the box, as nodes are compared with it
    double error;
} crossing;

/** A facet, and the corners of the triangle as seen from the facet's first one. */
typedef struct facing {
    ov_vec3 ab, ac, c[3];
    double size, error; // how far both reach
} facing;

/** Are two triangles apart along one of four products of vectors, by more than the error? */
OVI_INLINE bool apart_along(const facing *t, ovi_places4 u, ovi_places4 v) {
    const ovi_v4 none = ovi_v4_of(0.0);
    ovi_places4 n = {u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
    ovi_v4 a = along4(n, t->ab), b = along4(n, t->ac), x = along4(n, t->c[0]),
           y = along4(n, t->c[1]), z = along4(n, t->c[2]);
    ovi_v4 margin =
        2.0 * t->error * extent4(n) + 16.0 * DBL_EPSILON * t->size * extent4(u) * extent4(v);
    ovi_v4 a_lo = less4(less4(a, b), none), a_hi = more4(more4(a, b), none);
    ovi_v4 c_lo = less4(less4(x, y), z), c_hi = more4(more4(x, y), z);
    return ovi_any4((a_lo > c_hi + margin) | (c_lo > a_hi + margin));
}

OVI_INLINE bool facet_crosses(const ovi_facet *f, const crossing *k) {
    facing t = {.ab = f->ab, .ac = f->ac, .error = k->error};
    t.size = extent(f->ab) + extent(f->ac);
    for (int i = 0; i < 3; i++) {
        t.c[i] = ov_vec3_sub(k->c[i], f->a);
        t.size += extent(t.c[i]);
    }
    const ov_vec3 *e = k->edges, bc = ov_vec3_sub(f->ac, f->ab);
    return !apart_along(&t, four_of(f->ab, e[0], f->ab, bc), four_of(f->ac, e[2], e[0], e[1])) &&
           !apart_along(&t, four_of(f->ac, f->ab, bc, f->ac), four_of(e[2], e[1], e[2], e[0])) &&
           !apart_along(&t, four_of(f->ab, bc, f->ac, f->ac), four_of(e[2], e[0], e[1], e[1]));
}

/** A vector of a facet, and what is behind it there. */
OVI_INLINE ovi_v4 facet_lanes(const ovi_facet *f, size_t offset) {
    ovi_v4 v;
    memcpy(&v, (const char *)f + offset, sizeof v);
    return v;
}

/** Is a facet beyond one side of the box? */
OVI_INLINE bool facet_misses(const ovi_facet *f, const crossing *k) {
    const ovi_v4 none = ovi_v4_of(0.0), a = facet_lanes(f, offsetof(ovi_facet, a)),
                 b = facet_lanes(f, offsetof(ovi_facet, ab)),
                 c = facet_lanes(f, offsetof(ovi_facet, ac));
    return ovi_any4((a + less4(less4(b, c), none) > k->hi) |
                    (a + more4(more4(b, c), none) < k->lo));
}

/** Does the box of a node miss a box? Six comparisons in two fours, which have a third axis and a
 *  first one in common with what is beside them in the node. */
OVI_INLINE bool node_misses(const ovi_touch_node *n, ovi_vf4 least, ovi_vf4 most) {
    ovi_vf4 lo, hi;
    memcpy(&lo, (const char *)n + offsetof(ovi_touch_node, lo), sizeof lo);
    memcpy(&hi, (const char *)n + offsetof(ovi_touch_node, lo) + 2 * sizeof(float), sizeof hi);
    return any2((ovi_i2)((lo > most) | (hi < least)));
}
_Static_assert(offsetof(ovi_touch_node, hi) == 3 * sizeof(float), "see node_misses");

enum { SUBTREES_MAX = 64 };

/** Parts of A's tree that may be near some triangles. */
typedef struct subtrees {
    uint32_t nodes[SUBTREES_MAX + OVI_BVH_DEPTH + 2];
    int count;
} subtrees;

OVI_INLINE bool crosses_inline(const ovi_touch_tree *tree, const subtrees *parts,
                               const crossing *k) {
    uint32_t stack[OVI_BVH_DEPTH + 2];
    for (int i = 0; i < parts->count; i++) {
        int top = 0;
        stack[top++] = parts->nodes[i];
        while (top > 0) {
            uint32_t at = stack[--top];
            const ovi_touch_node *n = &tree->nodes[at];
            if (node_misses(n, k->node_least, k->node_most)) {
                continue;
            }
            for (uint32_t j = 0; j < n->count; j++) {
                const ovi_facet *f = &tree->facets[n->first + j];
                if (!facet_misses(f, k) && facet_crosses(f, k)) {
                    return true;
                }
            }
            if (n->count == 0) {
                stack[top++] = n->first;
                stack[top++] = at + 1;
            }
        }
    }
    return false;
}
/** Can a triangle cross the mesh? False is a proof, for corners that are known up to the error. */
OVI_DISPATCH(static, bool, may_cross, crosses_inline,
             (const ovi_touch_tree *tree, const subtrees *parts, const crossing *k),
             (tree, parts, k))

/** A box as nodes are compared with it, and a little wider. Sums that are no number miss nothing.
 */
static void round_box(const ov_aabb *box, ovi_vf4 *least, ovi_vf4 *most) {
    const ov_vec3 lo = box->min, hi = ov_vec3_neg(box->max);
    *least = (ovi_vf4){-INFINITY, rounded_down(lo.x), rounded_down(lo.y), rounded_down(lo.z)};
    *most = (ovi_vf4){-rounded_down(hi.x), -rounded_down(hi.y), -rounded_down(hi.z), INFINITY};
}

static crossing crossing_of(const ov_vec3 corners[3], double error) {
    // the corners of facets are sums, which are rounded too
    ov_aabb box = ovi_box_grow(ovi_corners_box(corners), 2.0 * error);
    crossing k = {.error = error,
                  .lo = {box.min.x, box.min.y, box.min.z, -INFINITY},
                  .hi = {box.max.x, box.max.y, box.max.z, INFINITY}};
    for (int i = 0; i < 3; i++) {
        k.c[i] = corners[i];
        k.edges[i] = ov_vec3_sub(corners[(i + 1) % 3], corners[i]);
    }
    round_box(&box, &k.node_least, &k.node_most);
    return k;
}

/** The parts of A's tree that meet a box: leaves, or more where these are many. */
static void find_subtrees(const ovi_touch_tree *tree, const ov_aabb *box, subtrees *parts) {
    uint32_t stack[OVI_BVH_DEPTH + 2];
    ovi_vf4 least, most;
    int top = 0;
    round_box(box, &least, &most);
    parts->count = 0;
    stack[top++] = 0;
    while (top > 0) {
        uint32_t at = stack[--top];
        const ovi_touch_node *n = &tree->nodes[at];
        if (node_misses(n, least, most)) {
            continue;
        }
        if (n->count > 0 || parts->count >= SUBTREES_MAX) {
            parts->nodes[parts->count++] = at;
            continue;
        }
        stack[top++] = n->first;
        stack[top++] = at + 1;
    }
}

/* ---- faces */

/** A face or a piece of it, and what the field says of its middle. A quarter of it has half of its
 *  radius, and its middle is half way to a corner, or the same. */
typedef struct piece {
    ov_vec3 c[3], middle;
    double radius; // of a ball about the middle
    seen s;        // the middle
    double lower;  // of the distance of all of it
} piece;

/** Looks up to four places of A's frame up. */
static void see_some(const run *r, const ov_vec3 *p, int count, seen *out) {
    looked l;
    if (r->bones == NULL) {
        const ovi_places4 places =
            four_of(p[0], p[count > 1], p[count > 2 ? 2 : 0], p[count > 3 ? 3 : 0]);
        look_up_places(r, &places, &l);
    }
    for (int i = 0; i < count; i++) {
        out[i] = r->bones != NULL ? see_bones(r, p[i]) : seen_of(r, &l, i);
    }
}

/** The middle of the quarter at a corner. */
static ov_vec3 piece_middle(const piece *f, int corner) {
    return ov_vec3_scale(ov_vec3_add(f->c[corner], f->middle), 0.5);
}

static void cut_in_four(const run *r, const piece *f, piece *four) {
    ov_vec3 m[3], p[3];
    seen s[3];
    for (int i = 0; i < 3; i++) {
        m[i] = ov_vec3_scale(ov_vec3_add(f->c[i], f->c[(i + 1) % 3]), 0.5);
        p[i] = piece_middle(f, i);
    }
    see_some(r, p, 3, s);
    four[0] = (piece){.c = {f->c[0], m[0], m[2]}, .middle = p[0], .s = s[0]};
    four[1] = (piece){.c = {m[0], f->c[1], m[1]}, .middle = p[1], .s = s[1]};
    four[2] = (piece){.c = {m[2], m[1], f->c[2]}, .middle = p[2], .s = s[2]};
    four[3] = (piece){.c = {m[0], m[1], m[2]}, .middle = f->middle, .s = f->s};
    for (int i = 0; i < 4; i++) {
        four[i].radius = 0.5 * f->radius;
        four[i].lower = ovi_larger(f->lower, four[i].s.bounds.lower - four[i].radius);
    }
}

/** A face that is searched. */
typedef struct face_search {
    uint32_t triangle;
    bool crosses; // it is known to, so that what is found first is good enough
    int cuts_max;
    double best;
    touch deepest;
    piece waiting[PIECES_MAX];
    int count;
} face_search;

/** Takes the piece that may reach deepest. */
static piece take_piece(face_search *f) {
    int best = 0;
    for (int i = 1; i < f->count; i++) {
        best = f->waiting[i].lower < f->waiting[best].lower ? i : best;
    }
    piece taken = f->waiting[best];
    f->waiting[best] = f->waiting[--f->count];
    return taken;
}

/** Can a piece, whose middle was looked at, be deeper elsewhere than what was found? */
static bool may_be_deeper(const run *r, const face_search *f, const piece *at) {
    double tolerance = face_tolerance * r->map->diagonal;
    return at->radius > tolerance && at->lower <= f->best - tolerance;
}

static void look_at_middle(run *r, face_search *f, piece *at) {
    const seen *s = &at->s;
    touch t = {.p = at->middle,
               .bounds = s->bounds,
               .triangle = f->triangle,
               .vertex = UINT32_MAX,
               .part = s->part};
    // the triangles are asked where the field's bound is what keeps a piece, and for contacts
    if (at->lower <= f->best && !f->crosses &&
        (s->bounds.lower <= f->best || s->bounds.value - s->bounds.lower > 0.5 * at->radius)) {
        sharpen(r, s, &t);
    }
    if (t.bounds.value <= f->best) {
        f->best = t.bounds.value;
        f->deepest = t;
    }
    at->lower = ovi_larger(at->lower, t.bounds.lower - at->radius);
}

/** Cuts a piece, and keeps what may be deeper than what was found. Where triangles are asked it is
 *  the turn of the piece that tells whether it is worth that. */
static void cut_piece(run *r, face_search *f, const piece *at) {
    piece four[4];
    cut_in_four(r, at, four);
    for (int i = 0; i < 4 && f->crosses; i++) {
        look_at_middle(r, f, &four[i]);
    }
    for (int i = 0; i < 4; i++) {
        if (f->crosses ? may_be_deeper(r, f, &four[i]) : four[i].lower <= f->best) {
            f->waiting[f->count++] = four[i];
        } else {
            note_lower(r, four[i].lower);
        }
    }
}

/** Branch and bound over a face none of whose corners is in contact: the deepest point found. */
static void search_face(run *r, const piece *face, uint32_t triangle, bool crosses) {
    face_search f;
    f.triangle = triangle;
    f.crosses = crosses;
    f.cuts_max = crosses ? CROSSING_CUTS_MAX : CUTS_MAX;
    f.best = crosses ? INFINITY : r->limit;
    f.deepest = (touch){.triangle = OV_NO_TRIANGLE};
    f.waiting[0] = *face;
    f.count = 1;
    for (int cuts = 0; f.count > 0;) {
        piece at = take_piece(&f);
        bool last = ++cuts > f.cuts_max || f.count + 4 > PIECES_MAX;
        if (!crosses || cuts == 1) {
            look_at_middle(r, &f, &at);
        }
        if (may_be_deeper(r, &f, &at) && !last) {
            cut_piece(r, &f, &at);
        } else {
            note_lower(r, at.lower);
            r->open = r->open || (last && !crosses && may_be_deeper(r, &f, &at));
        }
    }
    if (f.deepest.triangle == OV_NO_TRIANGLE) {
        return;
    }
    if (crosses) {
        seen s = see(r, f.deepest.p);
        sharpen(r, &s, &f.deepest);
        // it crosses so little that no point of it was found inside
        r->open = r->open || f.deepest.bounds.value > r->limit;
    }
    if (f.deepest.bounds.value <= r->limit) {
        f.deepest.zone = r->b->zones[r->b->triangles[triangle][0]];
        add_contacts(r, &f.deepest, 1);
    }
}

/** Is a vertex in contact? */
static bool vertex_touches(run *r, uint32_t vertex, ov_vec3 p) {
    uint32_t *known = &r->remembered[vertex % REMEMBERED];
    if (*known / 2 != vertex + 1) {
        seen s = see(r, p);
        touch t = {.p = p, .bounds = s.bounds};
        if (s.bounds.lower <= r->limit && s.bounds.upper > r->limit) {
            sharpen(r, &s, &t);
        }
        *known = 2 * vertex + 2 + (t.bounds.value <= r->limit);
    }
    return *known & 1;
}

/** Do the balls of its four pieces show that a face is beyond the limit? */
static bool is_clear(run *r, const piece *face) {
    double radius = 0.5 * face->radius, lower = face->s.bounds.lower - radius;
    if (lower <= r->limit) {
        return false; // not by the piece in the middle
    }
    ov_vec3 p[3];
    seen s[3];
    for (int i = 0; i < 3; i++) {
        p[i] = piece_middle(face, i);
    }
    see_some(r, p, 3, s);
    for (int i = 0; i < 3; i++) {
        lower = s[i].bounds.lower - radius < lower ? s[i].bounds.lower - radius : lower;
    }
    if (lower > r->limit) {
        note_lower(r, lower);
    }
    return lower > r->limit;
}

/** Judges a face whose own ball tells nothing. `crosses`: it may cross A; only where the limit is
 *  zero, and A rigid, it is known which faces do. */
static void judge_face(run *r, const piece *f, uint32_t triangle, bool rigid, bool crosses) {
    const uint32_t *corners = r->b->triangles[triangle];
    const ovi_touch_bounds *b = &f->s.bounds;
    if (rigid && !crosses) {
        // all of it is on one side: in contact by its corners, or not at all
        note_lower(r, b->upper < 0.0 ? f->lower : 0.0);
        if (b->lower <= 0.0 && b->upper >= 0.0 && vertex_touches(r, corners[0], f->c[0])) {
            note_lower(r, f->lower);
        }
        return;
    }
    for (int i = 0; i < 3; i++) {
        if (vertex_touches(r, corners[i], f->c[i])) {
            note_lower(r, f->lower);
            return;
        }
    }
    search_face(r, f, triangle, rigid);
}

OVI_INLINE void faces_inline(const run *r, uint32_t first, uint32_t count, looked *l) {
    const ovi_face_balls *balls = &r->b->face_balls;
    l->outside = 0;
    for (uint32_t i = 0; i < count; i += 4) {
        const ovi_places4 p = {ovi_load_lanes(balls->x + first + i),
                               ovi_load_lanes(balls->y + first + i),
                               ovi_load_lanes(balls->z + first + i)};
        look_up_moved(r, p, (int)i, l);
    }
}
OVI_DISPATCH(static, void, look_up_faces, faces_inline,
             (const run *r, uint32_t first, uint32_t count, looked *l), (r, first, count, l))

/** Sees the ball of a face; false if that, or a corner that is known to be in contact, is enough.
 *  `l`: what was looked up; not with bones. */
static bool face_is_left(run *r, uint32_t index, const looked *l, int lane, piece *f) {
    const ovi_face_balls *balls = &r->b->face_balls;
    const uint32_t *corners = r->b->triangles[r->b->faces.order[index]];
    f->radius = balls->radius[index];
    if (r->bones == NULL) {
        f->s = seen_of(r, l, lane);
        f->middle = f->s.p;
    } else {
        ov_vec3 centre = {balls->x[index], balls->y[index], balls->z[index]};
        f->middle = ov_affine_apply(&r->to_a, centre);
        f->s = see_bones(r, f->middle);
    }
    f->lower = f->s.bounds.lower - f->radius;
    bool clear = f->lower > r->limit;
    for (int i = 0; i < 3 && !clear; i++) {
        // how much deeper it is between its corners is not searched for
        clear = r->remembered[corners[i] % REMEMBERED] == 2 * corners[i] + 3;
    }
    if (clear) {
        note_lower(r, f->lower);
        return false;
    }
    for (int i = 0; i < 3; i++) {
        f->c[i] = ov_affine_apply(&r->to_a, r->b->vertices[corners[i]]);
    }
    return !is_clear(r, f);
}

/** Some faces that are side by side, no more than a leaf of their tree has. */
static void look_at_faces(run *r, uint32_t first, uint32_t count) {
    piece faces[OVI_LEAF];
    uint32_t triangles[OVI_LEAF];
    looked l;
    int left = 0;
    if (r->bones == NULL) {
        look_up_faces(r, first, count, &l);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (face_is_left(r, first + i, &l, (int)i, &faces[left])) {
            triangles[left++] = r->b->faces.order[first + i];
        }
    }
    bool rigid = r->bones == NULL && r->limit == 0.0;
    subtrees parts;
    if (rigid && left > 0) {
        ov_aabb box = ovi_corners_box(faces[0].c);
        for (int i = 1; i < left; i++) {
            ov_aabb more = ovi_corners_box(faces[i].c);
            box = ovi_box_union(&box, &more);
        }
        box = ovi_box_grow(box, 2.0 * r->cross_error);
        find_subtrees(&r->map->tree, &box, &parts);
    }
    for (int i = 0; i < left; i++) {
        bool crosses = false;
        if (rigid) {
            crossing k = crossing_of(faces[i].c, r->cross_error);
            crosses = may_cross(&r->map->tree, &parts, &k);
        }
        judge_face(r, &faces[i], triangles[i], rigid, crosses);
    }
}

/* ---- the search

   What a ball tells decides on the way that a search goes on, and the processor guesses it wrong
   now and then. So the balls of many nodes are looked up before the first one is judged. */

enum { EXPANDED = 16, TAKEN = 48, WAITING_MAX = 1024 };

/** A ball or a wide node that a search has not looked at yet; `below` as in wide nodes. */
typedef struct waiting {
    uint32_t below, ball;
} waiting;

OVI_INLINE unsigned balls_inline(const run *r, const ovi_wide_node *w, double *lower) {
    unsigned outside = 0;
    for (int i = 0; i < w->count; i += 4) {
        ovi_v4 value, bound;
        const ovi_places4 p = {ovi_load_lanes(w->x + i), ovi_load_lanes(w->y + i),
                               ovi_load_lanes(w->z + i)};
        outside |= ovi_look_up_four(&r->map->field, ovi_places4_moved(&r->to_a, p), &value, &bound)
                   << i;
        value = value - (bound + r->error) - ovi_load_lanes(w->radius + i);
        memcpy(lower + i, &value, sizeof value);
    }
    return outside;
}

OVI_INLINE void nodes_inline(const run *r, const ovi_wide_node *const *wide, int count,
                             double (*lower)[OVI_AT_ONCE], unsigned *outside) {
    for (int n = 0; n < count; n++) {
        outside[n] = balls_inline(r, wide[n], lower[n]);
    }
}
OVI_DISPATCH(static, void, look_up_balls, nodes_inline,
             (const run *r, const ovi_wide_node *const *wide, int count,
              double (*lower)[OVI_AT_ONCE], unsigned *outside),
             (r, wide, count, lower, outside))

/** A lower bound of the distances of a ball that the field does not tell of. */
static double ball_lower(run *r, const ovi_wide_node *w, int i, double most) {
    ov_vec3 p = ov_affine_apply(&r->to_a, ov_vec3_make(w->x[i], w->y[i], w->z[i]));
    if (r->bones != NULL) {
        return see_bones(r, p).bounds.lower - w->radius[i];
    }
    return lower_beside(r, p, w->radius[i], most);
}

/** Lower bounds of the distances of the balls of some wide nodes; what is above `most` is passed
 *  over. */
static void wide_lower(run *r, const ovi_wide_node *const *wide, int count, double most,
                       double (*lower)[OVI_AT_ONCE]) {
    unsigned outside[EXPANDED];
    if (r->bones == NULL) {
        look_up_balls(r, wide, count, lower, outside);
    }
    for (int n = 0; n < count; n++) {
        for (int i = 0; i < wide[n]->count && (r->bones != NULL || outside[n] != 0); i++) {
            if (r->bones != NULL || (outside[n] >> i & 1)) {
                lower[n][i] = ball_lower(r, wide[n], i, most);
            }
        }
    }
}

/** Bounds of the leaves in a ball that is passed over. */
static void keep_lower(run *r, const ovi_ball_node *node, double lower) {
    float bound = rounded_down(lower + r->moved);
    for (uint32_t k = node->leaf; k < node->leaf_end; k++) {
        r->leaf_bounds[k] = bound;
    }
}

/** Puts the balls of a wide node that may be in contact on the stack, the first one on top. */
static int push_balls(run *r, const ovi_ball_tree *tree, const ovi_wide_node *w,
                      const double *lower, double most, waiting *stack) {
    double least = INFINITY;
    bool keeps = r->leaf_bounds != NULL && tree == &r->b->points;
    int top = 0;
    for (int i = w->count - 1; i >= 0; i--) {
        bool near = lower[i] <= most;
        stack[top] = (waiting){w->below[i], w->balls[i]};
        top += near;
        least = near || lower[i] >= least ? least : lower[i];
        if (keeps && !near) {
            keep_lower(r, &tree->nodes[w->balls[i]], lower[i]);
        }
    }
    note_lower(r, least);
    return top;
}

/** Puts what is near in the wide nodes on top of the stack in their places; returns the top. */
static int expand(run *r, const ovi_ball_tree *tree, waiting *stack, int top) {
    waiting taken[TAKEN];
    const ovi_wide_node *wide[EXPANDED];
    double lower[EXPANDED][OVI_AT_ONCE];
    // one at a time needs no more room than the depth of the tree
    int count = 0, found = 0, most = top + EXPANDED * OVI_AT_ONCE <= WAITING_MAX ? EXPANDED : 1;
    while (top > 0 && count < TAKEN && found < most) {
        waiting at = stack[--top];
        taken[count++] = at;
        if (at.below != 0) {
            wide[found++] = &tree->wide[at.below - 1];
        }
    }
    // faces are proven to be in contact or not
    double clear = tree == &r->b->points ? r->clear : r->limit;
    wide_lower(r, wide, found, clear, lower);
    while (count > 0) {
        waiting at = taken[--count];
        if (at.below == 0) {
            stack[top++] = at;
        } else {
            found--;
            top += push_balls(r, tree, wide[found], lower[found], clear, &stack[top]);
        }
    }
    return top;
}

static void search(run *r, const ovi_ball_tree *tree,
                   void (*look)(run *r, uint32_t first, uint32_t count)) {
    waiting stack[WAITING_MAX + OVI_AT_ONCE * (OVI_BVH_DEPTH + 1)];
    int top = 0;
    stack[top++] = (waiting){.below = 1};
    while (top > 0) {
        if (stack[top - 1].below != 0) {
            top = expand(r, tree, stack, top);
        } else {
            const ovi_ball_node *leaf = &tree->nodes[stack[--top].ball];
            look(r, leaf->first, leaf->count);
        }
    }
    look_at_gathered(r);
}

/* ---- warm queries

   A lower bound of a distance stays one, less what B has moved since. So bounds are kept with all
   moves before them added; then they stay as they are while B moves, and one number, the edge,
   grows instead. What is above it needs no look. A leaf of the tree has the least bound of its
   vertices, or that of its ball. */

enum { DUE_MAX = 256 };
/** The sum of moves, by the sizes of map and object, at which bounds begin anew, so that they are
 * not rounded too much. */
static const double moved_most = 64.0;

/** How far a point of B has come at most, from one placement to another. */
static double way_between(const run *r, const ov_affine *from, const ov_affine *to) {
    ov_ball ball = ov_touch_object_ball(r->b);
    ov_vec3 x = ov_vec3_sub(to->linear.cx, from->linear.cx),
            y = ov_vec3_sub(to->linear.cy, from->linear.cy),
            z = ov_vec3_sub(to->linear.cz, from->linear.cz);
    // of two rotations the difference has two equal singular values and one that is zero
    double square = ov_vec3_dot(x, x) + ov_vec3_dot(y, y) + ov_vec3_dot(z, z);
    double centre =
        ovi_distance_of(ov_affine_apply(from, ball.centre), ov_affine_apply(to, ball.centre));
    return (centre + ball.radius * sqrt(0.5 * square)) * (1.0 + 1e-12) + 4.0 * r->error;
}

/** Takes the bounds of the queries before, or begins anew. */
static ov_status take_warm(run *r) {
    ov_touch_warm *w = r->q->warm;
    size_t room = ov_touch_object_warm_room(r->b);
    if (w->room == NULL || w->room_count < room) {
        return w->room == NULL ? OV_ERROR_NULL : OV_ERROR_COUNT;
    }
    if (r->bones != NULL || !(r->limit < r->map->margin)) {
        w->object = 0; // what is above the clear limit may be in contact
        return OV_OK;
    }
    double size = r->map->diagonal + ov_touch_object_ball(r->b).radius;
    bool good = w->map == r->map->sum && w->object == r->b->sum && w->object != 0;
    double moved = good ? w->moved + way_between(r, &w->placement, &r->to_a) : 0.0;
    if (!good || !(moved <= moved_most * size)) {
        moved = 0.0;
        w->edge = -INFINITY;
        for (size_t i = 0; i < room; i++) {
            bool padding = i >= r->b->points.leaf_count && i < ovi_padded_leaves(r->b);
            w->room[i] = padding ? INFINITY : -INFINITY;
        }
    }
    w->map = r->map->sum;
    w->object = r->b->sum;
    w->placement = r->to_a;
    w->moved = moved;
    r->leaf_bounds = w->room;
    r->vertex_bounds = w->room + ovi_padded_leaves(r->b);
    r->moved = moved;
    r->edge = -rounded_down(-(r->clear + moved));
    return OV_OK;
}

OVI_INLINE ovi_vf4 least_four(ovi_vf4 a, ovi_vf4 b) { return ovi_vf4_select(a < b, a, b); }

/** The leaves up to the edge, in order; more than DUE_MAX where there are too many. `least`: of the
 *  others. */
static uint32_t find_due(const run *r, uint32_t *due, float *least) {
    const float *bounds = r->leaf_bounds;
    uint32_t count = 0;
    ovi_vf4 clear = ovi_vf4_of(INFINITY);
    for (uint32_t first = 0; first < ovi_padded_leaves(r->b); first += OVI_LEAVES) {
        ovi_vf4 four[OVI_LEAVES / 4], low;
        memcpy(four, bounds + first, sizeof four);
        low = least_four(least_four(four[0], four[1]), least_four(four[2], four[3]));
        ovi_if4 near = low <= r->edge;
        if (!(near[0] | near[1] | near[2] | near[3])) {
            clear = least_four(low, clear);
            continue;
        }
        for (uint32_t i = first; i < first + OVI_LEAVES; i++) {
            if (bounds[i] > r->edge) {
                clear[0] = bounds[i] < clear[0] ? bounds[i] : clear[0];
            } else if (count == DUE_MAX) {
                return DUE_MAX + 1;
            } else {
                due[count++] = i;
            }
        }
    }
    *least = fminf(fminf(clear[0], clear[1]), fminf(clear[2], clear[3]));
    return count;
}

/** Looks at the balls of some leaves. */
static void look_at_balls(run *r, const uint32_t *leaves, uint32_t count) {
    const ovi_ball_tree *tree = &r->b->points;
    ovi_wide_node nodes[EXPANDED];
    const ovi_wide_node *wide[EXPANDED];
    double lower[EXPANDED][OVI_AT_ONCE];
    int found = 0;
    for (uint32_t i = 0; i < count; i += OVI_AT_ONCE) {
        ovi_wide_node *w = &nodes[found];
        wide[found++] = w;
        w->count = count - i < OVI_AT_ONCE ? (int)(count - i) : OVI_AT_ONCE;
        for (int k = 0; k < OVI_AT_ONCE; k++) {
            const ovi_ball_node *node =
                &tree->nodes[tree->leaves[leaves[k < w->count ? i + (uint32_t)k : i]]];
            w->x[k] = node->centre.x;
            w->y[k] = node->centre.y;
            w->z[k] = node->centre.z;
            w->radius[k] = node->radius;
        }
    }
    wide_lower(r, wide, found, r->clear, lower);
    for (uint32_t i = 0; i < count; i++) {
        double here = lower[i / OVI_AT_ONCE][i % OVI_AT_ONCE];
        r->leaf_bounds[leaves[i]] = rounded_down(here + r->moved);
    }
}

/** The least bound of a leaf's vertices. */
static void settle_leaf(run *r, uint32_t leaf) {
    const ovi_ball_node *node = &r->b->points.nodes[r->b->points.leaves[leaf]];
    float least = INFINITY;
    for (uint32_t i = node->first; i < node->first + node->count; i++) {
        least = r->vertex_bounds[i] < least ? r->vertex_bounds[i] : least;
    }
    r->leaf_bounds[leaf] = least;
}

/** Looks at leaves that are due; false where they are so many that the tree is the better way. */
static bool search_due(run *r) {
    const ovi_ball_tree *tree = &r->b->points;
    uint32_t due[DUE_MAX], group[EXPANDED * OVI_AT_ONCE];
    float least;
    uint32_t count = find_due(r, due, &least);
    if (count > DUE_MAX || count > tree->leaf_count / 4 + OVI_AT_ONCE) {
        return false;
    }
    uint32_t grouped = 0;
    for (uint32_t i = 0; i < count; i++) {
        // where vertices were near already, the ball tells nothing
        group[grouped] = due[i];
        grouped += r->leaf_bounds[due[i]] > r->q->warm->edge;
        if (grouped == EXPANDED * OVI_AT_ONCE || (grouped > 0 && i + 1 == count)) {
            look_at_balls(r, group, grouped);
            grouped = 0;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!(r->leaf_bounds[due[i]] > r->edge)) {
            const ovi_ball_node *node = &tree->nodes[tree->leaves[due[i]]];
            look_at_vertices(r, node->first, node->count);
        }
    }
    look_at_gathered(r);
    for (uint32_t i = 0; i < count; i++) {
        if (!(r->leaf_bounds[due[i]] > r->edge)) {
            settle_leaf(r, due[i]);
        }
        float bound = r->leaf_bounds[due[i]];
        least = bound < least ? bound : least;
    }
    note_lower(r, (double)least - r->moved - r->error);
    return true;
}

/** Vertices, by what was known before. */
static void search_warm(run *r) {
    if (!search_due(r)) {
        for (uint32_t i = 0; i < r->b->points.leaf_count; i++) {
            r->leaf_bounds[i] = -INFINITY;
        }
        search(r, &r->b->points, look_at_vertices);
        for (uint32_t i = 0; i < r->b->points.leaf_count; i++) {
            if (r->leaf_bounds[i] == -INFINITY) {
                settle_leaf(r, i);
            }
        }
    }
    r->q->warm->edge = r->edge;
}

/** Checks a query and sees it from A's frame; `unit` has room for the bones. */
static ov_status place(ov_touch_query *q, ov_pose *unit, run *r) {
    if (q->map == NULL || q->object == NULL) {
        return OV_ERROR_NULL;
    }
    if (q->level < OV_TOUCH_LEVEL_DEFAULT || q->level > OV_TOUCH_LEVEL_EXACT ||
        !(q->limit >= 0.0) || isinf(q->limit)) {
        return OV_ERROR_OPTION;
    }
    ov_pose a = ov_pose_default(q->map_pose), b = ov_pose_default(q->object_pose);
    ov_status status = ovi_pose_normalize(&a);
    status = status == OV_OK ? ovi_pose_normalize(&b) : status;
    for (size_t i = 0; i < q->map->box_count && q->bones != NULL && status == OV_OK; i++) {
        unit[i] = ov_pose_default(q->bones[i]);
        status = ovi_pose_normalize(&unit[i]);
    }
    if (status != OV_OK) {
        return status;
    }
    ov_pose back = {ov_vec3_make(0.0, 0.0, 0.0), ov_quat_conjugate(a.rotation)};
    back.position = ov_vec3_neg(ov_quat_rotate(back.rotation, a.position));
    ov_ball ball = ov_touch_object_ball(q->object);
    double lengths = ov_vec3_length(a.position) + ov_vec3_length(b.position) +
                     ov_vec3_length(ball.centre) + ball.radius;
    if (!(lengths <= OV_TOUCH_SIZE_MAX)) {
        return OV_ERROR_SIZE_RANGE;
    }
    *r = (run){.q = q,
               .bones = q->bones != NULL && q->map->box_count > 0 ? unit : NULL,
               .map = q->map,
               .b = q->object,
               .to_a = ov_affine_from_pose(ovi_pose_mul(back, b)),
               .from_a = ov_affine_from_pose(a),
               .error = ovi_touch_rounding(lengths),
               .cross_error = ovi_touch_rounding(lengths + q->map->reach + q->map->diagonal),
               .limit = q->limit,
               .clear = q->limit,
               .level = q->level == OV_TOUCH_LEVEL_DEFAULT ? OV_TOUCH_LEVEL_DECIDED : q->level,
               .lower = INFINITY,
               .upper = INFINITY,
               .value = INFINITY};
    if (r->bones == NULL && r->limit < r->map->margin) {
        r->clear += ovi_touch_excess(r->map, r->limit);
    }
    return q->warm != NULL ? take_warm(r) : OV_OK;
}

ov_status ov_touch_object_contacts(ov_touch_query *query) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_touch_object_contacts(query));
    if (query == NULL) {
        return OV_ERROR_NULL;
    }
    query->contact_count = 0;
    query->distance = query->distance_lower = query->distance_upper = NAN;
    run r;
    ov_pose unit[OV_TOUCH_PARTS_MAX];
    query->status = place(query, unit, &r);
    if (query->status != OV_OK) {
        return query->status;
    }
    if (query->zones != NULL) {
        memset(query->zones, 0, r.b->zone_count * sizeof *query->zones);
    }
    uint32_t remembered[REMEMBERED];
    if (r.level == OV_TOUCH_LEVEL_EXACT && r.b->triangle_count > 0) {
        memset(remembered, 0, sizeof remembered);
        r.remembered = remembered;
    }
    if (r.leaf_bounds != NULL) {
        search_warm(&r);
    } else {
        search(&r, &r.b->points, look_at_vertices);
    }
    if (r.remembered != NULL) {
        search(&r, &r.b->faces, look_at_faces);
    }
    look_beside(&r);
    if (query->zones != NULL) {
        finish_zones(query->zones, r.b->zone_count);
    }
    query->distance = r.value;
    query->distance_lower = r.lower;
    query->distance_upper = r.upper;
    query->status = r.open ? OV_NOT_CONVERGED : OV_OK;
    return query->status;
}

static void run_range(void *context, unsigned index, size_t begin, size_t end) {
    ov_touch_query *queries = context;
    (void)index;
    for (size_t i = begin; i < end; i++) {
        (void)ov_touch_object_contacts(&queries[i]);
    }
}

ov_status ov_touch_object_contacts_batch(ov_touch_query *queries, size_t count,
                                         const ov_threads *threads) {
    if (queries == NULL && count > 0) {
        return OV_ERROR_NULL;
    }
    if (!ovi_threads_are_good(threads)) {
        return OV_ERROR_OPTION;
    }
    if (count == 0) {
        return OV_OK;
    }
    ovi_ranges_run(run_range, queries, count, 4, threads);
    ov_status first = OV_OK;
    for (size_t i = 0; i < count; i++) {
        ov_status status = queries[i].status;
        first = (status < OV_OK && first >= OV_OK) || first == OV_OK ? status : first;
    }
    return first;
}
