/**
 * @file trimesh_solid.c
 * @brief The contact of a mesh with a shape or with another mesh: of their surfaces, and of what is
 * inside closed shells, with how deep it is.
 *
 * All contacts of meshes begin here, in ovi_trimesh_contact; those of meshes without a closed shell
 * end with the first step, which asks the surfaces alone (trimesh_contact.c). Then:
 *
 * 1. A body that is proven to be apart from the surface of a solid is connected, so all of it is on
 *    one side, and one of its points tells on which (trimesh_ray.c). A mesh has such a point for
 *    each of its pieces. Where the point is outside, the gap is that of the surfaces; where it is
 *    inside, the body overlaps the solid, by no less than its distance from the surface, which any
 *    of its points has to go at least; where the point cannot be told, nor can the relation.
 * 2. A body that is not proven to be apart from the surface may be on its way in. A point of it
 *    that is inside proves the overlap; so does a triangle that it overlaps.
 *
 * In all cases but the one of a body that is outside, a lower bound of the gap takes a translation
 * that is proven to separate the two, for the gap is no less than minus its length:
 *
 * 3. Out of the convex hull. Along a unit n it takes h_A(n) + h_B(-n) - n.d, with the support
 *    functions h and the offset d of B, which holds for every n. The axes, and the normals at hand,
 *    are tried. From there it may go back along n by its distance from the surface, again and
 * again.
 * 4. Past the nearest wall. B is moved until it is behind the plane through the witness point of
 *    A across a normal, and then asked again: surfaces that are apart, and a point that is
 *    outside, prove the translation. As they are then apart by some length, that much of it was too
 *    long. This is the one that is short, wherever walls are not convex.
 *
 * Half-spaces have no inside to be looked for: the deepest corner is that of the hull, as the
 * triangles say it is.
 */
#include "../math/rounding_mode.h"
#include "trimesh_internal.h"

/** Translations that are tried past a wall, at most, and how often one is made longer; steps back
 *  from the hull. */
enum { TRIES = 8, LONGER = 3, BACK = 4 };
/** Directions: the axes of either, the normal and two faces' normals, each of them both ways. */
enum { DIRECTIONS = 18 };

/* ---- where things are */

/** A point of a bounded shape, well inside where it has an inside: the mean of its extremes. */
static ov_status inner_point(const ov_shape *shape, ov_vec3 *point) {
    *point = ov_vec3_make(0.0, 0.0, 0.0);
    if (ovi_is_family(shape->kind)) {
        return OV_OK;
    }
    for (int i = 0; i < 6; i++) {
        double way = i < 3 ? 1.0 : -1.0;
        ov_support s;
        ov_vec3 n = {i % 3 == 0 ? way : 0.0, i % 3 == 1 ? way : 0.0, i % 3 == 2 ? way : 0.0};
        ov_status status = ovi_support_point(shape, n, &s);
        if (status != OV_OK) {
            return status;
        }
        *point = ov_vec3_add_scaled(*point, s.point, 1.0 / 6.0);
    }
    return OV_OK;
}

/** Is a ball, in the mesh's frame, beside the box of a mesh? Nothing in it is inside, then. */
static bool is_beside(const ov_trimesh *mesh, ov_vec3 centre, double radius) {
    const ov_aabb *box = &mesh->nodes[0].box;
    ov_vec3 middle = ovi_box_centre(box), half = ovi_box_half(box);
    ov_vec3 d = ov_vec3_sub(centre, middle);
    return fabs(d.x) > half.x + radius || fabs(d.y) > half.y + radius ||
           fabs(d.z) > half.z + radius;
}

ov_status ovi_trimesh_shape_side(const ov_trimesh *mesh, const ovi_pair *pair, ovi_side *side) {
    ov_vec3 p;
    *side = OVI_OUTSIDE;
    if (mesh->walls == NULL || pair->b->kind == OV_SHAPE_KIND_HALFSPACE) {
        return OV_OK;
    }
    const ov_ball *ball = &pair->b->ball;
    if (is_beside(mesh, ovi_from_b(pair, ball->centre), ball->radius + pair->rounding)) {
        return OV_OK;
    }
    ov_status status = inner_point(pair->b, &p);
    if (status == OV_OK) {
        *side = ovi_trimesh_side(mesh, ovi_from_b(pair, p), pair->rounding);
    }
    return status;
}

