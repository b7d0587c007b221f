/**
 * @file sim_contact.c
 * @brief Contacts: followed by the motion of the bodies, and solved by impulses.
 *
 * A point of contact is a condition on velocities, n.(v_b - v_a) >= -gap / h: within the substep
 * the points come no closer than to touch. Overlapping bodies are parted by a soft condition, a
 * damped spring of a given frequency solved implicitly. With k = w^2 m and c = 2 z w m, the
 * effective mass m cancels: rate = w / (2 z + h w), and
 * impulse = -m mass_scale (v_n + rate gap) - impulse_scale sum. After the bodies have moved the
 * same conditions are solved once more without the push, so that it leaves no speed behind.
 *
 * Friction is Coulomb's, with the round cone: an impulse against the velocity across the normal, by
 * the same mass in all directions (with that of each, what slips would not be slowed along its
 * way), cut to mu times that of the normal. Rolling resistance is a torque of at most its arm times
 * that.
 *
 * Bounces come first, one after the other, from those that approach: in a row of balls that touch,
 * each passes its speed on to the next one, as Newton's cradle does. The response of a body held by
 * joints is that of its whole tree.
 */
#include <math.h>
#include <string.h>

#include "sim_internal.h"

/* ---- what a contact needs to be solved */

/** Adds the responses of one body at an arm: along the normal and the tangents, and between them.
 */
static void add_response(const ovi_mover *m, ov_vec3 arm, const ovi_sim_contact *c, double k[6]) {
    ov_vec3 n = ov_vec3_cross(arm, c->normal), in = ovi_sym3_mul(&m->inv_inertia, n);
    ov_vec3 t1 = ov_vec3_cross(arm, c->tangent1), i1 = ovi_sym3_mul(&m->inv_inertia, t1);
    ov_vec3 t2 = ov_vec3_cross(arm, c->tangent2), i2 = ovi_sym3_mul(&m->inv_inertia, t2);
    k[0] += m->inv_mass + ov_vec3_dot(n, in);
    k[1] += m->inv_mass + ov_vec3_dot(t1, i1);
    k[2] += ov_vec3_dot(t1, i2);
    k[3] += m->inv_mass + ov_vec3_dot(t2, i2);
    k[4] += ov_vec3_dot(t1, in);
    k[5] += ov_vec3_dot(t2, in);
}

/** Effective masses by the responses along the normal and the two tangents. Bodies that joints keep
 *  from moving along a direction do not answer an impulse along it, and get none. */
static void set_masses(ovi_sim_contact *c, double kn, double k11, double k12, double k22,
                       double least) {
    double most = 0.5 * (k11 + k22 + sqrt((k11 - k22) * (k11 - k22) + 4.0 * k12 * k12));
    c->mass_n = kn > least ? 1.0 / kn : 0.0;
    c->mass_t = most > least ? 1.0 / most : 0.0;
}

void ovi_contact_find_masses(const ov_sim *sim, ovi_sim_contact *c) {
    double k[6] = {0.0};
    add_response(&sim->movers[c->a], c->arm_a, c, k);
    add_response(&sim->movers[c->b], c->arm_b, c, k);
    set_masses(c, k[0], k[1], k[2], k[3], 0.0);
    c->across[0] = k[4];
    c->across[1] = k[5];
}

/** A damped spring of a frequency, solved implicitly. */
static ovi_contact_spring spring_of(double hertz, double h) {
    double w = 2.0 * OVI_PI * hertz, z = 10.0;
    double k = h * w * (2.0 * z + h * w);
    return (ovi_contact_spring){w / (2.0 * z + h * w), k / (1.0 + k), 1.0 / (1.0 + k)};
}

/** The frequency of the push: 30 Hz, twice that against what does not give way, and no more than a
 *  quarter of the substeps' rate; in the accurate mode that, but no more than 5 kHz: what a long
 *  substep has let in must not be thrown out within a very short one. */
static void set_springs(const ov_sim *sim, double h, ovi_contact_spring springs[2]) {
    bool accurate = sim->options.mode == OV_SIM_MODE_ACCURATE;
    double most = fmin(0.25 / h, 5000.0);
    springs[false] = spring_of(accurate ? most : fmin(30.0, most), h);
    springs[true] = spring_of(accurate ? most : fmin(60.0, most), h);
}

