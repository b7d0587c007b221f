/**
 * @file sim_body.c
 * @brief Bodies of a simulation: their masses, adding and changing them, and how a free body moves.
 *
 * The mass of a geometry is the sum over its parts: closed forms of the shapes, turned and moved by
 * the parallel axis theorem, and the divergence theorem for meshes.
 *
 * Free rotation: the angular momentum L is constant, and the orientation q follows from
 *
 *     q1 = exp(h w) q0,   w = I(q_mid)^-1 L,   q_mid = exp(h w / 2) q0
 *
 * an implicit midpoint rule, solved by iteration from the last mean angular velocity. L is kept to
 * the last bit, as nothing writes it; the energy w.L/2 errs by O(h^2) without drift.
 */
#include <math.h>
#include <string.h>

#include "../world/geometry.h"
#include "sim_internal.h"

/* ---- symmetric matrices */

/** R M R', the matrix in other axes. */
static ovi_sym3 sym3_turned(const ovi_sym3 *m, const ov_mat3 *r) {
    // columns of M R', then R times them
    ov_vec3 rows[3] = {
        {r->cx.x, r->cy.x, r->cz.x}, {r->cx.y, r->cy.y, r->cz.y}, {r->cx.z, r->cy.z, r->cz.z}};
    ov_vec3 x = ovi_sym3_mul(m, rows[0]), y = ovi_sym3_mul(m, rows[1]),
            z = ovi_sym3_mul(m, rows[2]);
    return (ovi_sym3){ov_vec3_dot(rows[0], x), ov_vec3_dot(rows[1], y), ov_vec3_dot(rows[2], z),
                      ov_vec3_dot(rows[0], y), ov_vec3_dot(rows[0], z), ov_vec3_dot(rows[1], z)};
}

static ovi_sym3 sym3_of(const ov_mat3 *m) {
    return (ovi_sym3){m->cx.x,
                      m->cy.y,
                      m->cz.z,
                      0.5 * (m->cx.y + m->cy.x),
                      0.5 * (m->cx.z + m->cz.x),
                      0.5 * (m->cy.z + m->cz.y)};
}

static ov_mat3 mat3_of(const ovi_sym3 *m) {
    return (ov_mat3){{m->xx, m->xy, m->xz}, {m->xy, m->yy, m->yz}, {m->xz, m->yz, m->zz}};
}

static void sym3_add(ovi_sym3 *sum, const ovi_sym3 *m, double scale) {
    sum->xx += scale * m->xx;
    sum->yy += scale * m->yy;
    sum->zz += scale * m->zz;
    sum->xy += scale * m->xy;
    sum->xz += scale * m->xz;
    sum->yz += scale * m->yz;
}

/** Inertia of a unit mass at d: |d|^2 1 - d d'. */
static ovi_sym3 point_inertia(ov_vec3 d) {
    return (ovi_sym3){d.y * d.y + d.z * d.z,
                      d.x * d.x + d.z * d.z,
                      d.x * d.x + d.y * d.y,
                      -d.x * d.y,
                      -d.x * d.z,
                      -d.y * d.z};
}

/** Is the matrix plus `shift` times its trace positive definite? By Cholesky. */
static bool is_definite(ovi_sym3 m, double shift) {
    double s = shift * (m.xx + m.yy + m.zz);
    m.xx += s, m.yy += s, m.zz += s;
    if (!(m.xx > 0.0)) {
        return false;
    }
    double yx = m.xy / m.xx, zx = m.xz / m.xx;
    double yy = m.yy - yx * m.xy, zy = m.yz - yx * m.xz, zz = m.zz - zx * m.xz;
    return yy > 0.0 && zz - zy * zy / yy > 0.0;
}

/* ---- mass of a geometry */

/** Volume integrals of a solid mesh about a point by the divergence theorem: each triangle spans a
 *  tetrahedron with that point, of signed volume det / 6. */
