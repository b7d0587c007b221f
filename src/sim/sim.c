/**
 * @file sim.c
 * @brief A simulation: options, the step, and what it tells about the whole.
 *
 * A substep of length h is that of RATTLE for joints, with contacts solved beside them:
 *
 *  1. Contacts are found at the present poses; approaching ones bounce.
 *  2. Half a kick by gravity and forces.
 *  3. Velocities: contacts by sweeps, joints by their trees, in turns.
 *  4. The bodies move. Joints get further impulses, along the directions of the substep's start,
 *     until they end without an error of position.
 *  5. The other half of the kick, and velocities once more at the new poses: no push, no drift.
 *
 * Without contacts this is a symmetric method of second order that keeps momentum and angular
 * momentum to rounding, and the energy without drift (docs/theory/simulation.md).
 */
#include <math.h>
#include <string.h>

#include "../math/rounding_mode.h"
#include "../world/world_internal.h"
#include "sim_internal.h"

/* ---- options */

const char *ov_sim_mode_name(ov_sim_mode mode) {
    static const char *const names[OV_SIM_MODE_COUNT] = {"fast", "accurate"};
    return (unsigned)mode < OV_SIM_MODE_COUNT ? names[mode] : "unknown";
}

ov_sim_options ov_default_sim_options(void) {
    return (ov_sim_options){.gravity = {0.0, 0.0, -9.81},
                            .push_speed = 3.0,
                            .sleep_speed = 0.02,
                            .sleep_time = 0.5,
                            .pair = ov_default_pair_options()};
}

static double given_or(double given, double otherwise) { return given != 0.0 ? given : otherwise; }

/** Checks options and fills in defaults. */
static ov_status check_options(const ov_sim_options *given, ov_sim_options *used) {
    ov_sim_options normal = ov_default_sim_options();
    *used = given != NULL ? *given : normal;
    ov_vec3 g = used->gravity;
    used->gravity = g.x == 0.0 && g.y == 0.0 && g.z == 0.0 ? normal.gravity : g;
    used->push_speed = given_or(used->push_speed, normal.push_speed);
    used->sleep_speed = given_or(used->sleep_speed, normal.sleep_speed);
    used->sleep_time = given_or(used->sleep_time, normal.sleep_time);
    if (!ov_vec3_is_finite(g) || !isfinite(used->push_speed + used->bounce_speed) ||
        !isfinite(used->sleep_speed + used->sleep_time)) {
        return OV_ERROR_NOT_FINITE;
    }
    bool accurate = used->mode == OV_SIM_MODE_ACCURATE;
    used->substeps = used->substeps != 0 ? used->substeps : accurate ? 10 : 4;
    bool good = (unsigned)used->mode < OV_SIM_MODE_COUNT && used->substeps > 0 &&
                used->substeps <= OV_SIM_SUBSTEPS_MAX && used->iterations >= 0 &&
                used->iterations <= OV_SIM_ITERATIONS_MAX && used->push_speed > 0.0 &&
                used->bounce_speed >= 0.0 && used->sleep_speed > 0.0 && used->sleep_time > 0.0 &&
                ov_vec3_length(g) <= 1e50;
    return good ? OV_OK : OV_ERROR_OPTION;
}

ov_status ov_sim_create(const ov_sim_options *options, ov_sim **sim) {
    if (sim == NULL) {
        return OV_ERROR_NULL;
    }
    *sim = NULL;
    ov_sim_options used;
    ov_status status = check_options(options, &used);
    if (status < 0) {
        return status;
    }
    used.allocator = ovi_allocator_of(&used.allocator);
    ov_world_options of_world = {
        .pair = used.pair, .threads = used.threads, .allocator = used.allocator};
    ov_world *world;
    status = ov_world_create(&of_world, &world);
    if (status < 0) {
        return status;
    }
    ov_sim *s = ovi_resize(&used.allocator, NULL, 0, 1, sizeof *s);
    if (s == NULL) {
        ov_world_destroy(world);
        return OV_ERROR_MEMORY;
    }
    *s = (ov_sim){
        .options = used, .world = world, .free_body = OVI_NO_BODY, .free_joint = OVI_NO_BODY};
    *sim = s;
    return OV_OK;
}