static inline ov_vec3 relative_speed(const ovi_mover *a, const ovi_mover *b,
                                     const ovi_sim_contact *c) {
    ov_vec3 va = ov_vec3_add(a->v, ov_vec3_cross(a->w, c->arm_a));
    return ov_vec3_sub(ov_vec3_add(b->v, ov_vec3_cross(b->w, c->arm_b)), va);
}

static inline void push(ovi_mover *a, ovi_mover *b, const ovi_sim_contact *c, ov_vec3 p) {
    ovi_mover_push(a, ov_vec3_neg(p), ov_vec3_cross(p, c->arm_a));
    ovi_mover_push(b, p, ov_vec3_cross(c->arm_b, p));
}

/* ---- bodies in trees
 *
 * While contacts are solved, an impulse on a body of a tree changes the velocities of the whole
 * tree, as its joints demand. These answers are linear and kept for each contact. They serve to
 * find the impulses; then the velocities go back, the impulses act on the bodies alone, and the
 * joints are solved, which keeps momenta to rounding. */

/** Number of bodies of the trees of a contact. */
static size_t answer_size(const ov_sim *sim, const ovi_sim_contact *c) {
    const ovi_sim_body *a = &sim->bodies[c->a], *b = &sim->bodies[c->b];
    size_t size = a->in_order ? a->tree_end - a->tree_first : 0;
    return size +
           (b->in_order && !(a->in_order && a->tree == b->tree) ? b->tree_end - b->tree_first : 0);
}

/** What is known of a contact in a tree besides. */
static ovi_tree_contact *tree_contact(const ov_sim *sim, const ovi_sim_contact *c) {
    const ovi_sim_contacts *all = &sim->contacts;
    return &all->in_trees[(size_t)(c - all->now.items) - all->first[OVI_COLOUR_TREES]];
}

/** What the trees of a contact answer to a unit impulse along a direction. */
static const double (*answer_of(const ov_sim *sim, const ovi_sim_contact *c, int direction))[6] {
    size_t at = tree_contact(sim, c)->answers + (size_t)direction * answer_size(sim, c);
    return (const double(*)[6]) & sim->contacts.answers[at];
}

/** Copies the changes of a range of the order to the pool. */
static void keep_answer(const ov_sim *sim, size_t first, size_t end, double (*at)[6]) {
    for (size_t i = first; i < end; i++) {
        memcpy(at[i - first], sim->forest.nodes[sim->forest.order[i]].change, sizeof at[0]);
    }
}

/** Answers to a unit impulse along a direction; returns the response along another direction. */
static void find_answer(ov_sim *sim, const ovi_sim_contact *c, ov_vec3 u, double (*at)[6]) {
    const ovi_sim_body *a = &sim->bodies[c->a], *b = &sim->bodies[c->b];
    const ovi_tree_push pushes[2] = {{c->a, ov_vec3_neg(u), ov_vec3_cross(u, c->arm_a)},
                                     {c->b, u, ov_vec3_cross(c->arm_b, u)}};
    bool same = a->in_order && b->in_order && a->tree == b->tree;
    if (a->in_order) {
        ovi_forest_answer(sim, a->tree_first, a->tree_end, pushes, same ? 2 : 1);
        keep_answer(sim, a->tree_first, a->tree_end, at);
        at += a->tree_end - a->tree_first;
    }
    if (b->in_order && !same) {
        ovi_forest_answer(sim, b->tree_first, b->tree_end, pushes + 1, 1);
        keep_answer(sim, b->tree_first, b->tree_end, at);
    }
}

static void add_answer(ov_sim *sim, size_t first, size_t end, const double (*at)[6], double by) {
    for (size_t i = first; i < end; i++) {
        ovi_mover *m = &sim->movers[sim->forest.order[i]];
        const double *d = at[i - first];
        m->v = ov_vec3_add_scaled(m->v, ov_vec3_make(d[0], d[1], d[2]), by);
        m->w = ov_vec3_add_scaled(m->w, ov_vec3_make(d[3], d[4], d[5]), by);
    }
}

/** Pushes both bodies along one of the contact's directions (0: normal), and their trees. */
static void push_trees(ov_sim *sim, const ovi_sim_contact *c, int direction, double impulse) {
    const ovi_sim_body *a = &sim->bodies[c->a], *b = &sim->bodies[c->b];
    ov_vec3 u = direction == 0 ? c->normal : direction == 1 ? c->tangent1 : c->tangent2;
    ov_vec3 p = ov_vec3_scale(u, impulse);
    const double(*at)[6] = answer_of(sim, c, direction);
    bool same = a->in_order && b->in_order && a->tree == b->tree;
    if (a->in_order) {
        add_answer(sim, a->tree_first, a->tree_end, at, impulse);
        at += a->tree_end - a->tree_first;
    } else {
        ovi_mover_push(&sim->movers[c->a], ov_vec3_neg(p), ov_vec3_cross(p, c->arm_a));
    }
    if (!b->in_order) {
        ovi_mover_push(&sim->movers[c->b], p, ov_vec3_cross(c->arm_b, p));
    } else if (!same) {
        add_answer(sim, b->tree_first, b->tree_end, at, impulse);
    }
}