static ov_status mesh_mass(const ov_trimesh *mesh, double density, ov_mass *mass) {
    if (!ov_trimesh_is_solid(mesh)) {
        return OV_ERROR_NOT_CLOSED;
    }
    ov_vec3 about = ov_trimesh_ball(mesh).centre, first = {0, 0, 0};
    const ov_vec3 *vertices = ov_trimesh_vertices(mesh);
    const uint32_t(*triangles)[3] = ov_trimesh_triangles(mesh);
    double volume = 0.0;
    ovi_sym3 second = {0, 0, 0, 0, 0, 0};
    for (size_t i = 0; i < ov_trimesh_triangle_count(mesh); i++) {
        ov_vec3 p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = ov_vec3_sub(vertices[triangles[i][k]], about);
        }
        double det = ov_vec3_dot(p[0], ov_vec3_cross(p[1], p[2]));
        ov_vec3 sum = ov_vec3_add(p[0], ov_vec3_add(p[1], p[2]));
        volume += det / 6.0;
        first = ov_vec3_add_scaled(first, sum, det / 24.0);
        // of a tetrahedron: det / 120 (s s' + sum of p p'), as an inertia
        ovi_sym3 part = point_inertia(sum);
        for (int k = 0; k < 3; k++) {
            ovi_sym3 corner = point_inertia(p[k]);
            sym3_add(&part, &corner, 1.0);
        }
        sym3_add(&second, &part, det / 120.0);
    }
    if (!(volume > 0.0)) {
        return OV_ERROR_NOT_CLOSED;
    }
    ov_vec3 offset = ov_vec3_scale(first, 1.0 / volume);
    ovi_sym3 moved = point_inertia(offset);
    sym3_add(&second, &moved, -volume);
    ovi_sym3 inertia = {0, 0, 0, 0, 0, 0};
    sym3_add(&inertia, &second, density);
    *mass = (ov_mass){volume, density * volume, ov_vec3_add(about, offset), mat3_of(&inertia)};
    return OV_OK;
}

/** Mass of one part, in the body's frame. */
static ov_status part_mass(const ov_part *part, double density, ov_mass *mass) {
    ov_status status = OV_OK;
    if (part->mesh != NULL) {
        status = mesh_mass(part->mesh, density, mass);
    } else if (part->shape.kind == OV_SHAPE_KIND_HALFSPACE) {
        return OV_ERROR_UNBOUNDED;
    } else {
        status = ov_shape_mass(&part->shape, density, mass);
    }
    if (status < 0) {
        return status;
    }
    ov_mat3 turn = ov_mat3_from_quat(part->pose.rotation);
    ovi_sym3 inertia = sym3_of(&mass->inertia);
    inertia = sym3_turned(&inertia, &turn);
    mass->inertia = mat3_of(&inertia);
    mass->centroid = ov_pose_apply(part->pose, mass->centroid);
    return status;
}