void ov_sim_destroy(ov_sim *sim) {
    if (sim == NULL) {
        return;
    }
    ov_allocator by = sim->options.allocator;
    ov_world_destroy(sim->world);
    ovi_forest_free(sim);
    ovi_contacts_free(sim);
    ovi_sweep_free(sim);
    ovi_release(&by, sim->bodies, sim->body_room, sizeof *sim->bodies);
    ovi_release(&by, sim->movers, sim->mover_room, sizeof *sim->movers);
    ovi_release(&by, sim->joints, sim->joint_room, sizeof *sim->joints);
    ovi_release(&by, sim->filters, sim->filter_room, sizeof *sim->filters);
    ovi_release(&by, sim->moved, sim->moved_room, sizeof *sim->moved);
    ovi_release(&by, sim->moved_poses, sim->moved_pose_room, sizeof *sim->moved_poses);
    ovi_release(&by, sim->world_slots, sim->world_slot_room, sizeof *sim->world_slots);
    ovi_release(&by, sim->roots, sim->root_room, sizeof *sim->roots);
    ovi_release(&by, sim, 1, sizeof *sim);
}

ov_status ov_sim_set_threads(ov_sim *sim, const ov_threads *threads) {
    if (sim == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = ov_world_set_threads(sim->world, threads);
    if (status == OV_OK) {
        sim->options.threads = threads != NULL ? *threads : (ov_threads){0};
    }
    return status;
}

const ov_world *ov_sim_world(const ov_sim *sim) { return sim != NULL ? sim->world : NULL; }

/* ---- slots */

uint32_t ovi_sim_body_of(const ov_sim *sim, ov_sim_body id) {
    uint64_t slot = (id >> 32) - 1u;
    if (id >> 32 == 0 || slot >= sim->body_count) {
        return OVI_NO_BODY;
    }
    const ovi_sim_body *body = &sim->bodies[slot];
    return body->used && body->generation == (uint32_t)id ? (uint32_t)slot : OVI_NO_BODY;
}

bool ovi_sim_note_slot(ov_sim *sim, ov_body in_world, uint32_t slot) {
    size_t at = (size_t)(in_world >> 32) - 1;
    if (!ovi_sim_room(&sim->options.allocator, &sim->world_slots, &sim->world_slot_room, at + 1,
                      sizeof *sim->world_slots)) {
        return false;
    }
    sim->world_slots[at] = slot;
    return true;
}

/* ---- a substep */

/** What is worth a thread. */
enum { BODIES_PER_THREAD = 256 };

static void for_bodies(ov_sim *sim, ovi_range_work function, double h) {
    const ovi_sim_work work = {.sim = sim, .h = h};
    ovi_sim_later(&work, function, sim->body_count, BODIES_PER_THREAD);
}

static bool is_moving(const ov_sim *sim, size_t slot) {
    const ovi_sim_body *body = &sim->bodies[slot];
    return body->used && !body->asleep && ovi_is_free(&sim->movers[slot]);
}

static void prepare_joints(ov_sim *sim, double h, bool arrived) {
    for (size_t i = 0; i < sim->joint_count; i++) {
        if (sim->joints[i].used) {
            ovi_joint_prepare(sim, &sim->joints[i], h, arrived);
        }
    }
    sim->factor_stale = true;
}

/** Impulses of limits, motors and springs begin anew. */
static void restart_joints(ov_sim *sim) {
    for (size_t i = 0; i < sim->joint_count; i++) {
        ovi_sim_joint *joint = &sim->joints[i];
        for (int k = 0; joint->used && k < joint->row_count; k++) {
            joint->rows[k].sum = 0.0;
        }
    }
}

static void kick_range(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    const ovi_sim_work *work = context;
    ov_sim *sim = work->sim;
    for (size_t i = begin; i < end; i++) {
        if (is_moving(sim, i)) {
            ovi_sim_kick(sim, &sim->bodies[i], &sim->movers[i], work->h);
        }
    }
}

static void drift_range(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    const ovi_sim_work *work = context;
    ov_sim *sim = work->sim;
    for (size_t i = begin; i < end; i++) {
        ovi_sim_body *body = &sim->bodies[i];
        if (body->used && (is_moving(sim, i) || body->kinematic)) {
            ovi_sim_drift(body, &sim->movers[i], work->h);
        }
    }
}

static void drift_all(ov_sim *sim, double h) {
    for_bodies(sim, drift_range, h);
    ovi_sim_do_now(sim);
}

/** After the bodies have moved: inertia and the second half of the kick; how far they have gone,
 * and whether that is too far for the contacts that were found last. */
static void arrive_range(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    const ovi_sim_work *work = context;
    ov_sim *sim = work->sim;
    const uint64_t touches = UINT64_C(1) << OVI_TAKEN_TOUCH;
    bool far = false;
    for (size_t i = begin; i < end; i++) {
        ovi_sim_body *body = &sim->bodies[i];
        double turn = work->h * ovi_length(body->w_mid);
        if (is_moving(sim, i)) {
            ovi_sim_kick(sim, body, &sim->movers[i], work->h);
            ovi_sim_refresh(body, &sim->movers[i]);
        } else if (!body->kinematic) {
            continue;
        }
        body->turn += turn;
        body->way += ovi_length(ov_vec3_sub(body->x, body->x0)) + body->reach * turn;
        far = far || (body->used && body->in_world != 0 &&
                      (body->way > body->margin ||
                       (body->turn > body->follow && (sim->contacts.taken[i] & touches) != 0)));
    }
    if (far) {
        atomic_store(&sim->contacts.stale, true);
    }
}

/** Where everything is at the substep's start, and how led bodies will move. */
static void begin_range(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    const ovi_sim_work *work = context;
    ov_sim *sim = work->sim;
    for (size_t i = begin; i < end; i++) {
        ovi_sim_body *body = &sim->bodies[i];
        if (body->used && body->kinematic) {
            ovi_sim_lead_on(sim, body, &sim->movers[i], work->time, work->h, work->left);
        }
        body->x0 = body->x;
        body->q0 = body->q;
        body->v0 = sim->movers[i].v;
        body->l0 = sim->movers[i].l;
    }
}

static void begin(ov_sim *sim, double time, double h, double left) {
    const ovi_sim_work work = {.sim = sim, .h = h, .time = time, .left = left};
    ovi_sim_later(&work, begin_range, sim->body_count, BODIES_PER_THREAD);
    for (size_t i = 0; i < sim->joint_count; i++) {
        sim->joints[i].force = sim->joints[i].torque = ov_vec3_make(0.0, 0.0, 0.0);
    }
}

/** Errors of all joints at the present poses, times a share; the largest one. */
static double measure_joints(ov_sim *sim, double share) {
    double worst = 0.0;
    for (size_t i = 0; i < sim->joint_count; i++) {
        ovi_sim_joint *joint = &sim->joints[i];
        if (joint->used) {
            worst = fmax(worst, ovi_joint_errors(sim, joint));
            for (int k = 0; k < joint->row_count; k++) {
                joint->rows[k].error *= share;
            }
        }
    }
    return worst;
}

/** Velocities of all bodies that move, kept or brought back. */
static void keep_velocities(ov_sim *sim, bool back) {
    for (size_t i = 0; i < sim->body_count; i++) {
        ovi_sim_body *body = &sim->bodies[i];
        ovi_mover *m = &sim->movers[i];
        if (!is_moving(sim, i)) {
            continue;
        }
        if (back) {
            m->v = body->v1, m->w = body->w1, m->l = body->l1;
        } else {
            body->v1 = m->v, body->w1 = m->w, body->l1 = m->l;
        }
    }
}

/**
 * Moves the bodies such that no joint has an error of position. The best of a few rounds counts.
 * Where none is better than the first, and the errors are large (joints torn apart by contacts, or
 * put so), a part of them is taken out of the positions alone, which leaves no speed behind.
 */
static double project_joints(ov_sim *sim, double h) {
    enum { ROUNDS = 8, TRIES = 3 }; // the first rounds may run into limits
    drift_all(sim, h);
    keep_velocities(sim, false);
    double first = measure_joints(sim, 1.0), best = first, worst = first;
    for (int round = 0; worst > 1e-14 && (worst <= 4.0 * best || round < TRIES) && round < ROUNDS;
         round++) {
        ovi_forest_solve(sim, OVI_PHASE_POSITION);
        drift_all(sim, h);
        worst = measure_joints(sim, 1.0);
        if (worst < best) {
            best = worst;
            keep_velocities(sim, false);
        }
    }
    if (worst > best) {
        keep_velocities(sim, true);
        drift_all(sim, h);
        measure_joints(sim, 0.2);
    }
    if (!(best < 0.5 * first) && best > 0.02 * sim->forest.scale) {
        ovi_forest_solve(sim, OVI_PHASE_POSITION);
        drift_all(sim, h);
        keep_velocities(sim, true);
    }
    return best;
}

/**
 * Sweeps over the contacts of a solve. One leaves much to the next substep: in a pile of many
 * bodies that is good enough, and is most of what a frame costs; a few bodies on each other would
 * tremble by it, rock and fall, and their contacts cost little.
 */
static int sweeps_of(const ov_sim *sim) {
    enum { MANY = 2000, SWEEPS = 4 };
    if (sim->options.iterations > 0) {
        return sim->options.iterations;
    }
    bool fast = sim->options.mode == OV_SIM_MODE_FAST;
    return fast && sim->contacts.now.count > MANY ? 1 : SWEEPS;
}

/** Bodies in trees will be in each other by no more than this share of the smallest one's reach,
 *  or contacts and joints are solved once more. */
static const double approach_share = 1e-4;

/** ... but only where the joints hold to this share of it: joints and contacts that cannot both be
 *  met would push against each other round by round, harder each time. */
static const double joined_share = 1e-3;

/** ... and what is in something by more than this share of it has gone too far. */
static const double deep_share = 3e-3;

/** Moves all bodies. What joints do to positions may press bodies into each other: then their
 *  contacts are solved with it. */
static ov_status move_all(ov_sim *sim, double h) {
    enum { ROUNDS = 4 };
    if (sim->joints_used == 0) {
        for_bodies(sim, drift_range, h);
        return OV_OK;
    }
    double error = project_joints(sim, h), scale = sim->forest.scale, last = INFINITY;
    for (int round = 0; ovi_contacts_in_trees(sim) && round < ROUNDS; round++) {
        double approach = ovi_contacts_approach(sim, h);
        if (!(approach > approach_share * scale && approach < last &&
              error < joined_share * scale)) {
            break;
        }
        last = approach;
        ov_status status = ovi_contacts_enter_trees(sim);
        if (status < 0) {
            return status;
        }
        ovi_contacts_solve(sim, h, true, false, sweeps_of(sim));
        ovi_sim_do_now(sim);
        ovi_contacts_leave_trees(sim);
        error = project_joints(sim, h);
    }
    return OV_OK;
}

/** Is every number of the bodies finite, and in its range? And is any of them fast? */
static void look_range(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    const ovi_sim_work *work = context;
    ov_sim *sim = work->sim;
    bool good = true;
    for (size_t i = begin; i < end; i++) {
        const ovi_sim_body *body = &sim->bodies[i];
        good = good && (!(is_moving(sim, i) || (body->used && body->kinematic)) ||
                        (ov_vec3_is_finite(body->x) && isfinite(ovi_quat_square(body->q)) &&
                         ovi_has_speeds(&sim->movers[i])));
    }
    if (!good) {
        atomic_store(&sim->outcome.not_finite, true);
    }
    if (work->moved) {
        ovi_sweep_look(sim, work->h, begin, end);
    }
}

/** Looks at all bodies, when all that waits is done; `moved`: they have just done so. */
static ov_status look_at_all(ov_sim *sim, double h, bool moved) {
    const ovi_sim_work work = {.sim = sim, .h = h, .moved = moved};
    ovi_sim_later(&work, look_range, sim->body_count, BODIES_PER_THREAD);
    ovi_sim_do_now(sim);
    return atomic_load(&sim->outcome.not_finite) ? OV_ERROR_NOT_FINITE : OV_OK;
}

/** Puts all bodies where they were at the substep's start. */
static void go_back(ov_sim *sim) {
    for (size_t i = 0; i < sim->body_count; i++) {
        ovi_sim_body *body = &sim->bodies[i];
        if (body->used) {
            body->x = body->x0;
            body->q = body->q0;
            sim->movers[i].v = body->v0;
            sim->movers[i].l = body->l0;
            if (body->kinematic) { // led on from here, or not at all
                sim->movers[i].v = sim->movers[i].w = ov_vec3_make(0.0, 0.0, 0.0);
            }
            ovi_sim_refresh(body, &sim->movers[i]);
            body->w_mid = sim->movers[i].w;
        }
    }
}

/** Contacts and joints. Contacts know how whole trees answer, so that joints need to be solved but
 *  once after them; again where limits have come into play, and bodies approach each other once
 *  more. */
static ov_status solve_velocities(ov_sim *sim, double h, ovi_joint_phase phase) {
    enum { ROUNDS = 8 };
    bool first = phase == OVI_PHASE_FIRST, trees = ovi_contacts_in_trees(sim);
    if (sim->joints_used == 0) {
        ovi_contacts_solve(sim, h, first, true, sweeps_of(sim));
        return OV_OK;
    }
    ovi_sim_do_now(sim);
    int least = trees || sim->forest.loose_count > 0 ? 2 : 1;
    double enough = approach_share * sim->forest.scale;
    for (int round = 0; round < ROUNDS; round++) {
        if (round == 0 && trees) {
            ovi_forest_solve(sim, phase);
        }
        ov_status status = ovi_contacts_enter_trees(sim);
        if (status < 0) {
            return status;
        }
        ovi_contacts_solve(sim, h, first, round == 0, sweeps_of(sim));
        ovi_sim_do_now(sim);
        ovi_contacts_leave_trees(sim);
        ovi_forest_solve(sim, phase);
        if (round + 1 >= least && !(trees && ovi_contacts_approach(sim, h) > enough)) {
            break;
        }
    }
    return OV_OK;
}

/** A piece of a frame. */
typedef struct piece {
    double time, h;
    double left; /**< of the frame, at the piece's start */
    bool first;  /**< of its frame */
    bool found;  /**< contacts at its start have been looked for */
} piece;

static ov_status substep(ov_sim *sim, const piece *now) {
    bool accurate = sim->options.mode == OV_SIM_MODE_ACCURATE;
    double h = now->h;
    ov_status status = OV_OK;
    sim->outcome = (ovi_sim_outcome){.furthest = 0.0};
    if (!now->found && (accurate || now->first || atomic_load(&sim->contacts.stale) ||
                        ovi_contacts_bounce_late(sim, h))) {
        ovi_sim_do_now(sim);
        status = ovi_contacts_find(sim, h, accurate ? h : now->left);
    }
    status = status < 0 ? status : ovi_contacts_begin(sim, h);
    if (status < 0) {
        return status;
    }
    restart_joints(sim);
    for_bodies(sim, kick_range, h);
    status = solve_velocities(sim, h, OVI_PHASE_FIRST);
    status = status < 0 ? status : move_all(sim, h);
    status = status < 0 ? status : look_at_all(sim, h, true);
    status = status < 0 ? status : ovi_sweep_fast(sim, h);
    if (status < 0) {
        return status;
    }
    for_bodies(sim, arrive_range, h);
    ovi_contacts_update(sim, h);
    if (sim->joints_used > 0) {
        ovi_sim_do_now(sim);
        prepare_joints(sim, h, true);
    }
    status = solve_velocities(sim, h, OVI_PHASE_LAST);
    return status < 0 ? status : look_at_all(sim, h, false);
}

/** How deep bodies of trees are in something: at the substep's start, or where they are now. */
static double depth_of_trees(const ov_sim *sim, bool before) {
    const ovi_contact_list *all = &sim->contacts.now;
    double depth = 0.0;
    for (size_t i = sim->contacts.first[OVI_COLOUR_TREES]; i < all->count; i++) {
        depth = fmax(depth, -(before ? all->records[i].gap : all->items[i].now));
    }
    return depth;
}

/** Impulses, for the next substep to begin with, are of one of another length. */
static void scale_impulses(ov_sim *sim, double by) {
    for (size_t i = 0; i < sim->contacts.now.count; i++) {
        ovi_sim_contact *c = &sim->contacts.now.items[i];
        double *const sums[6] = {&c->normal_sum,     &c->other_normal,     &c->tangent_sum[0],
                                 &c->tangent_sum[1], &c->other_tangent[0], &c->other_tangent[1]};
        for (int k = 0; k < 6; k++) {
            *sums[k] *= by;
        }
        c->rolling_sum = ov_vec3_scale(c->rolling_sum, by);
        c->other_rolling = ov_vec3_scale(c->other_rolling, by);
    }
}

/** The first substep of a frame begins with the impulses of one before, which may have been of
 *  another length. What a hit took in a very short one says nothing about a long one. */
static void restart_length(ov_sim *sim, double h) {
    const double most = 4.0;
    if (sim->h > 0.0 && h != sim->h) {
        scale_impulses(sim, h <= most * sim->h ? h / sim->h : 0.0);
    }
    sim->h = h;
}

/** The next substep begins without impulses, and joints have no force of the one that failed. */
static void drop_impulses(ov_sim *sim) {
    for (size_t i = 0; i < sim->joint_count; i++) {
        sim->joints[i].force = sim->joints[i].torque = ov_vec3_make(0.0, 0.0, 0.0);
    }
    for (size_t i = 0; i < sim->contacts.now.count; i++) {
        ovi_sim_contact *c = &sim->contacts.now.items[i];
        c->normal_sum = c->tangent_sum[0] = c->tangent_sum[1] = 0.0;
        c->other_normal = c->other_tangent[0] = c->other_tangent[1] = 0.0;
        c->rolling_sum = c->other_rolling = ov_vec3_make(0.0, 0.0, 0.0);
    }
}

/** Rows of joints and impulses of contacts belong to a length of the substep. */
static void set_length(ov_sim *sim, double h) {
    scale_impulses(sim, h / sim->h);
    sim->h = h;
    prepare_joints(sim, h, false);
}

/**
 * A piece of a frame, in one substep or in halves of it. Where limbs turn fast, or are held by
 * limits and contacts at once, what a substep takes for straight may put them into what they hit;
 * the error falls with the square of its length. So in the accurate mode contacts are looked for at
 * the substep's end, where the next one begins, and if a body of a tree is deeper in something than
 * it should be, and than it was, the substep is done again in two halves.
 */
static ov_status advance(ov_sim *sim, piece *now, int level) {
    enum { LEVELS = 4 };
    bool watched = sim->options.mode == OV_SIM_MODE_ACCURATE && sim->forest.count > 0;
    double most = deep_share * sim->forest.scale, h = now->h;
    begin(sim, now->time, h, now->left + sim->after);
    ov_status status = substep(sim, now);
    now->found = false;
    if (status < 0 || !watched) {
        return status;
    }
    double before = depth_of_trees(sim, true);
    status = ovi_contacts_find(sim, h, h);
    if (status < 0) {
        return status;
    }
    now->found = true;
    if (level == LEVELS || !(depth_of_trees(sim, false) > fmax(most, before + 0.2 * most))) {
        return OV_OK;
    }
    go_back(sim);
    set_length(sim, 0.5 * h);
    piece half = {now->time, 0.5 * h, now->left, now->first, false};
    for (int i = 0; status >= 0 && i < 2; i++) {
        status = advance(sim, &half, level + 1);
        half.time += half.h;
        half.left -= half.h;
        half.first = false;
    }
    set_length(sim, h);
    now->found = false;
    return status;
}

/** Can anything move in this frame? */
static bool is_awake(const ov_sim *sim) {
    for (size_t i = 0; i < sim->body_count; i++) {
        const ovi_sim_body *body = &sim->bodies[i];
        if (is_moving(sim, i) || (body->used && (body->led || body->def.motion != NULL))) {
            return true;
        }
    }
    return false;
}

/** Forces and targets were for this frame. */
static void end_frame(ov_sim *sim) {
    for (size_t i = 0; i < sim->body_count; i++) {
        ovi_sim_body *body = &sim->bodies[i];
        body->force = body->torque = ov_vec3_make(0.0, 0.0, 0.0);
        body->led = false;
    }
}

/** All substeps of a frame. */
static ov_status step(ov_sim *sim, double dt) {
    int n = sim->options.substeps;
    double h = dt / n;
    restart_length(sim, h);
    sim->swept = 0;
    sim->bounce_speed =
        given_or(sim->options.bounce_speed, 4.0 * h * ov_vec3_length(sim->options.gravity));
    if (!is_awake(sim)) {
        return OV_OK;
    }
    prepare_joints(sim, h, false);
    piece now = {.found = false};
    for (int i = 0; i < n; i++) {
        now = (piece){sim->time + i * h, h, (n - i) * h, i == 0, now.found};
        ov_status status = advance(sim, &now, 0);
        if (status < 0) {
            sim->queue.count = 0;
            go_back(sim);
            drop_impulses(sim); // they may be part of what failed
            return status;
        }
    }
    ovi_islands_update(sim, dt);
    return OV_OK;
}

typedef struct frame {
    ov_sim *sim;
    double dt;
    ov_status status;
} frame;

static void step_on(void *context, const ov_threads *threads) {
    frame *f = context;
    f->sim->options.threads = f->sim->world->options.threads = *threads;
    f->status = step(f->sim, f->dt);
}

ov_status ovi_sim_check_frame(const ov_sim *sim, double dt) {
    if (sim == NULL) {
        return OV_ERROR_NULL;
    }
    if (!isfinite(dt)) {
        return OV_ERROR_NOT_FINITE;
    }
    return dt > 0.0 && dt <= 1e6 ? OV_OK : OV_ERROR_OPTION;
}

ov_status ovi_sim_step_part(ov_sim *sim, double dt, double after) {
    if (!ovi_forest_build(sim) ||
        !ovi_sim_room(&sim->options.allocator, &sim->roots, &sim->root_room, sim->body_count,
                      sizeof *sim->roots)) {
        return OV_ERROR_MEMORY;
    }
    sim->after = after;
    frame f = {.sim = sim, .dt = dt};
    ov_threads own = sim->options.threads, of_world = sim->world->options.threads;
    ovi_threads_keep(&of_world, step_on, &f);
    sim->options.threads = own;
    sim->world->options.threads = of_world;
    ov_status status = f.status;
    if (status < 0) {
        return status;
    }
    sim->time += dt;
    if (after == 0.0) {
        end_frame(sim);
        sim->frames++;
    }
    return OV_OK;
}

ov_status ov_sim_step(ov_sim *sim, double dt) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_sim_step(sim, dt));
    ov_status status = ovi_sim_check_frame(sim, dt);
    return status == OV_OK ? ovi_sim_step_part(sim, dt, 0.0) : status;
}