/** Change of the relative velocity at the contact by the unit impulse of a direction. */
static ov_vec3 answer_speed(const ov_sim *sim, const ovi_sim_contact *c, int direction) {
    const ovi_sim_body *a = &sim->bodies[c->a], *b = &sim->bodies[c->b];
    const double(*at)[6] = answer_of(sim, c, direction);
    ov_vec3 u = direction == 0 ? c->normal : direction == 1 ? c->tangent1 : c->tangent2;
    ovi_mover ma = {.inv_mass = 0.0}, mb = ma;
    const ovi_sim_body *const ends[2] = {a, b};
    ovi_mover *const moved[2] = {&ma, &mb};
    const uint32_t slots[2] = {c->a, c->b};
    size_t base[2] = {
        0, a->in_order && !(b->in_order && a->tree == b->tree) ? a->tree_end - a->tree_first : 0};
    for (int e = 0; e < 2; e++) {
        if (ends[e]->in_order) {
            const double *d = NULL;
            for (uint32_t i = ends[e]->tree_first; i < ends[e]->tree_end; i++) {
                d = sim->forest.order[i] == slots[e] ? at[base[e] + i - ends[e]->tree_first] : d;
            }
            moved[e]->v = ov_vec3_make(d[0], d[1], d[2]);
            moved[e]->w = ov_vec3_make(d[3], d[4], d[5]);
        } else {
            ov_vec3 p = e == 0 ? ov_vec3_neg(u) : u;
            *moved[e] = sim->movers[slots[e]];
            moved[e]->v = moved[e]->w = ov_vec3_make(0.0, 0.0, 0.0);
            ovi_mover_push(moved[e], p, ov_vec3_cross(e == 0 ? c->arm_a : c->arm_b, p));
        }
    }
    return relative_speed(&ma, &mb, c);
}

ov_status ovi_contacts_enter_trees(ov_sim *sim) {
    ovi_sim_contacts *all = &sim->contacts;
    if (!ovi_contacts_in_trees(sim)) {
        return OV_OK;
    }
    for (size_t i = 0; i < sim->forest.count; i++) {
        ovi_sim_body *body = &sim->bodies[sim->forest.order[i]];
        const ovi_mover *m = &sim->movers[sim->forest.order[i]];
        body->v1 = m->v, body->w1 = m->w, body->l1 = m->l;
    }
    size_t count = 0;
    for (size_t i = all->first[OVI_COLOUR_TREES]; i < all->now.count; i++) {
        const ovi_sim_contact *c = &all->now.items[i];
        tree_contact(sim, c)->answers = count;
        count += 3 * answer_size(sim, c);
    }
    if (!ovi_sim_room(&sim->options.allocator, &all->answers, &all->answer_room, count,
                      sizeof *all->answers)) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = all->first[OVI_COLOUR_TREES]; i < all->now.count; i++) {
        ovi_sim_contact *c = &all->now.items[i];
        const ov_vec3 u[3] = {c->normal, c->tangent1, c->tangent2};
        double(*answers)[6] = &all->answers[tree_contact(sim, c)->answers];
        for (size_t k = 0; k < 3; k++) {
            find_answer(sim, c, u[k], &answers[k * answer_size(sim, c)]);
        }
        ov_vec3 s1 = answer_speed(sim, c, 1), s2 = answer_speed(sim, c, 2);
        double kn = ov_vec3_dot(c->normal, answer_speed(sim, c, 0));
        set_masses(c, kn, ov_vec3_dot(c->tangent1, s1), ov_vec3_dot(c->tangent1, s2),
                   ov_vec3_dot(c->tangent2, s2), 1e-6 / c->mass_n);
    }
    return OV_OK;
}