/** A point of B's frame in A's, or the other way round. */
static ov_vec3 in_frame(const ovi_pair *pair, ov_vec3 p, bool from_b) {
    return from_b ? ovi_from_b(pair, p) : ovi_to_b(pair, ov_vec3_sub(p, pair->offset));
}

/**
 * Is a piece of another mesh inside a solid? `from_b`: it is the one that the pair calls B. The
 * surfaces are `apart` by so much, if that is above zero: then vertices that are nearer to each
 * other are on the same side, and those of meshes in many pieces need not all be looked at.
 */
static ovi_side mesh_side(const ov_trimesh *solid, const ov_trimesh *other, const ovi_pair *pair,
                          bool from_b, double apart) {
    ovi_side side = OVI_OUTSIDE;
    ov_vec3 centre = in_frame(pair, other->ball.centre, from_b), last = {INFINITY, 0.0, 0.0};
    if (solid->walls == NULL || is_beside(solid, centre, other->ball.radius + pair->rounding)) {
        return side;
    }
    for (size_t i = 0; i < other->anchor_count; i++) {
        ov_vec3 p = in_frame(pair, other->vertices[other->anchors[i]], from_b);
        if (ov_vec3_length(ov_vec3_sub(p, last)) + 2.0 * pair->rounding < apart) {
            continue;
        }
        ovi_side at = ovi_trimesh_side(solid, p, pair->rounding);
        if (at == OVI_INSIDE) {
            return at;
        }
        side = at == OVI_UNSURE ? at : side;
        last = p;
    }
    return side;
}

/** Is a point inside both? Where surfaces touch, no vertex tells, but the middle of one may. */
static bool has_common_point(const ov_trimesh *a, const ov_trimesh *b, const ovi_pair *pair) {
    ov_vec3 points[3] = {a->ball.centre, in_frame(pair, b->ball.centre, true)};
    points[2] = ov_vec3_scale(ov_vec3_add(points[0], points[1]), 0.5);
    for (int i = 0; i < 3; i++) {
        if (ovi_trimesh_side(a, points[i], pair->rounding) == OVI_INSIDE &&
            ovi_trimesh_side(b, in_frame(pair, points[i], false), pair->rounding) == OVI_INSIDE) {
            return true;
        }
    }
    return false;
}

static ov_status side_of(const ovi_trimesh_query *q, const ovi_pair *pair, double apart,
                         ovi_side *side) {
    if (q->b == NULL) {
        return ovi_trimesh_shape_side(q->a, pair, side);
    }
    *side = mesh_side(q->a, q->b, pair, true, apart);
    if (*side != OVI_INSIDE) {
        ovi_side other = mesh_side(q->b, q->a, pair, false, apart);
        *side = other != OVI_OUTSIDE ? other : *side;
    }
    if (*side != OVI_INSIDE && !(apart > 0.0) && has_common_point(q->a, q->b, pair)) {
        *side = OVI_INSIDE;
    }
    return OV_OK;
}

static ov_status surface_contact(const ovi_trimesh_query *q, double limit,
                                 ov_trimesh_contact *contact, ovi_trimesh_placed *placed) {
    return q->b != NULL ? ovi_trimesh_pair_surface(q, limit, contact, placed)
                        : ovi_trimesh_shape_surface(q, limit, contact, placed);
}

/* ---- out of the hull */

/** A translation that is proven to separate A and B. */
typedef struct translation {
    double length; // with all that rounding can do; infinite: none
    ov_vec3 n;     // unit, of B
    ov_vec3 point_a, point_b;
    uint32_t triangle_a, triangle_b;
} translation;