/* ---- the whole */

static void add_body(const ov_sim *sim, size_t slot, ov_sim_summary *s) {
    const ovi_sim_body *body = &sim->bodies[slot];
    const ovi_mover *m = &sim->movers[slot];
    double mass = body->def.mass.mass;
    ov_vec3 p = ov_vec3_scale(m->v, mass);
    s->awake += !body->asleep;
    s->kinetic += 0.5 * (ov_vec3_dot(p, m->v) + ov_vec3_dot(m->l, m->w));
    s->potential -= mass * ov_vec3_dot(sim->options.gravity, body->x);
    s->momentum = ov_vec3_add(s->momentum, p);
    s->angular_momentum =
        ov_vec3_add(s->angular_momentum, ov_vec3_add(m->l, ov_vec3_cross(body->x, p)));
}

/** Potential energy of a joint's spring, or of a drag, whose force may have a limit. */
static double spring_energy(const ov_sim *sim, const ovi_sim_joint *joint,
                            const ov_sim_joint_state *state) {
    const ov_sim_joint_def *def = &joint->def;
    double off = state->position - def->rest, k = def->stiffness, most = joint->drag_limit;
    if (joint->is_drag) {
        ov_vec3 point = ov_pose_apply(ovi_sim_pose(&sim->bodies[joint->b]), def->frame_b.position);
        off = ov_vec3_length(ov_vec3_sub(point, def->frame_a.position));
        if (most > 0.0 && k * off > most) {
            return most * (off - 0.5 * most / k);
        }
    } else if (def->kind == OV_JOINT_KIND_SPHERICAL) { // by half of the angle of swing and twist
        double s = sin(0.5 * state->swing), t = sin(0.5 * state->position);
        off = 2.0 * asin(fmin(sqrt(s * s + t * t - s * s * t * t), 1.0));
    }
    return 0.5 * k * off * off;
}