void ovi_contacts_leave_trees(ov_sim *sim) {
    ovi_sim_contacts *all = &sim->contacts;
    if (!ovi_contacts_in_trees(sim)) {
        return;
    }
    for (size_t i = 0; i < sim->forest.count; i++) {
        const ovi_sim_body *body = &sim->bodies[sim->forest.order[i]];
        ovi_mover *m = &sim->movers[sim->forest.order[i]];
        m->v = body->v1, m->w = body->w1, m->l = body->l1;
    }
    for (size_t i = all->first[OVI_COLOUR_TREES]; i < all->now.count; i++) {
        const ovi_sim_contact *c = &all->now.items[i];
        ovi_tree_contact *t = tree_contact(sim, c);
        ov_vec3 p = ov_vec3_scale(c->normal, c->normal_sum - t->applied[0]);
        p = ov_vec3_add_scaled(p, c->tangent1, c->tangent_sum[0] - t->applied[1]);
        p = ov_vec3_add_scaled(p, c->tangent2, c->tangent_sum[1] - t->applied[2]);
        ov_vec3 turn = ov_vec3_sub(c->rolling_sum, t->applied_rolling);
        if (sim->bodies[c->a].in_order) {
            ovi_mover_push(&sim->movers[c->a], ov_vec3_neg(p),
                           ov_vec3_sub(ov_vec3_cross(p, c->arm_a), turn));
        }
        if (sim->bodies[c->b].in_order) {
            ovi_mover_push(&sim->movers[c->b], p, ov_vec3_add(ov_vec3_cross(c->arm_b, p), turn));
        }
        t->applied[0] = c->normal_sum;
        t->applied[1] = c->tangent_sum[0];
        t->applied[2] = c->tangent_sum[1];
        t->applied_rolling = c->rolling_sum;
    }
}

/* ---- solve */

/** What is worth a thread: contacts to be solved. */
enum { CONTACTS_PER_THREAD = 128 };

/** Changes of the impulses of a contact: normal and tangents. */
typedef struct impulse {
    double n, t1, t2;
} impulse;

static inline void turn(ovi_mover *a, ovi_mover *b, ov_vec3 angular) {
    const ov_vec3 none = {0.0, 0.0, 0.0};
    ovi_mover_push(a, none, ov_vec3_neg(angular));
    ovi_mover_push(b, none, angular);
}

static ov_vec3 along(const ovi_sim_contact *c, impulse p) {
    ov_vec3 sum = ov_vec3_scale(c->normal, p.n);
    return ov_vec3_add_scaled(ov_vec3_add_scaled(sum, c->tangent1, p.t1), c->tangent2, p.t2);
}

/** The impulses that a solve begins with, those that the same one ended with before: of the first
 *  one in a substep, or what the second one added. */
static inline impulse start_of(ovi_sim_contact *c, bool second) {
    double n = c->other_normal, t1 = c->other_tangent[0], t2 = c->other_tangent[1];
    double n0 = c->normal_sum, t10 = c->tangent_sum[0], t20 = c->tangent_sum[1];
    if (second) {
        n = n > -n0 ? n : -n0;
        c->other_normal = n0;
        c->other_tangent[0] = t10;
        c->other_tangent[1] = t20;
        c->normal_sum = n0 + n;
        c->tangent_sum[0] = t10 + t1;
        c->tangent_sum[1] = t20 + t2;
    } else {
        c->other_normal = n0 - n;
        c->other_tangent[0] = t10 - t1;
        c->other_tangent[1] = t20 - t2;
        c->normal_sum = n;
        c->tangent_sum[0] = t1;
        c->tangent_sum[1] = t2;
    }
    return (impulse){n, t1, t2};
}

/** The same for the torque against rolling: each solve holds what the kick before it does. */
static inline ov_vec3 start_rolling(ovi_sim_contact *c, bool second) {
    ov_vec3 start = c->other_rolling, sum = c->rolling_sum;
    c->other_rolling = second ? sum : ov_vec3_sub(sum, start);
    c->rolling_sum = second ? ov_vec3_add(sum, start) : start;
    return start;
}

/** A contact that the second solve leaves out: the next substep begins where the first one ended.
 */
static void pass_over(ovi_sim_contact *c) {
    c->other_normal = c->normal_sum;
    c->other_tangent[0] = c->tangent_sum[0];
    c->other_tangent[1] = c->tangent_sum[1];
    c->other_rolling = c->rolling_sum;
}

