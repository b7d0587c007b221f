/**
 * @file sim_tree.c
 * @brief All joints of a tree solved at once, in a time linear in the number of bodies.
 *
 * Wanted are impulses s with J v + C s = t for the rows of all joints, v = v* + M^-1 J' s. As an
 * augmented system over bodies and joints [M -J'; J C] its graph is the tree itself, so eliminating
 * from the leaves to the root fills nothing in (block L D L'):
 *
 *  1. A body's own inertia D = M, to which its children have added.
 *  2. The joint to its parent, with the Jacobian J of the child and P of the parent:
 *     S = J D^-1 J' + C, and the parent gets D += P' S^-1 P.
 *  3. A right-hand side r of the joint's rows, and a momentum b from the children: the parent gets
 *     b += P' S^-1 (r - J D^-1 b).
 *  4. Downwards, u being the change of velocity: s = S^-1 (r - J D^-1 b - P u_parent), and
 *     u = D^-1 (b + J' s).
 *
 * Only the impulses s are used; they are applied to both bodies alike, so that what rounding or a
 * dropped row does to them does not touch momenta. Rows with bounds (limits, motors) are an active
 * set: a row whose impulse leaves its bounds is put at the bound and taken out, and the rest solved
 * again. Joints that close loops are solved one by one, between solves of the trees.
 */
#include <math.h>
#include <string.h>

#include "sim_internal.h"

/* ---- which joints form trees */

static bool is_free_slot(const ov_sim *sim, uint32_t slot) {
    return slot != OVI_NO_BODY && ovi_is_free(&sim->movers[slot]);
}

static bool reserve_forest(ov_sim *sim) {
    ovi_forest *f = &sim->forest;
    const ov_allocator *by = &sim->options.allocator;
    size_t n = sim->body_count, m = sim->joint_count;
    return ovi_sim_room(by, &f->order, &f->order_room, n, sizeof *f->order) &&
           ovi_sim_room(by, &f->nodes, &f->node_room, n, sizeof *f->nodes) &&
           ovi_sim_room(by, &f->heads, &f->head_room, n, sizeof *f->heads) &&
           ovi_sim_room(by, &f->edges, &f->edge_room, m, sizeof *f->edges) &&
           ovi_sim_room(by, &f->loose, &f->loose_room, m, sizeof *f->loose) &&
           ovi_sim_room(by, &f->nexts, &f->next_room, 2 * m, sizeof *f->nexts);
}

void ovi_forest_free(ov_sim *sim) {
    ovi_forest *f = &sim->forest;
    const ov_allocator *by = &sim->options.allocator;
    ovi_release(by, f->order, f->order_room, sizeof *f->order);
    ovi_release(by, f->nodes, f->node_room, sizeof *f->nodes);
    ovi_release(by, f->heads, f->head_room, sizeof *f->heads);
    ovi_release(by, f->edges, f->edge_room, sizeof *f->edges);
    ovi_release(by, f->loose, f->loose_room, sizeof *f->loose);
    ovi_release(by, f->nexts, f->next_room, sizeof *f->nexts);
}

/** Chooses joints that form trees: first those of two free bodies, then one per tree that holds it
 *  to something that is not free. The latter marks the tree's root. */
static void choose_joints(ov_sim *sim) {
    ovi_forest *f = &sim->forest;
    uint32_t *roots = f->order; // until the order is made
    for (uint32_t i = 0; i < sim->body_count; i++) {
        roots[i] = i;
        sim->bodies[i].parent_joint = OVI_NO_BODY;
    }
    for (int anchors = 0; anchors < 2; anchors++) {
        for (uint32_t i = 0; i < sim->joint_count; i++) {
            ovi_sim_joint *joint = &sim->joints[i];
            bool both = joint->used && is_free_slot(sim, joint->a) && is_free_slot(sim, joint->b);
            if (!joint->used || joint->is_drag || both != (anchors == 0)) {
                joint->in_forest = joint->in_forest && joint->used && anchors == 1;
                continue;
            }
            uint32_t one = is_free_slot(sim, joint->b) ? joint->b : joint->a;
            uint32_t ra = ovi_root_of(roots, both ? joint->a : one), rb = ovi_root_of(roots, one);
            if (both) {
                joint->in_forest = ra != rb;
                roots[ra > rb ? ra : rb] = ra > rb ? rb : ra;
                continue;
            }
            joint->in_forest = sim->bodies[ra].parent_joint == OVI_NO_BODY;
            if (joint->in_forest) {
                sim->bodies[ra].parent_joint = i; // of the tree, until its joints are in order
            }
        }
    }
}