ov_status ov_geometry_mass(const ov_geometry *geometry, double density, ov_mass *mass) {
    if (geometry == NULL || mass == NULL) {
        return OV_ERROR_NULL;
    }
    memset(mass, 0, sizeof *mass);
    if (!isfinite(density)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (!(density > 0.0)) {
        return OV_ERROR_WEIGHT;
    }
    ov_mass sum = {.volume = 0.0};
    ovi_sym3 inertia = {0, 0, 0, 0, 0, 0};
    for (size_t i = 0; i < geometry->count; i++) {
        ov_mass part;
        ov_status status = part_mass(&geometry->parts[i].part, density, &part);
        if (status < 0) {
            return status;
        }
        // two masses about their common centroid: the reduced mass at their distance
        ov_vec3 d = ov_vec3_sub(part.centroid, sum.centroid);
        double all = sum.mass + part.mass, share = part.mass / all;
        ovi_sym3 own = sym3_of(&part.inertia), apart = point_inertia(d);
        sym3_add(&inertia, &own, 1.0);
        sym3_add(&inertia, &apart, sum.mass * share);
        sum.centroid = ov_vec3_add_scaled(sum.centroid, d, share);
        sum.mass = all;
        sum.volume += part.volume;
    }
    sum.inertia = mat3_of(&inertia);
    if (!(sum.mass > 1e-300 && sum.mass < 1e300) || !is_definite(inertia, 0.0) ||
        !(inertia.xx < 1e300 && inertia.yy < 1e300 && inertia.zz < 1e300)) {
        return OV_ERROR_SIZE_RANGE;
    }
    *mass = sum;
    return OV_OK;
}

/* ---- motion of one body */

/** exp of half a rotation vector, as a quaternion. Angles of a substep are small, where a few terms
 *  are as good as the library's functions. */
static inline ov_quat turn_by(ov_vec3 angle) {
    static const double inverses[10] = {1.0 / 2.0, 1.0 / 12.0, 1.0 / 30.0, 1.0 / 56.0, 1.0 / 90.0,
                                        1.0 / 6.0, 1.0 / 20.0, 1.0 / 42.0, 1.0 / 72.0, 1.0 / 110.0};
    double square = 0.25 * ov_vec3_dot(angle, angle), c, s; // of the half angle
    if (square < 0.0625) {
        const double *k = inverses;
        c = 1.0 -
            square * k[0] *
                (1.0 - square * k[1] *
                           (1.0 - square * k[2] * (1.0 - square * k[3] * (1.0 - square * k[4]))));
        s = 1.0 -
            square * k[5] *
                (1.0 - square * k[6] *
                           (1.0 - square * k[7] * (1.0 - square * k[8] * (1.0 - square * k[9]))));
    } else {
        double half = sqrt(square);
        c = cos(half);
        s = sin(half) / half;
    }
    s *= 0.5;
    return (ov_quat){c, s * angle.x, s * angle.y, s * angle.z};
}

/** A quaternion that is a unit but for rounding, made one again. */
static ov_quat unit_again(ov_quat q) {
    double f = 1.5 - 0.5 * ovi_quat_square(q);
    return (ov_quat){q.w * f, q.x * f, q.y * f, q.z * f};
}

void ovi_sim_refresh(ovi_sim_body *body, ovi_mover *mover) {
    if (ovi_is_free(mover)) {
        ov_mat3 r = ov_mat3_from_quat(body->q);
        mover->inv_inertia = sym3_turned(&body->inv_inertia, &r);
        mover->w = ovi_sym3_mul(&mover->inv_inertia, mover->l);
    }
}

/** Mean angular velocity of free rotation from an orientation during h, starting from a guess. A
 *  round leaves at most `shrink` of the error before it. */
static ov_vec3 mean_turning(const ovi_sim_body *body, ov_vec3 l, ov_quat from, ov_vec3 w, double h,
                            double shrink) {
    enum { ROUNDS = 16 };
    double enough = 1e-28 / fmin(fmax(shrink * shrink, 1e-28), 1.0);
    for (int i = 0; i < ROUNDS; i++) {
        ov_quat mid = ovi_quat_product(turn_by(ov_vec3_scale(w, 0.5 * h)), from);
        ov_vec3 inside = ovi_quat_turn(ov_quat_conjugate(mid), l);
        ov_vec3 next = ovi_quat_turn(mid, ovi_sym3_mul(&body->inv_inertia, inside));
        ov_vec3 d = ov_vec3_sub(next, w);
        w = next;
        if (ov_vec3_dot(d, d) <= enough * ov_vec3_dot(w, w)) {
            break;
        }
    }
    return w;
}

void ovi_sim_drift(ovi_sim_body *body, const ovi_mover *mover, double h) {
    body->x = ov_vec3_add_scaled(body->x0, mover->v, h);
    // what turns further than this in a substep cannot be followed, and turns so far
    const double most = 2.0;
    double angle = h * ovi_length(mover->w), turn_h = angle > most ? h * most / angle : h;
    if (!ovi_is_free(mover) || body->round) {
        body->w_mid = mover->w;
        body->q = unit_again(ovi_quat_product(turn_by(ov_vec3_scale(mover->w, turn_h)), body->q0));
        return;
    }
    // a change d of w turns the middle by h d / 2, which changes w by |L| h d / 2 times the spread
    // of the inverse moments: pieces are so short that this is no more than d / 2
    enum { PIECES = 16 };
    double rate = ovi_length(mover->l) * body->spread;
    turn_h = turn_h * rate > PIECES ? PIECES / rate : turn_h;
    int pieces = turn_h * rate > 1.0 ? (int)fmin(ceil(turn_h * rate), PIECES) : 1;
    ov_vec3 w = pieces > 1 ? mover->w : body->w_mid;
    body->q = body->q0;
    for (int i = 0; i < pieces; i++) {
        w = mean_turning(body, mover->l, body->q, w, turn_h / pieces, 0.5 * rate * turn_h / pieces);
        ov_quat turn = turn_by(ov_vec3_scale(w, turn_h / pieces));
        body->q = unit_again(ovi_quat_product(turn, body->q));
    }
    body->w_mid = w;
}

void ovi_sim_kick(const ov_sim *sim, const ovi_sim_body *body, ovi_mover *mover, double h) {
    double half = 0.5 * h;
    mover->v = ov_vec3_add_scaled(mover->v, sim->options.gravity, half);
    mover->v = ov_vec3_add_scaled(mover->v, body->force, half * mover->inv_mass);
    ov_vec3 turn = ov_vec3_scale(body->torque, half);
    mover->l = ov_vec3_add(mover->l, turn);
    mover->w = ov_vec3_add(mover->w, ovi_sym3_mul(&mover->inv_inertia, turn));
    if (!body->damped) {
        return;
    }
    if (body->def.damping > 0.0) {
        mover->v = ov_vec3_scale(mover->v, exp(-half * body->def.damping));
    }
    if (body->def.angular_damping > 0.0) {
        double keep = exp(-half * body->def.angular_damping);
        mover->l = ov_vec3_scale(mover->l, keep);
        mover->w = ov_vec3_scale(mover->w, keep);
    }
}

/** Where a motion has a body: the definition's pose is in the frame that it moves. */
static ov_status led_pose(const ov_sim_body_def *def, double time, ov_pose *pose) {
    ov_pose frame;
    ov_status status = ov_motion_pose(def->motion, def->motion_time + time, &frame);
    if (status == OV_OK) {
        pose->position = ov_pose_apply(frame, def->pose.position);
        pose->rotation = ov_quat_mul(frame.rotation, def->pose.rotation);
    }
    return status;
}

void ovi_sim_lead_on(ov_sim *sim, ovi_sim_body *body, ovi_mover *mover, double time, double h,
                     double left) {
    (void)sim;
    ov_pose pose;
    if (body->def.motion != NULL && led_pose(&body->def, time + h, &pose) == OV_OK) {
        left = h;
    } else if (body->led) {
        pose = body->target;
    } else {
        mover->v = mover->w = ov_vec3_make(0.0, 0.0, 0.0);
        return;
    }
    mover->v = ov_vec3_scale(ov_vec3_sub(pose.position, body->x), 1.0 / left);
    ov_quat turn = ovi_quat_product(pose.rotation, ov_quat_conjugate(body->q));
    mover->w = ov_vec3_scale(ovi_angle_of(turn), 1.0 / left);
}

/* ---- definitions */

ov_sim_body_def ov_default_sim_body_def(void) {
    return (ov_sim_body_def){.pose = ov_pose_identity(),
                             .density = 1000.0,
                             .friction = 0.5,
                             .group = 1,
                             .mask = UINT32_MAX};
}

const char *ov_sim_body_kind_name(ov_sim_body_kind kind) {
    static const char *const names[OV_SIM_BODY_KIND_COUNT] = {"dynamic", "fixed", "kinematic"};
    return (unsigned)kind < OV_SIM_BODY_KIND_COUNT ? names[kind] : "unknown";
}

static bool is_zero(const ov_mat3 *m) {
    ovi_sym3 s = sym3_of(m);
    return s.xx == 0.0 && s.yy == 0.0 && s.zz == 0.0 && s.xy == 0.0 && s.xz == 0.0 && s.yz == 0.0;
}

static bool is_finite_mass(const ov_mass *m) {
    return isfinite(m->mass) && ov_vec3_is_finite(m->centroid) &&
           ov_vec3_is_finite(m->inertia.cx) && ov_vec3_is_finite(m->inertia.cy) &&
           ov_vec3_is_finite(m->inertia.cz);
}

/** Fills in the mass of a dynamic body. */
static ov_status fill_mass(ov_sim_body_def *def) {
    if (!is_finite_mass(&def->mass) || !isfinite(def->density)) {
        return OV_ERROR_NOT_FINITE;
    }
    bool inertia_too = is_zero(&def->mass.inertia);
    if (def->mass.mass == 0.0 || inertia_too) {
        ov_mass by;
        if (def->geometry == NULL) {
            return def->mass.mass == 0.0 ? OV_ERROR_NULL : OV_ERROR_WEIGHT;
        }
        ov_status status = ov_geometry_mass(def->geometry, def->density, &by);
        if (status < 0) {
            return status;
        }
        double scale = def->mass.mass == 0.0 ? 1.0 : def->mass.mass / by.mass;
        by.mass *= scale;
        by.inertia.cx = ov_vec3_scale(by.inertia.cx, scale);
        by.inertia.cy = ov_vec3_scale(by.inertia.cy, scale);
        by.inertia.cz = ov_vec3_scale(by.inertia.cz, scale);
        def->mass = by;
    }
    ovi_sym3 j = sym3_of(&def->mass.inertia);
    double half = 0.5 * (j.xx + j.yy + j.zz);
    // second moments, which no body has below zero: half the trace less the inertia
    ovi_sym3 second = {half - j.xx, half - j.yy, half - j.zz, -j.xy, -j.xz, -j.yz};
    bool good = def->mass.mass >= 1e-100 && def->mass.mass <= 1e100 && half >= 1e-100 &&
                half <= 1e100 && ovi_is_within(def->mass.centroid, OV_POSITION_MAX) &&
                is_definite(j, -1e-12) && is_definite(second, 1e-9);
    return good ? OV_OK : OV_ERROR_WEIGHT;
}

static bool is_ratio(double x) { return x >= 0.0 && x <= 1e12; }

/** Checks a definition and fills in its defaults. */
static ov_status check_def(const ov_sim_body_def *given, ov_sim_body_def *def) {
    *def = *given;
    def->pose = ov_pose_default(def->pose);
    def->density = def->density == 0.0 ? 1000.0 : def->density;
    def->friction = def->friction == 0.0 ? 0.5 : def->friction;
    def->group = ovi_group_of(def->group);
    def->mask = ovi_mask_of(def->mask);
    if (!ov_vec3_is_finite(def->velocity) || !ov_vec3_is_finite(def->angular_velocity) ||
        !isfinite(def->motion_time) || !isfinite(def->friction + def->restitution + def->rolling) ||
        !isfinite(def->damping + def->angular_damping)) {
        return OV_ERROR_NOT_FINITE;
    }
    bool kinematic = def->kind == OV_SIM_BODY_KIND_KINEMATIC;
    if ((unsigned)def->kind >= OV_SIM_BODY_KIND_COUNT || !is_ratio(def->friction) ||
        !is_ratio(def->rolling) || !(def->restitution >= 0.0 && def->restitution <= 1.0) ||
        !is_ratio(def->damping) || !is_ratio(def->angular_damping) ||
        (def->motion != NULL && !(kinematic && ov_motion_is_rigid(def->motion)))) {
        return OV_ERROR_OPTION;
    }
    if (!ovi_is_within(def->velocity, OV_SIM_SPEED_MAX) ||
        !ovi_is_within(def->angular_velocity, OV_SIM_SPEED_MAX)) {
        return OV_ERROR_SIZE_RANGE;
    }
    ov_status status = ovi_pose_normalize(&def->pose);
    if (status == OV_OK && def->kind == OV_SIM_BODY_KIND_DYNAMIC) {
        status = fill_mass(def);
    } else if (status == OV_OK) {
        def->mass = (ov_mass){.mass = 0.0};
        def->velocity = def->angular_velocity = ov_vec3_make(0.0, 0.0, 0.0);
        ov_pose first;
        status = kinematic && def->motion != NULL ? led_pose(def, 0.0, &first) : OV_OK;
    }
    return status;
}

/**
 * How far a body with this part may turn until its contacts are looked for again, rather than
 * followed. A ball has the same gap however it turns. Of a body that is curved everywhere, turned
 * by t, it is off by t^2 / 2 times the radius of curvature. A manifold of vertices, edges and sides
 * has what else may come down. But that of a flat without corners, as of a superellipsoid, is a
 * small part of the flat: turned by t, the other side of it may be down by t times its width,
 * unseen.
 */
static double follow_of(const ovi_part *part, const ov_mass *mass) {
    const ov_shape *s = &part->part.shape;
    if (part->part.mesh != NULL) {
        return 0.1;
    }
    switch (s->kind) {
    case OV_SHAPE_KIND_SPHERE: {
        ov_vec3 off = ov_vec3_sub(part->ball.centre, mass->centroid);
        return ov_vec3_length(off) <= 1e-6 * part->ball.radius ? INFINITY : 0.1;
    }
    case OV_SHAPE_KIND_ELLIPSOID:
        return 0.01;
    case OV_SHAPE_KIND_SUPERELLIPSOID:
    case OV_SHAPE_KIND_SUPEROVOID:
    case OV_SHAPE_KIND_CUSTOM:
        return 0.001;
    case OV_SHAPE_KIND_POLYHEDRON:
        return s->u.polyhedron.triangles != NULL ? 0.1 : 0.001;
    default:
        return 0.1;
    }
}

/** Least half extent of the bounded parts, and how far they reach from the centre of mass. */
static void find_extent(ovi_sim_body *body) {
    const ov_geometry *g = body->def.geometry;
    const ov_mass *mass = &body->def.mass;
    // without a geometry: the radius of gyration
    double trace = mass->inertia.cx.x + mass->inertia.cy.y + mass->inertia.cz.z;
    body->reach = g == NULL && mass->mass > 0.0 ? sqrt(0.5 * trace / mass->mass) : 0.0;
    body->radius = body->follow = INFINITY;
    for (size_t i = 0; g != NULL && i < g->count; i++) {
        const ovi_part *part = &g->parts[i];
        if (part->bounded) {
            ov_vec3 d = ov_vec3_sub(part->ball.centre, body->def.mass.centroid);
            ov_vec3 half = part->obb.half;
            body->reach = fmax(body->reach, ov_vec3_length(d) + part->ball.radius);
            body->radius = fmin(body->radius, fmin(half.x, fmin(half.y, half.z)));
            body->follow = fmin(body->follow, follow_of(part, &body->def.mass));
        }
    }
}

/** Where a new body is; its definition is good. */
static ov_pose first_pose(const ov_sim_body_def *def) {
    ov_pose pose = def->pose;
    if (def->motion != NULL) {
        (void)led_pose(def, 0.0, &pose);
    }
    return pose;
}

/** State of a new body by its definition. */
static void start_body(ov_sim *sim, ovi_sim_body *body, ovi_mover *mover) {
    const ov_sim_body_def *def = &body->def;
    ov_pose pose = first_pose(def);
    *mover = (ovi_mover){.inv_mass = 0.0};
    body->x = ov_pose_apply(pose, def->mass.centroid);
    body->q = pose.rotation;
    body->asked_x = ov_vec3_make(NAN, NAN, NAN); // nothing is known of it
    body->island = body->parent_joint = OVI_NO_BODY;
    body->kinematic = def->kind == OV_SIM_BODY_KIND_KINEMATIC;
    body->damped = def->damping > 0.0 || def->angular_damping > 0.0;
    if (def->kind == OV_SIM_BODY_KIND_DYNAMIC) {
        body->inertia = sym3_of(&def->mass.inertia);
        body->inv_inertia = ovi_sym3_inverse(&body->inertia);
        ovi_sym3 j = body->inertia;
        body->round = j.xx == j.yy && j.yy == j.zz && j.xy == 0.0 && j.xz == 0.0 && j.yz == 0.0;
        ovi_sym3 k = body->inv_inertia;
        double mean = (k.xx + k.yy + k.zz) / 3.0, x = k.xx - mean, y = k.yy - mean, z = k.zz - mean;
        double off = k.xy * k.xy + k.xz * k.xz + k.yz * k.yz;
        body->spread = sqrt(2.0 * (x * x + y * y + z * z + 2.0 * off));
        mover->inv_mass = 1.0 / def->mass.mass;
        mover->v = def->velocity;
        ov_mat3 r = ov_mat3_from_quat(body->q);
        ovi_sym3 placed = sym3_turned(&body->inertia, &r);
        mover->l = ovi_sym3_mul(&placed, def->angular_velocity);
        ovi_sim_refresh(body, mover);
        body->w_mid = mover->w;
    }
    find_extent(body);
    (void)sim;
}

/** Room for one more body; the slot that it gets, or OVI_NO_BODY for want of memory. */
static uint32_t reserve_body(ov_sim *sim) {
    if (sim->free_body != OVI_NO_BODY) {
        return sim->free_body;
    }
    const ov_allocator *by = &sim->options.allocator;
    if (sim->body_count == sim->body_room) {
        ovi_sim_body *more =
            ovi_more_room(by, sim->bodies, &sim->body_room, sim->body_count + 1, sizeof *more);
        if (more == NULL) {
            return OVI_NO_BODY;
        }
        sim->bodies = more;
    }
    if (sim->body_count == sim->mover_room) {
        ovi_mover *more =
            ovi_more_room(by, sim->movers, &sim->mover_room, sim->body_count + 1, sizeof *more);
        if (more == NULL) {
            return OVI_NO_BODY;
        }
        sim->movers = more;
    }
    sim->bodies[sim->body_count].generation = 0;
    return (uint32_t)sim->body_count;
}

ov_status ov_sim_add_body(ov_sim *sim, const ov_sim_body_def *given, ov_sim_body *id) {
    if (id != NULL) {
        *id = 0;
    }
    if (sim == NULL || given == NULL || id == NULL) {
        return OV_ERROR_NULL;
    }
    ov_sim_body_def def;
    ov_status status = check_def(given, &def);
    if (status < 0) {
        return status;
    }
    if (sim->bodies_used >= OV_WORLD_PARTS_MAX) {
        return OV_ERROR_COUNT;
    }
    uint32_t slot = reserve_body(sim);
    if (slot == OVI_NO_BODY) {
        return OV_ERROR_MEMORY;
    }
    ovi_sim_body body = {.def = def, .used = true};
    if (def.geometry != NULL) {
        ov_body_def in_world = {.geometry = def.geometry,
                                .pose = first_pose(&def),
                                .group = def.group,
                                .mask = def.mask,
                                .fixed = def.kind != OV_SIM_BODY_KIND_DYNAMIC,
                                .user = def.user,
                                .no_pairs = def.no_contacts};
        status = ov_world_add(sim->world, &in_world, &body.in_world);
        if (status == OV_OK && !ovi_sim_note_slot(sim, body.in_world, slot)) {
            ov_world_remove(sim->world, body.in_world);
            status = OV_ERROR_MEMORY;
        }
        if (status < 0) {
            return status;
        }
    }
    if (slot == sim->body_count) {
        sim->body_count++;
    } else {
        sim->free_body = sim->bodies[slot].next_free;
    }
    body.generation = sim->bodies[slot].generation + 1;
    start_body(sim, &body, &sim->movers[slot]);
    sim->bodies[slot] = body;
    sim->bodies_used++;
    sim->forest.stale = true;
    if (def.kind != OV_SIM_BODY_KIND_DYNAMIC) {
        ovi_island_wake_near(sim, slot); // what it is put into has to give way
    }
    *id = (ov_sim_body)(slot + 1u) << 32 | body.generation;
    return OV_OK;
}

/** The slot of a body that is there. */
static ov_status find_slot(const ov_sim *sim, ov_sim_body id, uint32_t *slot) {
    if (sim == NULL) {
        return OV_ERROR_NULL;
    }
    *slot = ovi_sim_body_of(sim, id);
    return *slot != OVI_NO_BODY ? OV_OK : OV_ERROR_INDEX;
}

ov_status ov_sim_remove_body(ov_sim *sim, ov_sim_body id) {
    uint32_t slot;
    ov_status found = find_slot(sim, id, &slot);
    if (found < 0) {
        return found;
    }
    ovi_sim_body *body = &sim->bodies[slot];
    ovi_island_wake(sim, slot);
    ovi_island_wake_near(sim, slot);
    ovi_contacts_forget(sim, slot);
    ovi_joint_remove_of(sim, slot);
    if (body->in_world != 0) {
        ov_world_remove(sim->world, body->in_world);
    }
    body->used = false;
    body->in_world = 0;
    body->next_free = sim->free_body;
    sim->movers[slot] = (ovi_mover){.inv_mass = 0.0};
    sim->free_body = slot;
    sim->bodies_used--;
    sim->forest.stale = true;
    return OV_OK;
}

/* ---- what callers ask and change */

ov_pose ovi_sim_pose(const ovi_sim_body *body) {
    ov_vec3 c = ovi_quat_turn(body->q, body->def.mass.centroid);
    return (ov_pose){ov_vec3_sub(body->x, c), body->q};
}

ov_status ov_sim_body_get(const ov_sim *sim, ov_sim_body id, ov_sim_body_state *state) {
    if (sim == NULL || state == NULL) {
        return OV_ERROR_NULL;
    }
    memset(state, 0, sizeof *state);
    uint32_t slot = ovi_sim_body_of(sim, id);
    if (slot == OVI_NO_BODY) {
        return OV_ERROR_INDEX;
    }
    const ovi_sim_body *body = &sim->bodies[slot];
    const ovi_mover *mover = &sim->movers[slot];
    *state = (ov_sim_body_state){.pose = ovi_sim_pose(body),
                                 .centre = body->x,
                                 .velocity = mover->v,
                                 .angular_velocity = mover->w,
                                 .angular_momentum = mover->l,
                                 .asleep = body->asleep};
    return OV_OK;
}

ov_status ov_sim_body_def_of(const ov_sim *sim, ov_sim_body id, ov_sim_body_def *def) {
    if (sim == NULL || def == NULL) {
        return OV_ERROR_NULL;
    }
    memset(def, 0, sizeof *def);
    uint32_t slot = ovi_sim_body_of(sim, id);
    if (slot == OVI_NO_BODY) {
        return OV_ERROR_INDEX;
    }
    *def = sim->bodies[slot].def;
    return OV_OK;
}

ov_status ov_sim_body_in_world(const ov_sim *sim, ov_sim_body id, ov_body *in_world) {
    if (sim == NULL || in_world == NULL) {
        return OV_ERROR_NULL;
    }
    *in_world = 0;
    uint32_t slot = ovi_sim_body_of(sim, id);
    if (slot == OVI_NO_BODY) {
        return OV_ERROR_INDEX;
    }
    *in_world = sim->bodies[slot].in_world;
    return OV_OK;
}

size_t ov_sim_bodies(const ov_sim *sim, ov_sim_body *bodies, size_t room) {
    size_t count = 0;
    for (size_t i = 0; sim != NULL && i < sim->body_count; i++) {
        if (sim->bodies[i].used) {
            if (bodies != NULL && count < room) {
                bodies[count] = (ov_sim_body)(i + 1u) << 32 | sim->bodies[i].generation;
            }
            count++;
        }
    }
    return count;
}

ov_status ov_sim_set_pose(ov_sim *sim, ov_sim_body id, ov_pose pose) {
    uint32_t slot;
    ov_status found = find_slot(sim, id, &slot);
    if (found < 0) {
        return found;
    }
    ovi_sim_body *body = &sim->bodies[slot];
    ov_status status = ovi_pose_normalize(&pose);
    if (status == OV_OK && body->in_world != 0) {
        status = ov_world_move(sim->world, body->in_world, pose);
    }
    if (status < 0) {
        return status;
    }
    ovi_island_wake(sim, slot);
    ovi_island_wake_near(sim, slot);
    ovi_mover *mover = &sim->movers[slot];
    ov_vec3 w = mover->w;
    body->q = pose.rotation;
    body->x = ov_pose_apply(pose, body->def.mass.centroid);
    if (ovi_is_free(mover)) { // the angular velocity stays, in the world's axes
        ov_mat3 r = ov_mat3_from_quat(body->q);
        ovi_sym3 placed = sym3_turned(&body->inertia, &r);
        mover->l = ovi_sym3_mul(&placed, w);
        ovi_sim_refresh(body, mover);
    }
    ovi_island_wake_near(sim, slot);
    return OV_OK;
}

/** The slot of a dynamic body, and an awake one. */
static ov_status dynamic_slot(ov_sim *sim, ov_sim_body id, uint32_t *slot) {
    ov_status found = find_slot(sim, id, slot);
    if (found < 0) {
        return found;
    }
    return ovi_is_free(&sim->movers[*slot]) ? OV_OK : OV_ERROR_OPTION;
}

ov_status ov_sim_set_velocity(ov_sim *sim, ov_sim_body id, ov_vec3 velocity,
                              ov_vec3 angular_velocity) {
    uint32_t slot;
    ov_status status = dynamic_slot(sim, id, &slot);
    if (status < 0) {
        return status;
    }
    if (!ov_vec3_is_finite(velocity) || !ov_vec3_is_finite(angular_velocity)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (!ovi_is_within(velocity, OV_SIM_SPEED_MAX) ||
        !ovi_is_within(angular_velocity, OV_SIM_SPEED_MAX)) {
        return OV_ERROR_SIZE_RANGE;
    }
    ovi_island_wake(sim, slot);
    ovi_sim_body *body = &sim->bodies[slot];
    ov_mat3 r = ov_mat3_from_quat(body->q);
    ovi_sym3 placed = sym3_turned(&body->inertia, &r);
    sim->movers[slot].v = velocity;
    sim->movers[slot].l = ovi_sym3_mul(&placed, angular_velocity);
    ovi_sim_refresh(body, &sim->movers[slot]);
    body->w_mid = sim->movers[slot].w;
    return OV_OK;
}

ov_status ov_sim_lead(ov_sim *sim, ov_sim_body id, ov_pose pose) {
    uint32_t slot;
    ov_status found = find_slot(sim, id, &slot);
    if (found < 0) {
        return found;
    }
    ovi_sim_body *body = &sim->bodies[slot];
    if (body->def.kind != OV_SIM_BODY_KIND_KINEMATIC || body->def.motion != NULL) {
        return OV_ERROR_OPTION;
    }
    ov_status status = ovi_pose_normalize(&pose);
    if (status == OV_OK) {
        body->target = pose;
        body->led = true;
    }
    return status;
}

ov_status ov_sim_apply_force(ov_sim *sim, ov_sim_body id, ov_vec3 force, ov_vec3 point,
                             ov_vec3 torque) {
    uint32_t slot;
    ov_status status = dynamic_slot(sim, id, &slot);
    if (status < 0) {
        return status;
    }
    ovi_sim_body *body = &sim->bodies[slot];
    ov_vec3 turn = ov_vec3_add(torque, ov_vec3_cross(ov_vec3_sub(point, body->x), force));
    force = ov_vec3_add(body->force, force);
    turn = ov_vec3_add(body->torque, turn);
    if (!ov_vec3_is_finite(force) || !ov_vec3_is_finite(turn)) {
        return OV_ERROR_NOT_FINITE;
    }
    ovi_island_wake(sim, slot);
    body->force = force;
    body->torque = turn;
    return OV_OK;
}

ov_status ov_sim_apply_impulse(ov_sim *sim, ov_sim_body id, ov_vec3 impulse, ov_vec3 point,
                               ov_vec3 angular_impulse) {
    uint32_t slot;
    ov_status status = dynamic_slot(sim, id, &slot);
    if (status < 0) {
        return status;
    }
    ovi_mover moved = sim->movers[slot];
    ov_vec3 arm = ov_vec3_sub(point, sim->bodies[slot].x);
    ovi_mover_push(&moved, impulse, ov_vec3_add(ov_vec3_cross(arm, impulse), angular_impulse));
    if (!ov_vec3_is_finite(moved.v) || !ov_vec3_is_finite(moved.w) || !ov_vec3_is_finite(moved.l)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (!ovi_has_speeds(&moved)) {
        return OV_ERROR_SIZE_RANGE;
    }
    ovi_island_wake(sim, slot);
    sim->movers[slot] = moved;
    return OV_OK;
}

ov_status ov_sim_wake(ov_sim *sim, ov_sim_body id) {
    uint32_t slot;
    ov_status found = find_slot(sim, id, &slot);
    if (found < 0) {
        return found;
    }
    ovi_island_wake(sim, slot);
    return OV_OK;
}