/** Coulomb's friction at a relative velocity; the change of the impulse. */
static inline impulse friction_of(ovi_sim_contact *c, ov_vec3 v) {
    double s1 = c->tangent_sum[0] - c->mass_t * ov_vec3_dot(c->tangent1, v);
    double s2 = c->tangent_sum[1] - c->mass_t * ov_vec3_dot(c->tangent2, v);
    double most = c->friction * c->normal_sum, square = s1 * s1 + s2 * s2;
    if (square > most * most) {
        double cut = most / sqrt(square);
        s1 *= cut;
        s2 *= cut;
    }
    impulse p = {0.0, s1 - c->tangent_sum[0], s2 - c->tangent_sum[1]};
    c->tangent_sum[0] = s1;
    c->tangent_sum[1] = s2;
    return p;
}

/** Change of the normal impulse before the bodies move: they come no closer than to touch, and
 *  overlapping ones part. It stays above zero. */
static inline double push_of(const ovi_sim_work *work, ovi_sim_contact *c, double speed) {
    double add;
    if (c->now > 0.0) {
        add = -c->mass_n * (speed + c->now / work->h);
    } else {
        const ovi_contact_spring *s = &work->springs[c->held];
        double rate = s->rate * c->now, most = -work->sim->options.push_speed;
        rate = rate > most ? rate : most;
        add = -c->mass_n * s->mass_scale * (speed + rate) - s->impulse_scale * c->normal_sum;
    }
    double before = c->normal_sum, sum = before + add;
    c->normal_sum = sum > 0.0 ? sum : 0.0;
    return c->normal_sum - before;
}

/** ... after they have moved: neither approach nor a speed that the push has left. */
static inline double rest_of(const ovi_sim_work *work, ovi_sim_contact *c, double speed) {
    if (c->bounces && speed < -work->sim->bounce_speed && c->normal_sum == 0.0) {
        return 0.0; // the next substep begins with its bounce
    }
    double least = c->now > 0.0 ? -c->now / work->h : 0.0;
    double excess = speed < least ? speed - least : speed > 0.0 ? speed : 0.0;
    double before = c->normal_sum, sum = before - c->mass_n * excess;
    c->normal_sum = sum > 0.0 ? sum : 0.0;
    return c->normal_sum - before;
}

/** A torque against the relative turning, of at most the arm times the normal impulse. */
static inline void solve_rolling(ovi_mover *a, ovi_mover *b, ovi_sim_contact *c) {
    ov_vec3 w = ov_vec3_sub(b->w, a->w);
    double square = ov_vec3_dot(w, w);
    double k = ov_vec3_dot(w, ovi_sym3_mul(&a->inv_inertia, w)) +
               ov_vec3_dot(w, ovi_sym3_mul(&b->inv_inertia, w));
    if (!(k > 0.0)) {
        return;
    }
    ov_vec3 sum = ov_vec3_add_scaled(c->rolling_sum, w, -square / k);
    double most = c->rolling * c->normal_sum, length = ov_vec3_dot(sum, sum);
    if (length > most * most) {
        sum = ov_vec3_scale(sum, most / sqrt(length));
    }
    turn(a, b, ov_vec3_sub(sum, c->rolling_sum));
    c->rolling_sum = sum;
}

/** Fetches the bodies of a contact a little ahead: they are anywhere in memory. */
static inline void look_ahead(const ov_sim *sim, const ovi_sim_contact *c,
                              const ovi_sim_contact *end) {
    enum { AHEAD = 4 };
    if (end - c > AHEAD) {
        c += AHEAD;
        ovi_fetch(&sim->movers[c->a]);
        ovi_fetch(&sim->movers[c->a].inv_inertia);
        ovi_fetch(&sim->movers[c->b]);
        ovi_fetch(&sim->movers[c->b].inv_inertia);
    }
}

/** Contacts of a range. Those of a pair have its bodies in common, so a range ends where a pair
 * does: its last one goes on behind it, and what is left of the one before is passed over. */
static const ovi_sim_contact *end_of_range(const ovi_sim_work *work, size_t end) {
    const ovi_sim_contact *last = &work->sim->contacts.now.items[work->first + end] - 1;
    return last + last->points;
}

static ovi_sim_contact *begin_of_range(const ovi_sim_work *work, size_t begin) {
    ovi_sim_contact *first = &work->sim->contacts.now.items[work->first];
    return begin > 0 ? first + begin - 1 + first[begin - 1].points : first;
}