/** Lists the joints of each body that are in trees. */
static void link_joints(ov_sim *sim) {
    ovi_forest *f = &sim->forest;
    f->loose_count = 0;
    for (size_t i = 0; i < sim->body_count; i++) {
        f->heads[i] = OVI_NO_BODY;
    }
    for (size_t k = sim->joint_count; k-- > 0;) {
        const ovi_sim_joint *joint = &sim->joints[k];
        const uint32_t ends[2] = {joint->a, joint->b};
        for (uint32_t e = 0; joint->used && joint->in_forest && e < 2; e++) {
            if (is_free_slot(sim, ends[e])) {
                f->nexts[2 * k + e] = f->heads[ends[e]];
                f->heads[ends[e]] = (uint32_t)(2 * k + e);
            }
        }
    }
    for (uint32_t k = 0; k < sim->joint_count; k++) {
        if (sim->joints[k].used && !sim->joints[k].in_forest) {
            f->loose[f->loose_count++] = k;
        }
    }
}

/** Appends the tree of a root to the order, breadth first. */
static void order_tree(ov_sim *sim, uint32_t root) {
    ovi_forest *f = &sim->forest;
    size_t next = f->count;
    f->order[f->count++] = root;
    sim->bodies[root].tree = root;
    size_t first = next;
    while (next < f->count) {
        uint32_t body = f->order[next++];
        for (uint32_t e = f->heads[body]; e != OVI_NO_BODY; e = f->nexts[e]) {
            ovi_sim_joint *joint = &sim->joints[e / 2];
            uint32_t other = e % 2 == 0 ? joint->b : joint->a;
            if (e / 2 == sim->bodies[body].parent_joint || !is_free_slot(sim, other)) {
                continue;
            }
            joint->child = other;
            joint->parent = body;
            sim->bodies[other].parent_joint = e / 2;
            sim->bodies[other].tree = root;
            f->order[f->count++] = other;
        }
    }
    for (size_t i = first; i < f->count; i++) {
        sim->bodies[f->order[i]].tree_first = (uint32_t)first;
        sim->bodies[f->order[i]].tree_end = (uint32_t)f->count;
    }
}

bool ovi_forest_build(ov_sim *sim) {
    ovi_forest *f = &sim->forest;
    if (!f->stale) {
        return true;
    }
    if (!reserve_forest(sim)) {
        return false;
    }
    choose_joints(sim);
    link_joints(sim);
    for (size_t i = 0; i < sim->body_count; i++) {
        sim->bodies[i].parent_joint = OVI_NO_BODY;
        sim->bodies[i].in_order = false;
    }
    f->count = 0;
    // anchored trees first: their root is the body that is anchored
    for (uint32_t k = 0; k < sim->joint_count; k++) {
        ovi_sim_joint *joint = &sim->joints[k];
        bool free_a = joint->used && is_free_slot(sim, joint->a);
        bool free_b = joint->used && is_free_slot(sim, joint->b);
        if (joint->used && joint->in_forest && free_a != free_b) {
            joint->child = free_a ? joint->a : joint->b;
            joint->parent = OVI_NO_BODY;
            sim->bodies[joint->child].parent_joint = k;
            order_tree(sim, joint->child);
        }
    }
    for (size_t i = 0; i < f->count; i++) {
        sim->bodies[f->order[i]].in_order = true;
    }
    for (uint32_t i = 0; i < sim->body_count; i++) {
        if (!sim->bodies[i].in_order && f->heads[i] != OVI_NO_BODY) {
            size_t first = f->count;
            order_tree(sim, i);
            for (size_t k = first; k < f->count; k++) {
                sim->bodies[f->order[k]].in_order = true;
            }
        }
    }
    f->scale = INFINITY;
    for (size_t i = 0; i < f->count; i++) {
        f->scale = fmin(f->scale, sim->bodies[f->order[i]].reach);
    }
    f->stale = false;
    return true;
}