ov_status ov_sim_summarize(const ov_sim *sim, ov_sim_summary *summary) {
    if (sim == NULL || summary == NULL) {
        return OV_ERROR_NULL;
    }
    ov_sim_summary s = {.time = sim->time,
                        .frames = sim->frames,
                        .bodies = sim->bodies_used,
                        .joints = sim->joints_used,
                        .islands = sim->islands,
                        .contacts = sim->contacts.now.count,
                        .swept = sim->swept};
    for (size_t i = 0; i < sim->body_count; i++) {
        if (sim->bodies[i].used && ovi_is_free(&sim->movers[i])) {
            add_body(sim, i, &s);
        }
    }
    size_t touching = 0;
    for (size_t i = 0; i < sim->contacts.now.count; i++) {
        double gap = sim->contacts.now.items[i].now;
        s.deepest = fmax(s.deepest, -gap);
        s.mean_depth += fmax(-gap, 0.0);
        touching += gap <= 0.0;
    }
    s.mean_depth = touching > 0 ? s.mean_depth / (double)touching : 0.0;
    for (size_t i = 0; i < sim->joint_count; i++) {
        const ovi_sim_joint *joint = &sim->joints[i];
        ov_sim_joint_state state;
        ov_sim_joint id = (ov_sim_joint)(i + 1u) << 32 | joint->generation;
        if (joint->used && ov_sim_joint_get(sim, id, &state) == OV_OK) {
            s.joint_error = fmax(s.joint_error, state.error);
            s.potential += spring_energy(sim, joint, &state);
        }
    }
    *summary = s;
    return OV_OK;
}