static void start_range(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    const ovi_sim_work *work = context;
    ov_sim *sim = work->sim;
    bool second = !work->soft;
    const ovi_sim_contact *stop = end_of_range(work, end);
    for (ovi_sim_contact *c = begin_of_range(work, begin); c < stop; c++) {
        look_ahead(sim, c, stop);
        ovi_mover *a = &sim->movers[c->a], *b = &sim->movers[c->b];
        if (second && c->slid) {
            pass_over(c);
            continue;
        }
        push(a, b, c, along(c, start_of(c, second)));
        if (c->rolling > 0.0) {
            turn(a, b, start_rolling(c, second));
        }
    }
}

/** One after the other: rolling, friction, the normal. What friction does to the speed along the
 *  normal is known, so that both are one push. */
static void solve_range(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    const ovi_sim_work *work = context;
    ov_sim *sim = work->sim;
    const ovi_sim_contact *stop = end_of_range(work, end);
    for (ovi_sim_contact *c = begin_of_range(work, begin); c < stop; c++) {
        look_ahead(sim, c, stop);
        ovi_mover *a = &sim->movers[c->a], *b = &sim->movers[c->b];
        if (!work->soft && c->slid) {
            continue; // nothing is known about where it is now
        }
        if (c->rolling > 0.0) {
            solve_rolling(a, b, c);
        }
        ov_vec3 v = relative_speed(a, b, c);
        impulse p = friction_of(c, v);
        double speed = ov_vec3_dot(c->normal, v) + c->across[0] * p.t1 + c->across[1] * p.t2;
        p.n = work->soft ? push_of(work, c, speed) : rest_of(work, c, speed);
        push(a, b, c, along(c, p));
    }
}

/** Bodies in trees: each direction by itself, as their answers are kept. */
static void push_all(ov_sim *sim, const ovi_sim_contact *c, impulse p) {
    push_trees(sim, c, 0, p.n);
    push_trees(sim, c, 1, p.t1);
    push_trees(sim, c, 2, p.t2);
}

/** A sweep over them; the largest change of a speed along a normal. */
static double solve_in_trees(const ovi_sim_work *work, bool start) {
    ov_sim *sim = work->sim;
    double most = 0.0;
    for (size_t i = sim->contacts.first[OVI_COLOUR_TREES]; i < sim->contacts.now.count; i++) {
        ovi_sim_contact *c = &sim->contacts.now.items[i];
        ovi_mover *a = &sim->movers[c->a], *b = &sim->movers[c->b];
        if (!work->soft && c->slid) {
            if (start) {
                pass_over(c);
            }
            continue;
        }
        if (start) {
            push_all(sim, c, start_of(c, !work->soft));
            turn(a, b, start_rolling(c, !work->soft));
            continue;
        }
        if (c->rolling > 0.0) {
            solve_rolling(a, b, c);
        }
        push_all(sim, c, friction_of(c, relative_speed(a, b, c)));
        double speed = ov_vec3_dot(c->normal, relative_speed(a, b, c));
        double add = work->soft ? push_of(work, c, speed) : rest_of(work, c, speed);
        push_trees(sim, c, 0, add);
        most = c->mass_n > 0.0 ? fmax(most, fabs(add) / c->mass_n) : most;
    }
    return most;
}

/** A hand under a body that lies on it takes many sweeps, as light as it is: those of trees go on
 *  until no speed changes by more than a small part of the smallest body in a substep. */
static void finish_trees(const ovi_sim_work *work) {
    enum { SWEEPS = 40 };
    double enough = 1e-5 * work->sim->forest.scale / work->h;
    for (int i = 0; i < SWEEPS && solve_in_trees(work, false) > enough; i++) {
    }
}

/** A sweep over all contacts, colour by colour. */
static void sweep(const ovi_sim_work *work, bool start) {
    ov_sim *sim = work->sim;
    const size_t *first = sim->contacts.first;
    for (int k = 0; k < OVI_COLOUR_TREES; k++) {
        size_t size = first[k + 1] - first[k];
        ovi_sim_work of_colour = *work;
        of_colour.first = first[k];
        ovi_sim_later(&of_colour, start ? start_range : solve_range, size,
                      k == OVI_COLOUR_REST ? size : CONTACTS_PER_THREAD);
    }
    if (ovi_contacts_in_trees(sim)) {
        ovi_sim_do_now(sim);
        solve_in_trees(work, start);
    }
}

void ovi_contacts_solve(ov_sim *sim, double h, bool soft, bool start, int sweeps) {
    ovi_sim_work work = {.sim = sim, .h = h, .soft = soft};
    set_springs(sim, h, work.springs);
    if (start) {
        sweep(&work, true);
    }
    for (int i = 0; i < sweeps; i++) {
        sweep(&work, false);
    }
    if (ovi_contacts_in_trees(sim) && sim->options.mode == OV_SIM_MODE_ACCURATE) {
        finish_trees(&work);
    }
}