/* ---- small dense matrices */

/** Cholesky of the lower triangle in place; rows that depend on those before them get a pivot of
 *  zero and are left out of solves. */
static void cholesky(int n, double m[][OVI_ROWS_MAX]) {
    for (int i = 0; i < n; i++) {
        double diagonal = m[i][i];
        for (int j = 0; j <= i; j++) {
            double sum = m[i][j];
            for (int k = 0; k < j; k++) {
                sum -= m[i][k] * m[j][k];
            }
            if (j < i) {
                m[i][j] = m[j][j] > 0.0 ? sum / m[j][j] : 0.0;
            } else {
                m[i][i] = sum > 1e-12 * diagonal ? sqrt(sum) : 0.0;
            }
        }
    }
}

static void solve_lower(int n, double m[][OVI_ROWS_MAX], double *x) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= m[i][k] * x[k];
        }
        x[i] = m[i][i] > 0.0 ? x[i] / m[i][i] : 0.0;
    }
}

static void solve_upper(int n, double m[][OVI_ROWS_MAX], double *x) {
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            x[i] -= m[k][i] * x[k];
        }
        x[i] = m[i][i] > 0.0 ? x[i] / m[i][i] : 0.0;
    }
}

/** Inverse of a symmetric positive definite matrix in place, by Cholesky. */
static void invert6(double m[6][6]) {
    double l[6][6] = {{0.0}};
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = m[i][j];
            for (int k = 0; k < j; k++) {
                sum -= l[i][k] * l[j][k];
            }
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
    }
    // inverse of the factor, then its transpose times it
    double n[6][6] = {{0.0}};
    for (int j = 0; j < 6; j++) {
        n[j][j] = 1.0 / l[j][j];
        for (int i = j + 1; i < 6; i++) {
            double sum = 0.0;
            for (int k = j; k < i; k++) {
                sum -= l[i][k] * n[k][j];
            }
            n[i][j] = sum / l[i][i];
        }
    }
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int k = i; k < 6; k++) {
                sum += n[k][i] * n[k][j];
            }
            m[i][j] = m[j][i] = sum;
        }
    }
}