/** The farthest corner of a mesh along n, and a triangle that has it. */
static ov_vec3 mesh_support(const ov_trimesh *mesh, ov_vec3 n, uint32_t *triangle) {
    uint32_t stack[OVI_BVH_DEPTH + 2];
    double best = -INFINITY;
    ov_vec3 point = mesh->vertices[mesh->triangles[0][0]];
    int top = 0;
    stack[top++] = 0;
    *triangle = 0;
    while (top > 0) {
        uint32_t at = stack[--top];
        const ovi_trimesh_node *node = &mesh->nodes[at];
        ov_vec3 centre = ovi_box_centre(&node->box);
        if (!(ov_vec3_dot(n, centre) + ovi_node_reach(node, ovi_box_half(&node->box), n) > best)) {
            continue;
        }
        for (uint32_t i = 0; i < node->count; i++) {
            ov_vec3 c[3];
            ovi_trimesh_corners(mesh, mesh->order[node->first + i], c);
            for (int k = 0; k < 3; k++) {
                if (ov_vec3_dot(n, c[k]) > best) {
                    best = ov_vec3_dot(n, c[k]);
                    point = c[k];
                    *triangle = mesh->order[node->first + i];
                }
            }
        }
        if (node->count == 0) {
            stack[top++] = node->first;
            stack[top++] = at + 1;
        }
    }
    return point;
}

/** Where B is lowest along n, in A's frame. */
static ov_status lowest(const ovi_trimesh_query *q, const ovi_pair *pair, ov_vec3 n, ov_vec3 *point,
                        double *height, uint32_t *triangle) {
    ov_vec3 down = ov_vec3_neg(ovi_to_b(pair, n));
    *triangle = OV_NO_TRIANGLE;
    if (q->b != NULL) {
        *point = ovi_from_b(pair, mesh_support(q->b, down, triangle));
        *height = ov_vec3_dot(n, *point);
        return OV_OK;
    }
    ov_support s;
    ov_status status = ovi_support_point(q->shape, down, &s);
    if (status == OV_OK) {
        *point = ovi_from_b(pair, s.point);
        *height = ov_vec3_dot(n, pair->offset) - s.value;
    }
    return status;
}

static ov_status out_of_hull(const ovi_trimesh_query *q, const ovi_pair *pair, ov_vec3 n,
                             translation *best) {
    translation out = {.n = n};
    double low;
    ov_status status = lowest(q, pair, n, &out.point_b, &low, &out.triangle_b);
    if (status != OV_OK) {
        return status;
    }
    out.point_a = mesh_support(q->a, n, &out.triangle_a);
    double length = ov_vec3_dot(n, out.point_a) - low;
    out.length = length + pair->rounding + 8.0 * DBL_EPSILON * fabs(length);
    if (out.length < best->length) {
        *best = out;
    }
    return OV_OK;
}

/* ---- directions */

static int add_both(ov_vec3 *list, int count, ov_vec3 n) {
    n = ov_vec3_normalize(n);
    if (ovi_is_direction(n)) {
        list[count++] = n;
        list[count++] = ov_vec3_neg(n);
    }
    return count;
}

static int add_axes(ov_vec3 *list, int count, const ov_mat3 *m) {
    count = add_both(list, count, m->cx);
    count = add_both(list, count, m->cy);
    return add_both(list, count, m->cz);
}

static ov_vec3 face_normal(const ov_trimesh *mesh, uint32_t triangle) {
    ov_vec3 c[3];
    if (mesh == NULL || triangle == OV_NO_TRIANGLE) {
        return ov_vec3_make(0.0, 0.0, 0.0);
    }
    ovi_trimesh_corners(mesh, triangle, c);
    return ov_vec3_cross(ov_vec3_sub(c[1], c[0]), ov_vec3_sub(c[2], c[0]));
}

/** Normals at a contact of the surfaces, in A's frame. */
static int normals_of(const ovi_trimesh_query *q, const ovi_trimesh_placed *placed,
                      const ov_trimesh_contact *at, ov_vec3 *list) {
    int count = add_both(list, 0, ov_mat3_tmul_vec3(&placed->frame.turn, at->contact.normal));
    count = add_both(list, count, face_normal(q->a, at->triangle_a));
    return add_both(list, count, ovi_turn_from_b(&placed->pair, face_normal(q->b, at->triangle_b)));
}