double ovi_contacts_approach(const ov_sim *sim, double h) {
    double worst = 0.0;
    for (size_t i = sim->contacts.first[OVI_COLOUR_TREES]; i < sim->contacts.now.count; i++) {
        const ovi_sim_contact *c = &sim->contacts.now.items[i];
        const ovi_mover *a = &sim->movers[c->a], *b = &sim->movers[c->b];
        double way = h * ov_vec3_dot(c->normal, relative_speed(a, b, c));
        if (!c->slid && !c->bounces && c->mass_n > 0.0) {
            worst = fmax(worst, -(way + fmax(c->now, 0.0)));
        }
    }
    return worst;
}

/* ---- bounces */

/** Friction while two bodies bounce: their speed across the normal is stopped, by no more than mu
 *  times the impulse along it. That follows the bounce, so it takes energy and never adds any. */
static void rub(ov_sim *sim, ovi_sim_contact *c, double impulse) {
    ovi_mover *a = &sim->movers[c->a], *b = &sim->movers[c->b];
    ov_vec3 v = relative_speed(a, b, c);
    v = ov_vec3_add_scaled(v, c->normal, -ov_vec3_dot(c->normal, v));
    double speed = ovi_length(v), most = c->friction * impulse;
    if (speed > 0.0 && most > 0.0) {
        push(a, b, c, ov_vec3_scale(v, -fmin(c->mass_t, most / speed)));
    }
}

/** An impulse that gives a contact the speed wanted, and what the joints of both bodies answer. */
static void bounce(ov_sim *sim, ovi_sim_contact *c, double wanted, bool joints) {
    ovi_mover *a = &sim->movers[c->a], *b = &sim->movers[c->b];
    double before = ov_vec3_dot(c->normal, relative_speed(a, b, c));
    double impulse = c->mass_n * (wanted - before);
    push(a, b, c, ov_vec3_scale(c->normal, impulse));
    if (!joints) {
        rub(sim, c, impulse);
        return;
    }
    // the answer is linear: what the first impulse did tells how much more it takes
    ovi_forest_solve(sim, OVI_PHASE_LAST);
    double after = ov_vec3_dot(c->normal, relative_speed(a, b, c));
    if (after - before > 1e-6 * (wanted - before) && after < wanted) {
        double more = impulse * (wanted - after) / (after - before);
        push(a, b, c, ov_vec3_scale(c->normal, more));
        ovi_forest_solve(sim, OVI_PHASE_LAST);
        impulse += more;
    }
    rub(sim, c, impulse);
    ovi_forest_solve(sim, OVI_PHASE_LAST);
}

/**
 * The speed after a bounce, at a gap d that the bodies have yet to close. They would touch at
 * v^2 - 2 a d with the relative acceleration a along the normal, part at e times that speed, and be
 * here again at e^2 (v^2 - 2 a d) + 2 a d: so bounces are as high as if they happened in touch.
 */
static double rebound(const ov_sim *sim, const ovi_sim_contact *c, double restitution,
                      double speed) {
    double pull = ov_vec3_dot(c->normal, sim->options.gravity);
    double a = pull * (ovi_is_free(&sim->movers[c->b]) - ovi_is_free(&sim->movers[c->a]));
    double e2 = restitution * restitution;
    double square = e2 * speed * speed + 2.0 * a * fmax(c->now, 0.0) * (1.0 - e2);
    return sqrt(fmax(square, 0.0));
}

/** Do two bodies hit each other in this substep, so fast that they part again? `speed` is that
 *  along the normal. */
static bool will_bounce(const ov_sim *sim, const ovi_sim_contact *c, double h, double *speed) {
    if (!c->bounces) {
        return false;
    }
    double pull = 0.5 * h * ov_vec3_length(sim->options.gravity); // that the kick may add
    *speed = ov_vec3_dot(c->normal, relative_speed(&sim->movers[c->a], &sim->movers[c->b], c));
    return *speed < -sim->bounce_speed && c->now + h * (*speed - pull) < 0.0;
}

bool ovi_contacts_bounce_late(ov_sim *sim, double h) {
    const ovi_contact_list *all = &sim->contacts.now;
    if (!atomic_load(&sim->contacts.any_bounce)) {
        return false;
    }
    ovi_sim_do_now(sim);
    bool late = false;
    double speed;
    for (size_t i = 0; i < all->count && !late; i++) {
        late = all->records[i].age > 0.0 && will_bounce(sim, &all->items[i], h, &speed);
    }
    return late;
}