static double dot6(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

static void times6(const double m[6][6], const double *v, double *out) {
    for (int i = 0; i < 6; i++) {
        out[i] = dot6(m[i], v);
    }
}

static void put_vec3(double *at, ov_vec3 v, double scale) {
    at[0] = scale * v.x;
    at[1] = scale * v.y;
    at[2] = scale * v.z;
}

/* ---- factor */

/** Inertia of a body in the world, added to a node. */
static void add_own_inertia(const ovi_mover *m, double d[6][6]) {
    double mass = 1.0 / m->inv_mass;
    ovi_sym3 i = ovi_sym3_inverse(&m->inv_inertia);
    d[0][0] += mass, d[1][1] += mass, d[2][2] += mass;
    d[3][3] += i.xx, d[4][4] += i.yy, d[5][5] += i.zz;
    d[3][4] += i.xy, d[4][3] += i.xy, d[3][5] += i.xz;
    d[5][3] += i.xz, d[4][5] += i.yz, d[5][4] += i.yz;
}

/** Jacobians of the active rows, child and parent. */
static void make_edge(const ovi_sim_joint *joint, ovi_tree_edge *edge) {
    bool b_is_child = joint->child == joint->b;
    edge->count = 0;
    edge->has_pass = false;
    edge->active = joint->active;
    for (int i = 0; i < joint->row_count; i++) {
        if ((joint->active >> i & 1u) == 0) {
            continue;
        }
        const ovi_row *row = &joint->rows[i];
        int k = edge->count++;
        edge->index[k] = i;
        double *b = b_is_child ? edge->child[k] : edge->parent[k];
        double *a = b_is_child ? edge->parent[k] : edge->child[k];
        put_vec3(b, row->force, 1.0);
        put_vec3(b + 3, row->torque_b, 1.0);
        put_vec3(a, row->force, -1.0);
        put_vec3(a + 3, row->torque_a, -1.0);
    }
}

static void factor_edge(ov_sim *sim, const ovi_sim_joint *joint, ovi_tree_edge *edge) {
    ovi_tree_node *node = &sim->forest.nodes[joint->child];
    make_edge(joint, edge);
    int n = edge->count;
    for (int i = 0; i < n; i++) {
        times6(node->inverse, edge->child[i], edge->response[i]);
        for (int j = 0; j <= i; j++) {
            edge->factor[i][j] = dot6(edge->response[i], edge->child[j]);
        }
        edge->factor[i][i] += joint->rows[edge->index[i]].softness;
    }
    cholesky(n, edge->factor);
    if (joint->parent == OVI_NO_BODY) {
        return;
    }
    // P' S^-1 P = Z' Z with Z = L^-1 P
    double z[OVI_ROWS_MAX][6];
    for (int i = 0; i < n; i++) {
        bool dependent = !(edge->factor[i][i] > 0.0);
        for (int c = 0; c < 6; c++) {
            double sum = edge->parent[i][c];
            for (int k = 0; k < i; k++) {
                sum -= edge->factor[i][k] * z[k][c];
            }
            z[i][c] = dependent ? 0.0 : sum / edge->factor[i][i];
        }
    }
    double(*d)[6] = sim->forest.nodes[joint->parent].inverse;
    for (int i = 0; i < n; i++) {
        for (int r = 0; r < 6; r++) {
            for (int c = 0; c < 6; c++) {
                d[r][c] += z[i][r] * z[i][c];
            }
        }
    }
}

static void factor_forest(ov_sim *sim) {
    ovi_forest *f = &sim->forest;
    for (size_t i = 0; i < f->count; i++) {
        memset(f->nodes[f->order[i]].inverse, 0, sizeof f->nodes[0].inverse);
    }
    for (size_t i = f->count; i-- > 0;) {
        uint32_t slot = f->order[i];
        if (sim->bodies[slot].asleep) {
            continue;
        }
        add_own_inertia(&sim->movers[slot], f->nodes[slot].inverse);
        invert6(f->nodes[slot].inverse);
        uint32_t j = sim->bodies[slot].parent_joint;
        if (j != OVI_NO_BODY) {
            factor_edge(sim, &sim->joints[j], &f->edges[j]);
        }
    }
}

/* ---- solve */

static bool is_zero6(const double *v) {
    return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0 && v[3] == 0.0 && v[4] == 0.0 && v[5] == 0.0;
}

/** -M^-1 C' S^-1 P of an edge, column by column. */
static void make_pass(const ovi_tree_node *child, ovi_tree_edge *edge) {
    for (int c = 0; c < 6; c++) {
        double s[OVI_ROWS_MAX], push[6] = {0.0}, column[6];
        for (int k = 0; k < edge->count; k++) {
            s[k] = -edge->parent[k][c];
        }
        solve_lower(edge->count, edge->factor, s);
        solve_upper(edge->count, edge->factor, s);
        for (int k = 0; k < edge->count; k++) {
            for (int r = 0; r < 6; r++) {
                push[r] += edge->child[k][r] * s[k];
            }
        }
        times6(child->inverse, push, column);
        for (int r = 0; r < 6; r++) {
            edge->pass[r][c] = column[r];
        }
    }
    edge->has_pass = true;
}

/** What a body that nothing pushes, nor any beyond it, does with its parent. */
static void follow_parent(ov_sim *sim, uint32_t slot) {
    ovi_tree_node *node = &sim->forest.nodes[slot];
    uint32_t joint = sim->bodies[slot].parent_joint;
    uint32_t parent = joint != OVI_NO_BODY ? sim->joints[joint].parent : OVI_NO_BODY;
    if (parent == OVI_NO_BODY) {
        memset(node->change, 0, sizeof node->change);
        return;
    }
    ovi_tree_edge *edge = &sim->forest.edges[joint];
    if (!edge->has_pass) {
        make_pass(node, edge);
    }
    times6(edge->pass, sim->forest.nodes[parent].change, node->change);
}

/** Upwards: what the subtrees of bodies in a range of the order pass on to their parents. */
static void solve_up(ov_sim *sim, size_t first, size_t end, bool wanted) {
    ovi_forest *f = &sim->forest;
    for (size_t i = end; i-- > first;) {
        uint32_t slot = f->order[i], j = sim->bodies[slot].parent_joint;
        if (sim->bodies[slot].asleep || j == OVI_NO_BODY) {
            continue;
        }
        const ovi_sim_joint *joint = &sim->joints[j];
        ovi_tree_edge *edge = &f->edges[j];
        const double *bias = f->nodes[slot].bias;
        double s[OVI_ROWS_MAX];
        if (!wanted && is_zero6(bias)) {
            continue; // solve_range() knows what to do
        }
        for (int k = 0; k < edge->count; k++) {
            edge->gain[k] =
                (wanted ? joint->wanted[edge->index[k]] : 0.0) - dot6(edge->response[k], bias);
            s[k] = edge->gain[k];
        }
        if (joint->parent == OVI_NO_BODY) {
            continue;
        }
        solve_lower(edge->count, edge->factor, s);
        solve_upper(edge->count, edge->factor, s);
        for (int k = 0; k < edge->count; k++) {
            for (int c = 0; c < 6; c++) {
                f->nodes[joint->parent].bias[c] += edge->parent[k][c] * s[k];
            }
        }
    }
}

/** Impulses of all active rows for the momenta in `bias` and the right-hand sides in `wanted`, if
 *  asked for; they are left in `gain`, and the changes of velocity in `change`. */
static void solve_range(ov_sim *sim, size_t first, size_t end, bool wanted) {
    ovi_forest *f = &sim->forest;
    solve_up(sim, first, end, wanted);
    for (size_t i = first; i < end; i++) {
        uint32_t slot = f->order[i], j = sim->bodies[slot].parent_joint;
        ovi_tree_node *node = &f->nodes[slot];
        if (sim->bodies[slot].asleep) {
            continue;
        }
        if (!wanted && is_zero6(node->bias)) {
            follow_parent(sim, slot);
            continue;
        }
        double push[6];
        memcpy(push, node->bias, sizeof push);
        if (j != OVI_NO_BODY) {
            const ovi_sim_joint *joint = &sim->joints[j];
            ovi_tree_edge *edge = &f->edges[j];
            for (int k = 0; joint->parent != OVI_NO_BODY && k < edge->count; k++) {
                edge->gain[k] -= dot6(edge->parent[k], f->nodes[joint->parent].change);
            }
            solve_lower(edge->count, edge->factor, edge->gain);
            solve_upper(edge->count, edge->factor, edge->gain);
            for (int k = 0; k < edge->count; k++) {
                for (int c = 0; c < 6; c++) {
                    push[c] += edge->child[k][c] * edge->gain[k];
                }
            }
        }
        times6(node->inverse, push, node->change);
    }
}

static void clear_bias(ov_sim *sim, size_t first, size_t end) {
    for (size_t i = first; i < end; i++) {
        ovi_tree_node *node = &sim->forest.nodes[sim->forest.order[i]];
        memset(node->bias, 0, sizeof node->bias);
    }
}

void ovi_forest_answer(ov_sim *sim, size_t first, size_t end, const ovi_tree_push *pushes,
                       int count) {
    clear_bias(sim, first, end);
    for (int i = 0; i < count; i++) {
        double *bias = sim->forest.nodes[pushes[i].slot].bias, own[6];
        put_vec3(own, pushes[i].force, 1.0);
        put_vec3(own + 3, pushes[i].torque, 1.0);
        for (int c = 0; c < 6; c++) {
            bias[c] += own[c];
        }
    }
    solve_range(sim, first, end, false);
}

/* ---- rows that take part */

/** Which rows take part in a phase, and their right-hand sides. */
static void choose_rows(const ov_sim *sim, ovi_sim_joint *joint, ovi_joint_phase phase) {
    joint->active = 0;
    for (int i = 0; i < joint->row_count; i++) {
        ovi_row *row = &joint->rows[i];
        bool limit = row->kind == OVI_ROW_LIMIT || row->kind == OVI_ROW_SWING;
        bool drive = row->softness > 0.0 || row->kind == OVI_ROW_MOTOR;
        bool on;
        if (phase == OVI_PHASE_POSITION) {
            on = limit ? row->error < 0.0 : !drive;
            joint->wanted[i] = -row->error / sim->h;
        } else {
            double lack = row->target - ovi_row_speed(sim, joint, row) - row->softness * row->sum;
            on = limit ? lack > 0.0 || row->sum > 0.0
                       : !(row->softness > 0.0) || phase == OVI_PHASE_FIRST;
            joint->wanted[i] = lack;
        }
        joint->active |= on ? 1u << i : 0u;
    }
}

/** Takes rows out whose impulses leave their bounds, after putting them there. True if there are
 *  any. */
static bool clamp_rows(ov_sim *sim, ovi_sim_joint *joint, const ovi_tree_edge *edge) {
    bool any = false;
    for (int k = 0; k < edge->count; k++) {
        ovi_row *row = &joint->rows[edge->index[k]];
        double sum = row->sum + edge->gain[k];
        if (sum < row->least || sum > row->most) {
            double bound = sum < row->least ? row->least : row->most;
            ovi_row_push(sim, joint, row, bound - row->sum);
            row->sum = bound;
            joint->active &= ~(1u << edge->index[k]);
            any = true;
        }
    }
    return any;
}

static void apply_edge(ov_sim *sim, ovi_sim_joint *joint, const ovi_tree_edge *edge) {
    for (int k = 0; k < edge->count; k++) {
        ovi_row *row = &joint->rows[edge->index[k]];
        double sum = fmin(fmax(row->sum + edge->gain[k], row->least), row->most);
        ovi_row_push(sim, joint, row, sum - row->sum);
        row->sum = sum;
    }
}

/** Right-hand sides anew, of the same rows: bodies have been pushed. Positions are no velocities;
 *  what a push did to them is the difference of the rows' speeds. */
static void renew_wanted(const ov_sim *sim, ovi_sim_joint *joint, ovi_joint_phase phase,
                         bool before) {
    for (int i = 0; phase == OVI_PHASE_POSITION && i < joint->row_count; i++) {
        double speed = ovi_row_speed(sim, joint, &joint->rows[i]);
        joint->wanted[i] += before ? speed : -speed;
    }
    for (int i = 0; phase != OVI_PHASE_POSITION && !before && i < joint->row_count; i++) {
        const ovi_row *row = &joint->rows[i];
        joint->wanted[i] = row->target - ovi_row_speed(sim, joint, row) - row->softness * row->sum;
    }
}

static void solve_trees(ov_sim *sim, ovi_joint_phase phase) {
    enum { PASSES = 4 };
    ovi_forest *f = &sim->forest;
    bool stale = sim->factor_stale;
    for (size_t i = 0; i < f->count; i++) {
        uint32_t j = sim->bodies[f->order[i]].parent_joint;
        if (j != OVI_NO_BODY && !sim->bodies[f->order[i]].asleep) {
            choose_rows(sim, &sim->joints[j], phase);
            stale = stale || sim->joints[j].active != f->edges[j].active;
        }
    }
    for (int pass = 0; pass < PASSES; pass++) {
        if (stale) {
            factor_forest(sim);
            sim->factor_stale = stale = false;
        }
        clear_bias(sim, 0, f->count);
        solve_range(sim, 0, f->count, true);
        bool last = pass == PASSES - 1;
        for (int before = 1; !last && before >= 0; before--) {
            for (size_t i = 0; i < f->count; i++) {
                uint32_t j = sim->bodies[f->order[i]].parent_joint;
                if (j == OVI_NO_BODY || sim->bodies[f->order[i]].asleep) {
                    continue;
                }
                renew_wanted(sim, &sim->joints[j], phase, before == 1);
            }
            for (size_t i = 0; before == 1 && i < f->count; i++) {
                uint32_t j = sim->bodies[f->order[i]].parent_joint;
                if (j != OVI_NO_BODY && !sim->bodies[f->order[i]].asleep) {
                    stale = clamp_rows(sim, &sim->joints[j], &f->edges[j]) || stale;
                }
            }
        }
        if (!stale) {
            break;
        }
    }
    for (size_t i = 0; i < f->count; i++) {
        uint32_t j = sim->bodies[f->order[i]].parent_joint;
        if (j != OVI_NO_BODY && !sim->bodies[f->order[i]].asleep) {
            apply_edge(sim, &sim->joints[j], &f->edges[j]);
        }
    }
}

/* ---- joints by themselves */

/** Response of a body to the impulse of a row, along another row. */
static double response_of(const ovi_mover *m, ov_vec3 force, ov_vec3 torque, ov_vec3 other_force,
                          ov_vec3 other_torque) {
    return m->inv_mass * ov_vec3_dot(force, other_force) +
           ov_vec3_dot(torque, ovi_sym3_mul(&m->inv_inertia, other_torque));
}

static void solve_loose(ov_sim *sim, ovi_sim_joint *joint, ovi_joint_phase phase) {
    double m[OVI_ROWS_MAX][OVI_ROWS_MAX], x[OVI_ROWS_MAX];
    int index[OVI_ROWS_MAX], n = 0;
    choose_rows(sim, joint, phase);
    for (int i = 0; i < joint->row_count; i++) {
        if ((joint->active >> i & 1u) != 0) {
            index[n++] = i;
        }
    }
    for (int i = 0; i < n; i++) {
        const ovi_row *r = &joint->rows[index[i]];
        x[i] = joint->wanted[index[i]];
        for (int j = 0; j <= i; j++) {
            const ovi_row *o = &joint->rows[index[j]];
            m[i][j] = i == j ? r->softness : 0.0;
            if (joint->a != OVI_NO_BODY) {
                m[i][j] += response_of(&sim->movers[joint->a], r->force, r->torque_a, o->force,
                                       o->torque_a);
            }
            if (joint->b != OVI_NO_BODY) {
                m[i][j] += response_of(&sim->movers[joint->b], r->force, r->torque_b, o->force,
                                       o->torque_b);
            }
        }
    }
    cholesky(n, m);
    solve_lower(n, m, x);
    solve_upper(n, m, x);
    double square = 0.0;
    for (int i = 0; i < n; i++) {
        ovi_row *row = &joint->rows[index[i]];
        double sum = fmin(fmax(row->sum + x[i], row->least), row->most);
        x[i] = sum;
        square += sum * sum;
    }
    double most = sim->h * joint->drag_limit, scale = 1.0;
    if (joint->is_drag && most > 0.0 && square > most * most) {
        scale = most / sqrt(square);
    }
    for (int i = 0; i < n; i++) {
        ovi_row *row = &joint->rows[index[i]];
        ovi_row_push(sim, joint, row, scale * x[i] - row->sum);
        row->sum = scale * x[i];
    }
}

void ovi_forest_solve(ov_sim *sim, ovi_joint_phase phase) {
    ovi_forest *f = &sim->forest;
    for (size_t i = 0; i < f->loose_count; i++) {
        ovi_sim_joint *joint = &sim->joints[f->loose[i]];
        if (!ovi_joint_sleeps(sim, joint)) {
            solve_loose(sim, joint, phase);
        }
    }
    if (f->count > 0) {
        solve_trees(sim, phase);
    }
}