/* ---- past a wall */

typedef struct step {
    ov_vec3 n; // in A's frame
    double length;
} step;

/**
 * Lengths along n after which B is behind a plane through A's witness point, or A before one
 * through B's.
 */
static ov_status steps_along(const ovi_trimesh_query *q, const ovi_trimesh_placed *placed,
                             const ov_trimesh_contact *at, ov_vec3 n, step out[2]) {
    const ovi_pair *pair = &placed->pair;
    const ov_contact *c = &at->contact;
    ov_vec3 point, world_n = ov_mat3_mul_vec3(&placed->frame.turn, n);
    double low;
    uint32_t triangle;
    ov_status status = lowest(q, pair, n, &point, &low, &triangle);
    if (status != OV_OK) {
        return status;
    }
    double a = ov_vec3_dot(world_n, ov_vec3_sub(c->point_a, placed->frame.position));
    double b = ov_vec3_dot(world_n, ov_vec3_sub(c->point_b, placed->frame.position));
    double more = 0.25 * pair->goal;
    out[0] = (step){n, a - low + more};
    out[1] = (step){n, ov_vec3_dot(n, mesh_support(q->a, n, &triangle)) - b + more};
    return OV_OK;
}

/** Moves B and asks again; is it proven to be outside, and how far is it then? */
static bool is_separated(const ovi_trimesh_query *q, const step *s, const ov_mat3 *rotation,
                         ov_trimesh_contact *found, ov_vec3 *moved) {
    ov_pair_options options = ovi_pair_options_of(q->options);
    ovi_trimesh_query then = *q;
    ovi_trimesh_placed placed;
    ovi_side side;
    options.tolerance = fmax(0.125 * options.tolerance, OV_TOLERANCE_MIN);
    then.options = &options;
    then.pose_b.position =
        ov_vec3_add(q->pose_b.position, ov_mat3_mul_vec3(rotation, ov_vec3_scale(s->n, s->length)));
    *moved = ov_vec3_sub(then.pose_b.position, q->pose_b.position);
    return surface_contact(&then, s->length, found, &placed) >= 0 &&
           found->contact.gap_lower > 0.0 &&
           side_of(&then, &placed.pair, found->contact.gap_lower, &side) == OV_OK &&
           side == OVI_OUTSIDE;
}

/** Takes a translation that was proven, less what it was too long by; is it shorter than the best?
 */
static bool take_step(const ovi_trimesh_placed *placed, const ov_trimesh_contact *found,
                      ov_vec3 moved, translation *best) {
    double length = ov_vec3_length(moved), lower = found->contact.gap_lower;
    double back = lower < length ? lower : 0.0;
    double less = length * (1.0 + 8.0 * DBL_EPSILON) - back * (1.0 - 8.0 * DBL_EPSILON);
    if (!(length > 0.0) || !(less < best->length)) {
        return false;
    }
    // in A's frame, as all others; B's point is brought back to where it was
    const ovi_frame *f = &placed->frame;
    ov_vec3 b = ov_vec3_sub(ov_vec3_sub(found->contact.point_b, moved), f->position);
    *best = (translation){.length = less,
                          .n = ov_vec3_normalize(ov_mat3_tmul_vec3(&f->turn, moved)),
                          .triangle_a = found->triangle_a,
                          .triangle_b = found->triangle_b};
    best->point_b = ov_mat3_tmul_vec3(&f->turn, b);
    best->point_a = ov_mat3_tmul_vec3(&f->turn, ov_vec3_sub(found->contact.point_a, f->position));
    return true;
}

/**
 * Tries a step, and longer ones where it leaves a contact: by what that is deep, and then by the
 * size of B, as it takes at an edge or in a corner. What is too much is taken off at the end.
 */