static void bounce_all(ov_sim *sim, double h) {
    enum { ROUNDS = 64 };
    const ovi_contact_list *all = &sim->contacts.now;
    bool joints = sim->forest.count > 0;
    for (int round = 0; round < ROUNDS; round++) {
        bool any = false;
        for (size_t i = 0; i < all->count; i++) {
            ovi_sim_contact *c = &all->items[i];
            double speed;
            if (will_bounce(sim, c, h, &speed)) {
                bool held = sim->bodies[c->a].in_order || sim->bodies[c->b].in_order;
                double wanted = rebound(sim, c, all->records[i].restitution, speed);
                bounce(sim, c, wanted, joints && held);
                any = true;
            }
        }
        if (!any) {
            return;
        }
    }
}

ov_status ovi_contacts_begin(ov_sim *sim, double h) {
    ovi_sim_contacts *all = &sim->contacts;
    size_t count = all->now.count - all->first[OVI_COLOUR_TREES];
    if (!ovi_sim_room(&sim->options.allocator, &all->in_trees, &all->in_tree_room, count,
                      sizeof *all->in_trees)) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        all->in_trees[i] = (ovi_tree_contact){.answers = 0};
    }
    if (atomic_load(&all->any_bounce)) {
        ovi_sim_do_now(sim);
        bounce_all(sim, h);
    }
    return OV_OK;
}

/** Gaps and arms at the present poses. A point of contact does not turn with a body that rolls, so
 *  the arms do not either; the gap changes as the speeds of the points tell. */
static void update_range(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    const ovi_sim_work *work = context;
    ov_sim *sim = work->sim;
    bool any_slid = false;
    for (size_t i = begin; i < end; i++) {
        ovi_sim_contact *c = &sim->contacts.now.items[i];
        ovi_contact_record *r = &sim->contacts.now.records[i];
        const ovi_sim_body *a = &sim->bodies[c->a], *b = &sim->bodies[c->b];
        r->age += work->h;
        r->gap = c->now;
        ov_vec3 turn_a = ov_vec3_scale(a->w_mid, work->h);
        ov_vec3 turn_b = ov_vec3_scale(b->w_mid, work->h);
        ov_vec3 way_a = ov_vec3_add(ov_vec3_sub(a->x, a->x0), ov_vec3_cross(turn_a, c->arm_a));
        ov_vec3 way_b = ov_vec3_add(ov_vec3_sub(b->x, b->x0), ov_vec3_cross(turn_b, c->arm_b));
        double now = r->gap + ov_vec3_dot(c->normal, ov_vec3_sub(way_b, way_a));
        // one common point, the nearer to that of a body the smaller it is
        ov_vec3 pa = ov_vec3_add(a->x, ov_vec3_add_scaled(c->arm_a, r->wander_a, work->h));
        ov_vec3 pb = ov_vec3_add(b->x, ov_vec3_add_scaled(c->arm_b, r->wander_b, work->h));
        double ra = ovi_inverse_reach(a), rb = ovi_inverse_reach(b);
        ov_vec3 apart = ov_vec3_sub(pb, pa);
        ov_vec3 point = ov_vec3_add_scaled(pa, apart, rb / (ra + rb));
        c->arm_a = ov_vec3_sub(point, a->x);
        c->arm_b = ov_vec3_sub(point, b->x);
        double square_a = ov_vec3_dot(turn_a, turn_a), square_b = ov_vec3_dot(turn_b, turn_b);
        c->slid = ovi_length(apart) * ra * rb > 0.25 * (ra + rb) ||
                  (square_a > 1.0 && a->follow < INFINITY) ||
                  (square_b > 1.0 && b->follow < INFINITY);
        any_slid = any_slid || c->slid;
        c->now = c->slid ? r->gap : now;
        if (square_a > 0.01 || square_b > 0.01) {
            ovi_contact_find_masses(sim, c); // else they are near enough
        }
    }
    if (any_slid) {
        atomic_store(&sim->contacts.stale, true);
    }
}

void ovi_contacts_update(ov_sim *sim, double h) {
    const ovi_sim_work work = {.sim = sim, .h = h};
    ovi_sim_later(&work, update_range, sim->contacts.now.count, CONTACTS_PER_THREAD);
}