static void try_step(const ovi_trimesh_query *q, const ovi_trimesh_placed *placed, step s,
                     int *tries, translation *best) {
    ov_trimesh_contact found;
    ov_vec3 moved;
    double goal = placed->pair.goal;
    double radius = q->b != NULL ? q->b->ball.radius : q->shape->ball.radius;
    for (int i = 0;; i++) {
        if (!(s.length > 0.0) || !(s.length < best->length) || (*tries)++ >= TRIES) {
            return;
        }
        if (is_separated(q, &s, &placed->frame.turn, &found, &moved)) {
            break;
        }
        // wholly inside it is past no wall, and there is nothing to go by
        if (i >= LONGER || !(found.contact.gap_upper <= goal)) {
            return;
        }
        s.length += i > 0 ? i * radius : 2.0 * fmax(-found.contact.gap, 0.0) + 0.5 * goal;
    }
    (void)take_step(placed, &found, moved, best);
}

/** Tries the shortest steps along the normals of the contact. */
static ov_status past_a_wall(const ovi_trimesh_query *q, const ovi_trimesh_placed *placed,
                             const ov_trimesh_contact *at, translation *best) {
    ov_vec3 normals[DIRECTIONS];
    step steps[2 * DIRECTIONS];
    int count = 0, tries = 0, directions = normals_of(q, placed, at, normals);
    for (int i = 0; i < directions; i++) {
        ov_status status = steps_along(q, placed, at, normals[i], steps + count);
        if (status != OV_OK) {
            return status;
        }
        count += q->b != NULL ? 2 : 1; // a shape is convex: past its own wall is out of its hull
    }
    while (tries < TRIES && count > 0) {
        int least = 0;
        for (int i = 1; i < count; i++) {
            least = steps[i].length < steps[least].length ? i : least;
        }
        try_step(q, placed, steps[least], &tries, best);
        steps[least] = steps[--count];
    }
    return OV_OK;
}

/** Goes back from the hull to where the surface is, as far as a few steps get. */
static void back_from_hull(const ovi_trimesh_query *q, const ovi_trimesh_placed *placed,
                           translation *best) {
    ov_trimesh_contact found;
    ov_vec3 moved;
    for (int i = 0; i < BACK; i++) {
        double before = best->length, goal = placed->pair.goal;
        const step s = {best->n, before + 0.25 * goal};
        if (!is_separated(q, &s, &placed->frame.turn, &found, &moved) ||
            !take_step(placed, &found, moved, best) || before - best->length <= goal) {
            return;
        }
    }
}

/* ---- the contact */

static ov_status find_translation(const ovi_trimesh_query *q, const ovi_trimesh_placed *placed,
                                  const ov_trimesh_contact *at, translation *best) {
    const ov_mat3 own = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    ov_vec3 list[DIRECTIONS];
    int count = q->rough ? 0 : normals_of(q, placed, at, list);
    count = add_axes(list, count, &own);
    count = add_axes(list, count, &placed->pair.turn);
    *best = (translation){.length = INFINITY};
    ov_status status = OV_OK;
    for (int i = 0; i < count && status == OV_OK; i++) {
        status = out_of_hull(q, &placed->pair, list[i], best);
    }
    if (status != OV_OK || q->rough || !(best->length > 0.0)) {
        return status;
    }
    double hull = best->length;
    status = past_a_wall(q, placed, at, best);
    if (status == OV_OK && best->length == hull) {
        back_from_hull(q, placed, best);
    }
    return status;
}

/** The contact where the surfaces alone do not prove that the two are apart. */
static ov_status settle(const ovi_trimesh_query *q, const ovi_trimesh_placed *placed, ovi_side side,
                        ov_trimesh_contact *contact) {
    const ov_contact surface = contact->contact;
    translation out;
    ov_status status = find_translation(q, placed, contact, &out);
    if (status != OV_OK) {
        return status;
    }
    if (surface.gap_lower > 0.0 && out.length < 0.0) {
        return surface.status; // hulls that are apart: nothing was inside
    }
    const ov_mat3 *rotation = &placed->frame.turn;
    ovi_result r = {.lower = -out.length, .upper = surface.gap_upper, .gap = surface.gap};
    r.iterations = surface.iterations;
    r.overlap = side == OVI_INSIDE || surface.relation == OV_RELATION_OVERLAPPING;
    if (side == OVI_INSIDE) {
        r.upper = surface.gap_lower > 0.0 ? -surface.gap_lower : fmin(r.upper, 0.0);
    }
    // two bounds of one number: rounding can cross them where they are all but equal
    r.lower = fmin(r.lower, r.upper);
    r.solved = (r.overlap && placed->pair.depth != OV_DEPTH_PROVEN) ||
               r.upper - r.lower <= placed->pair.goal;
    r.normal = ov_mat3_tmul_vec3(rotation, surface.normal);
    r.point_a = ov_mat3_tmul_vec3(rotation, ov_vec3_sub(surface.point_a, placed->frame.position));
    r.point_b = ov_mat3_tmul_vec3(rotation, ov_vec3_sub(surface.point_b, placed->frame.position));
    if (r.overlap) {
        r.gap = r.lower;
        r.normal = out.n;
        r.point_a = out.point_a;
        r.point_b = out.point_b;
        contact->triangle_a = out.triangle_a;
        contact->triangle_b = out.triangle_b;
    }
    contact->contact = ovi_contact_of(&placed->pair, &placed->frame, &r);
    return contact->contact.status;
}

ov_status ovi_trimesh_contact(const ovi_trimesh_query *q, double limit,
                              ov_trimesh_contact *contact) {
    ovi_trimesh_placed placed;
    ovi_side side;
    ov_status status = surface_contact(q, limit, contact, &placed);
    bool solid = status >= 0 && (q->a->walls != NULL || (q->b != NULL && q->b->walls != NULL));
    if (!solid || (q->b == NULL && q->shape->kind == OV_SHAPE_KIND_HALFSPACE)) {
        return status;
    }
    ov_status found = OV_OK;
    side = OVI_OUTSIDE; // where a triangle is overlapped, the side does not matter
    if (contact->contact.relation != OV_RELATION_OVERLAPPING) {
        found = side_of(q, &placed.pair, contact->contact.gap_lower, &side);
    }
    if (found == OV_OK && side == OVI_OUTSIDE && contact->contact.gap_lower > 0.0) {
        return status;
    }
    // with an infinite limit where the first search ended at its limit: the nearest wall is needed
    if (found == OV_OK && !q->rough && contact->contact.gap_lower > limit) {
        found = surface_contact(q, INFINITY, contact, &placed);
    }
    found = found >= 0 ? settle(q, &placed, side, contact) : found;
    if (found < 0) {
        *contact = ovi_trimesh_no_contact(found);
    }
    return found;
}

ov_status ov_trimesh_shape_contact(const ov_trimesh *mesh, ov_pose mesh_pose, const ov_shape *shape,
                                   ov_pose shape_pose, double limit, const ov_pair_options *options,
                                   ov_trimesh_contact *contact) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_trimesh_shape_contact(mesh, mesh_pose, shape, shape_pose,
                                                             limit, options, contact));
    if (contact == NULL) {
        return OV_ERROR_NULL;
    }
    const ovi_trimesh_query q = {
        .a = mesh, .shape = shape, .pose_a = mesh_pose, .pose_b = shape_pose, .options = options};
    return ovi_trimesh_contact(&q, limit, contact);
}

ov_status ov_trimesh_pair_contact(const ov_trimesh *a, ov_pose pose_a, const ov_trimesh *b,
                                  ov_pose pose_b, double limit, const ov_pair_options *options,
                                  ov_trimesh_contact *contact) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_trimesh_pair_contact(a, pose_a, b, pose_b, limit, options, contact));
    if (contact == NULL) {
        return OV_ERROR_NULL;
    }
    if (b == NULL) {
        *contact = ovi_trimesh_no_contact(OV_ERROR_NULL);
        return OV_ERROR_NULL;
    }
    const ovi_trimesh_query q = {
        .a = a, .b = b, .pose_a = pose_a, .pose_b = pose_b, .options = options};
    return ovi_trimesh_contact(&q, limit, contact);
}
