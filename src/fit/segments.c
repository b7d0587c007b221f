/**
 * @file segments.c
 * @brief The decomposition of [SQMap, 3].
 *
 *  1. Dual graph; areas of the triangles.
 *  2. Protrusion (4). With N triangles the sum needs N searches of the whole graph. Instead a few
 *     triangles, the bases, stand for the area that is nearest to them; they are chosen one after
 *     the other, each the furthest from those before. With b(v) the base of v, g(u, v) and
 *     g(u, b(v)) differ by no more than g(v, b(v)), so the error of every p(u) is at most the sum
 *     of area(v) g(v, b(v)).
 *  3. Salient: a triangle whose protrusion is the largest within its window (5), and which stands
 *     out: on the way to any higher one the protrusion falls by a share of its range. The paper
 *     does not ask for that; without it the outer rim of a torus, where the protrusion is the same
 *     all the way round, is full of salient triangles that are so by rounding.
 *  4. Gaussian curvature (6), (7). For a surface, the integral of the curvature over a patch is the
 *     area of its Gauss map; for a polyhedron it is the sum of the angles that are missing at its
 *     vertices. Each vertex gives its angle to its triangles in proportion to their angles there;
 *     so the sum over all triangles of a closed mesh is 2 pi times its Euler characteristic, as for
 *     a smooth surface. The curvature of a triangle is the sum over its window by the area of that.
 *     Vertices on an open edge give nothing.
 *  5. Walks, by falling protrusion: from a salient triangle outwards, over what is in no part yet,
 *     locale by locale. The area of a triangle is spread over its extent, as otherwise the area of
 *     thin locales would depend on where the centroids lie. After a locale the mesh is cut where
 *     the boundary strength is large (this ends the walk: it has reached the body), or where the
 *     locale is hyperbolic enough by both conditions of 3.2 (the walk goes on). A walk also ends
 *     where it reaches another salient triangle, which the paper does not say; else the tip of one
 *     finger would cut the others across.
 *  6. What is left is the body, one part for each connected piece. Pieces below the least size join
 *     the neighbour with the longest common border.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/fit_segments.h>

#include "segments_internal.h"

#define NONE UINT32_MAX

/** The dual graph. */
typedef struct graph {
    size_t count;
    uint32_t (*neighbours)[3];
    double (*lengths)[3]; /**< of the dual edges */
    double *areas;
} graph;

struct ov_fit_segments {
    graph graph;
    ov_fit_segments_options options;
    double area, width;
    double *protrusion, *curvature;
    double protrusion_error;
    uint32_t *salient;
    size_t salient_count;
    ov_fit_locale *locales; /**< of all walks */
    size_t *first_locale;   /**< of each walk; one more than there are */
    size_t locale_room;
    uint32_t *labels, *walks, *locale_numbers;
    size_t count;
};

/* ---- searches of the graph ------------------------------------------------------------------- */

/** Dijkstra's method with a binary heap. Distances of triangles that were not reached are infinite;
 *  `list` has those that were, so that a short search takes a short time. */
typedef struct search {
    const graph *g;
    double *distance;
    uint32_t *heap, *place; /**< place: in the heap, NONE when it is out again, or never was */
    size_t heap_count;
    uint32_t *list; /**< in the order in which they were done: by distance */
    size_t list_count;
} search;

static void search_free(search *s) {
    free(s->distance);
    free(s->heap);
    free(s->place);
    free(s->list);
}

static bool search_make(search *s, const graph *g) {
    *s = (search){.g = g,
                  .distance = ovi_allocate(g->count, sizeof *s->distance),
                  .heap = ovi_allocate(g->count, sizeof *s->heap),
                  .place = ovi_allocate(g->count, sizeof *s->place),
                  .list = ovi_allocate(g->count, sizeof *s->list)};
    if (s->distance == NULL || s->heap == NULL || s->place == NULL || s->list == NULL) {
        search_free(s);
        return false;
    }
    for (size_t i = 0; i < g->count; i++) {
        s->distance[i] = INFINITY;
        s->place[i] = NONE;
    }
    return true;
}

/** Nearer, or as near with a lower number: so that nothing depends on the order of the heap. */
static bool before(const search *s, uint32_t a, uint32_t b) {
    return s->distance[a] < s->distance[b] || (s->distance[a] == s->distance[b] && a < b);
}

static void heap_up(search *s, size_t at) {
    uint32_t item = s->heap[at];
    while (at > 0 && before(s, item, s->heap[(at - 1) / 2])) {
        s->heap[at] = s->heap[(at - 1) / 2];
        s->place[s->heap[at]] = (uint32_t)at;
        at = (at - 1) / 2;
    }
    s->heap[at] = item;
    s->place[item] = (uint32_t)at;
}

static uint32_t heap_pop(search *s) {
    uint32_t top = s->heap[0], item = s->heap[--s->heap_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < s->heap_count && before(s, s->heap[child + 1], s->heap[child])) {
            child++;
        }
        if (child >= s->heap_count || !before(s, s->heap[child], item)) {
            break;
        }
        s->heap[at] = s->heap[child];
        s->place[s->heap[at]] = (uint32_t)at;
        at = child;
    }
    if (s->heap_count > 0) {
        s->heap[at] = item;
        s->place[item] = (uint32_t)at;
    }
    s->place[top] = NONE;
    return top;
}

/** Shortens the way to a triangle, if this one is shorter. */
static void reach(search *s, uint32_t i, double distance) {
    if (!(distance < s->distance[i])) {
        return;
    }
    s->distance[i] = distance;
    if (s->place[i] == NONE) {
        s->place[i] = (uint32_t)s->heap_count;
        s->heap[s->heap_count++] = i;
    }
    heap_up(s, s->place[i]);
}

/** Forgets the last search. */
static void search_clear(search *s) {
    for (size_t i = 0; i < s->list_count; i++) {
        s->distance[s->list[i]] = INFINITY;
    }
    for (size_t i = 0; i < s->heap_count; i++) {
        s->distance[s->heap[i]] = INFINITY;
        s->place[s->heap[i]] = NONE;
    }
    s->list_count = s->heap_count = 0;
}

/** All triangles nearer than `limit` to one; with `blocked`, only over those where it is NONE. */
static void search_from(search *s, uint32_t start, double limit, const uint32_t *blocked) {
    search_clear(s);
    reach(s, start, 0.0);
    while (s->heap_count > 0 && s->distance[s->heap[0]] < limit) {
        uint32_t i = heap_pop(s);
        s->list[s->list_count++] = i;
        for (int k = 0; k < 3; k++) {
            uint32_t n = s->g->neighbours[i][k];
            if (n != OV_FIT_NO_NEIGHBOUR && (blocked == NULL || blocked[n] == NONE)) {
                reach(s, n, s->distance[i] + s->g->lengths[i][k]);
            }
        }
    }
}

/** Larger, or as large with a lower number. */
static bool is_above(const double *values, uint32_t a, uint32_t b) {
    return values[a] > values[b] || (values[a] == values[b] && a < b);
}

/* ---- 1: the dual graph ----------------------------------------------------------------------- */

static ov_vec3 corner(const ov_fit_input *in, size_t triangle, int k) {
    return in->points[in->triangles[triangle][k % 3]];
}

static ov_vec3 centroid(const ov_fit_input *in, size_t i) {
    ov_vec3 sum = ov_vec3_add(corner(in, i, 0), ov_vec3_add(corner(in, i, 1), corner(in, i, 2)));
    return ov_vec3_scale(sum, 1.0 / 3.0);
}

static double area_of(const ov_fit_input *in, size_t i) {
    ov_vec3 u = ov_vec3_sub(corner(in, i, 1), corner(in, i, 0));
    ov_vec3 v = ov_vec3_sub(corner(in, i, 2), corner(in, i, 0));
    return 0.5 * ov_vec3_length(ov_vec3_cross(u, v));
}

/** Sets the width of the locales as well. */
static bool make_graph(ov_fit_segments *s, const ov_fit_input *in, const uint32_t (*across)[3]) {
    graph *g = &s->graph;
    g->count = in->triangle_count;
    g->neighbours = ovi_allocate(g->count, sizeof *g->neighbours);
    g->lengths = ovi_allocate(g->count, sizeof *g->lengths);
    g->areas = ovi_allocate(g->count, sizeof *g->areas);
    if (g->neighbours == NULL || g->lengths == NULL || g->areas == NULL) {
        return false;
    }
    memcpy(g->neighbours, across, g->count * sizeof *g->neighbours);
    double sum = 0.0;
    size_t edges = 0;
    for (size_t i = 0; i < g->count; i++) {
        g->areas[i] = area_of(in, i);
        s->area += g->areas[i];
        for (int k = 0; k < 3; k++) {
            uint32_t n = g->neighbours[i][k];
            g->lengths[i][k] = 0.0;
            if (n != OV_FIT_NO_NEIGHBOUR) {
                g->lengths[i][k] = ov_vec3_length(ov_vec3_sub(centroid(in, n), centroid(in, i)));
                sum += g->lengths[i][k];
                edges++;
            }
        }
    }
    s->width = fmax(s->options.locale * sqrt(s->area), edges > 0 ? 2.0 * sum / (double)edges : 0.0);
    return true;
}

/* ---- 2: protrusion --------------------------------------------------------------------------- */

/** Lets a new base take the triangles that are nearer to it than to any before; `s` keeps the
 *  distance from the nearest base. */
static void add_base(search *s, uint32_t base, uint32_t *base_of) {
    reach(s, base, 0.0);
    while (s->heap_count > 0) {
        uint32_t i = heap_pop(s);
        base_of[i] = base;
        for (int k = 0; k < 3; k++) {
            uint32_t n = s->g->neighbours[i][k];
            if (n != OV_FIT_NO_NEIGHBOUR) {
                reach(s, n, s->distance[i] + s->g->lengths[i][k]);
            }
        }
    }
}

/** Chooses the bases: one in each connected piece, then the furthest triangle again and again. The
 *  weight of a base is the area that it stands for; other triangles have weight 0. */
static void choose_bases(ov_fit_segments *s, search *near, uint32_t *base_of, double *weight) {
    const graph *g = &s->graph;
    size_t most = s->options.bases < g->count ? s->options.bases : g->count, chosen = 0;
    for (uint32_t i = 0; i < g->count && most < g->count; i++) {
        if (near->distance[i] == INFINITY) {
            add_base(near, i, base_of);
            chosen++;
        }
    }
    for (; chosen < most && most < g->count; chosen++) {
        uint32_t furthest = 0;
        for (uint32_t i = 1; i < g->count; i++) {
            furthest = is_above(near->distance, i, furthest) ? i : furthest;
        }
        if (near->distance[furthest] == 0.0) {
            break;
        }
        add_base(near, furthest, base_of);
    }
    memset(weight, 0, g->count * sizeof *weight);
    for (uint32_t i = 0; i < g->count; i++) {
        bool all = most == g->count;
        weight[all ? i : base_of[i]] += g->areas[i];
        s->protrusion_error += all ? 0.0 : g->areas[i] * near->distance[i];
    }
}

static bool make_protrusion(ov_fit_segments *s, search *full) {
    const graph *g = &s->graph;
    search near;
    uint32_t *base_of = ovi_allocate(g->count, sizeof *base_of);
    double *weight = ovi_allocate(g->count, sizeof *weight);
    s->protrusion = calloc(g->count, sizeof *s->protrusion);
    bool good = base_of != NULL && weight != NULL && s->protrusion != NULL;
    if (good && search_make(&near, g)) {
        choose_bases(s, &near, base_of, weight);
        search_free(&near);
        for (uint32_t b = 0; b < g->count; b++) {
            if (weight[b] > 0.0) {
                search_from(full, b, INFINITY, NULL);
                for (size_t i = 0; i < full->list_count; i++) {
                    uint32_t u = full->list[i];
                    s->protrusion[u] += full->distance[u] * weight[b];
                }
            }
        }
    } else {
        good = false;
    }
    free(base_of);
    free(weight);
    return good;
}

/* ---- 3: salient triangles -------------------------------------------------------------------- */

/** A triangle and its protrusion, to be sorted. */
typedef struct peak {
    double protrusion;
    uint32_t triangle;
} peak;

static int by_protrusion(const void *a, const void *b) {
    const peak *x = a, *y = b;
    if (x->protrusion != y->protrusion) {
        return x->protrusion > y->protrusion ? -1 : 1;
    }
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

/**
 * How far one must come down from each peak to get to a higher one; infinite for the highest of a
 * shell, and 0 for triangles that are no peaks. Triangles are taken from the highest to the lowest:
 * where one joins two hills, the lower hill's peak gets its height above this triangle.
 */
static void measure_peaks(const ov_fit_segments *s, const peak *falling, uint32_t *parent,
                          double *prominence) {
    size_t n = s->graph.count;
    for (size_t i = 0; i < n; i++) {
        parent[i] = NONE; // not taken yet
    }
    for (size_t at = 0; at < n; at++) {
        uint32_t u = falling[at].triangle;
        parent[u] = u; // the root of a hill is its peak
        prominence[u] = INFINITY;
        for (int k = 0; k < 3; k++) {
            uint32_t v = s->graph.neighbours[u][k];
            if (v == OV_FIT_NO_NEIGHBOUR || parent[v] == NONE) {
                continue;
            }
            uint32_t a = ovi_root_of(parent, u), b = ovi_root_of(parent, v);
            if (a != b) {
                uint32_t high = is_above(s->protrusion, a, b) ? a : b, low = high == a ? b : a;
                prominence[low] = s->protrusion[low] - s->protrusion[u];
                parent[low] = high;
            }
        }
    }
}

/** Salient: a peak that stands out, and the highest in its window. */
static void choose_salient(ov_fit_segments *s, search *window, const peak *falling,
                           const double *prominence) {
    size_t n = s->graph.count;
    double epsilon = s->options.window * sqrt(s->area);
    double least = s->options.prominence * (falling[0].protrusion - falling[n - 1].protrusion);
    for (size_t at = 0; at < n; at++) {
        uint32_t u = falling[at].triangle;
        if (!(prominence[u] > least)) {
            continue;
        }
        search_from(window, u, epsilon, NULL);
        bool highest = true;
        for (size_t k = 0; k < window->list_count && highest; k++) {
            highest = !is_above(s->protrusion, window->list[k], u);
        }
        if (highest) {
            s->salient[s->salient_count++] = u;
        }
    }
}

static bool find_salient(ov_fit_segments *s, search *window) {
    size_t n = s->graph.count;
    peak *falling = ovi_allocate(n, sizeof *falling);
    double *prominence = ovi_allocate(n, sizeof *prominence);
    uint32_t *parent = ovi_allocate(n, sizeof *parent);
    s->salient = ovi_allocate(n, sizeof *s->salient);
    bool good = falling != NULL && prominence != NULL && parent != NULL && s->salient != NULL;
    if (good) {
        for (uint32_t i = 0; i < n; i++) {
            falling[i] = (peak){s->protrusion[i], i};
        }
        qsort(falling, n, sizeof *falling, by_protrusion);
        measure_peaks(s, falling, parent, prominence);
        choose_salient(s, window, falling, prominence);
    }
    free(falling);
    free(prominence);
    free(parent);
    return good;
}

/* ---- 4: Gaussian curvature ------------------------------------------------------------------- */

/** Angle of a triangle at a corner. */
static double angle_at(const ov_fit_input *in, size_t triangle, int k) {
    ov_vec3 at = corner(in, triangle, k);
    ov_vec3 u = ov_vec3_sub(corner(in, triangle, k + 1), at);
    ov_vec3 v = ov_vec3_sub(corner(in, triangle, k + 2), at);
    return atan2(ov_vec3_length(ov_vec3_cross(u, v)), ov_vec3_dot(u, v));
}

/** Total curvature of each triangle: what it gets from its corners. `sum` has the angles at each
 *  vertex, `border` says which vertices are on an open edge. */
static void total_curvature(const graph *g, const ov_fit_input *in, const double *sum,
                            const bool *border, double *total) {
    for (size_t i = 0; i < g->count; i++) {
        total[i] = 0.0;
        for (int k = 0; k < 3; k++) {
            uint32_t v = in->triangles[i][k];
            if (!border[v] && sum[v] > 0.0) {
                total[i] += (2.0 * M_PI - sum[v]) * angle_at(in, i, k) / sum[v];
            }
        }
    }
}

static bool make_curvature(ov_fit_segments *s, const ov_fit_input *in, search *window) {
    const graph *g = &s->graph;
    double *sum = calloc(in->point_count, sizeof *sum);
    bool *border = calloc(in->point_count, sizeof *border);
    double *total = ovi_allocate(g->count, sizeof *total);
    s->curvature = ovi_allocate(g->count, sizeof *s->curvature);
    bool good = sum != NULL && border != NULL && total != NULL && s->curvature != NULL;
    for (size_t i = 0; i < g->count && good; i++) {
        for (int k = 0; k < 3; k++) {
            uint32_t v = in->triangles[i][k];
            sum[v] += angle_at(in, i, k);
            if (g->neighbours[i][k] == OV_FIT_NO_NEIGHBOUR) {
                border[v] = border[in->triangles[i][(k + 1) % 3]] = true;
            }
        }
    }
    if (good) {
        total_curvature(g, in, sum, border, total);
    }
    for (uint32_t i = 0; i < g->count && good; i++) {
        search_from(window, i, s->options.curvature_window * sqrt(g->areas[i]), NULL);
        double curvature = total[i], area = g->areas[i];
        for (size_t k = 0; k < window->list_count; k++) {
            uint32_t n = window->list[k];
            curvature += n != i ? total[n] : 0.0;
            area += n != i ? g->areas[n] : 0.0;
        }
        s->curvature[i] = area > 0.0 ? curvature / area : 0.0;
    }
    free(sum);
    free(border);
    free(total);
    return good;
}

/* ---- 5: walks -------------------------------------------------------------------------------- */

/** Sums over a locale, as the walk goes on. */
typedef struct locale_sums {
    double area, hyperbolic, curvature;
    size_t hyperbolic_count;
} locale_sums;

/** A walk from one salient triangle. */
typedef struct walk {
    uint32_t number;   /**< of the salient triangle */
    const search *way; /**< done: triangles by distance */
    locale_sums *sums;
    size_t locales; /**< as many as are reached */
    double end;     /**< where it comes to another salient triangle, or infinite */
} walk;

static size_t locale_of(const ov_fit_segments *s, double distance) {
    return s->width > 0.0 ? (size_t)(distance / s->width) : 0; // all in one point
}

/** Spreads the area of a triangle evenly over its extent along the walk. */
static void spread_area(const ov_fit_segments *s, walk *w, double distance, double area) {
    double half = 0.5 * sqrt(2.0 * area), from = fmax(distance - half, 0.0);
    double to = distance + half;
    if (!(to > from)) {
        return;
    }
    size_t last = locale_of(s, to);
    for (size_t x = locale_of(s, from); x <= last && x < w->locales; x++) {
        double lo = fmax(from, (double)x * s->width), hi = fmin(to, (double)(x + 1) * s->width);
        // the last locale takes what would be beyond it
        hi = x + 1 == w->locales ? to : hi;
        w->sums[x].area += area * fmax(hi - lo, 0.0) / (to - from);
    }
}

static bool sum_locales(ov_fit_segments *s, walk *w, const bool *is_salient) {
    const search *way = w->way;
    double longest = way->distance[way->list[way->list_count - 1]];
    w->locales = locale_of(s, longest) + 1;
    w->sums = calloc(w->locales, sizeof *w->sums);
    if (w->sums == NULL) {
        return false;
    }
    w->end = INFINITY;
    for (size_t k = 0; k < way->list_count; k++) {
        uint32_t i = way->list[k];
        double distance = way->distance[i];
        locale_sums *sum = &w->sums[locale_of(s, distance)];
        spread_area(s, w, distance, s->graph.areas[i]);
        if (s->curvature[i] < 0.0) {
            sum->hyperbolic += s->graph.areas[i];
            sum->curvature += s->curvature[i];
            sum->hyperbolic_count++;
        }
        if (is_salient[i] && i != s->salient[w->number]) {
            w->end = fmin(w->end, distance);
        }
    }
    return true;
}

/** The area that the centroids of a locale stand for, for the share that is hyperbolic. */
static double share_of(double part, double whole) {
    return whole > 0.0 ? fmin(part / whole, 1.0) : 0.0;
}

static ov_fit_locale *add_locale(ov_fit_segments *s, size_t count) {
    if (count == s->locale_room) {
        size_t room = 2 * s->locale_room + 64;
        ov_fit_locale *more = realloc(s->locales, room * sizeof *more);
        if (more == NULL) {
            return NULL;
        }
        s->locales = more;
        s->locale_room = room;
    }
    return &s->locales[count];
}

/**
 * The tests of 3.1 and 3.2. `mean` is that of the boundary strengths before. On a flat disc every
 * locale has the same strength, 2 pi width^2, and so has a plane about the limb that stands on it:
 * what tells the end of a limb is not a large strength, but that it rises.
 */
static ov_fit_cut test_locale(const ov_fit_segments *s, const ov_fit_locale *l, double mean) {
    const ov_fit_segments_options *o = &s->options;
    if (l->strength - mean > o->boundary * 2.0 * M_PI * s->width * s->width) {
        return OV_FIT_CUT_BOUNDARY;
    }
    bool hyperbolic = l->hyperbolic > o->hyperbolic && -l->curvature * s->area > o->curvature;
    return hyperbolic ? OV_FIT_CUT_CURVATURE : OV_FIT_CUT_NONE;
}

/** What a locale is like, from its sums and those of the next. */
static ov_fit_locale describe(const walk *w, size_t x) {
    const locale_sums *sum = &w->sums[x];
    double next = x + 1 < w->locales ? w->sums[x + 1].area : 0.0;
    double count = (double)sum->hyperbolic_count;
    return (ov_fit_locale){.area = sum->area,
                           .strength = next - sum->area,
                           .hyperbolic = share_of(sum->hyperbolic, sum->area),
                           .curvature = count > 0.0 ? sum->curvature / count : 0.0};
}

/** Is the locale at least as hyperbolic as the next one? Where the tests hold over several locales
 *  the cut is to be at the crease, not before it. */
static bool is_crease(const walk *w, size_t x) {
    if (x + 1 >= w->locales) {
        return true;
    }
    ov_fit_locale here = describe(w, x), next = describe(w, x + 1);
    return here.hyperbolic * -here.curvature >= next.hyperbolic * -next.curvature;
}

/**
 * Makes parts of what the walk has passed since the last cut, from `first` in its list up to
 * distance `to`: each connected piece that is not below the least size. `queue` has room for all.
 */
static size_t cut(ov_fit_segments *s, const walk *w, size_t first, double to, uint32_t *queue) {
    const search *way = w->way;
    size_t end = first;
    while (end < way->list_count && way->distance[way->list[end]] < to) {
        end++;
    }
    for (size_t k = first; k < end; k++) {
        if (s->labels[way->list[k]] != NONE) {
            continue;
        }
        size_t count = 1;
        double area = 0.0;
        queue[0] = way->list[k];
        s->labels[queue[0]] = (uint32_t)s->count;
        for (size_t at = 0; at < count; at++) {
            uint32_t i = queue[at];
            area += s->graph.areas[i];
            for (int side = 0; side < 3; side++) {
                uint32_t n = s->graph.neighbours[i][side];
                bool passed =
                    n != OV_FIT_NO_NEIGHBOUR && s->labels[n] == NONE && way->distance[n] < to;
                if (passed) {
                    s->labels[n] = (uint32_t)s->count;
                    queue[count++] = n;
                }
            }
        }
        bool large = area >= s->options.least * s->area;
        for (size_t at = 0; at < count; at++) {
            uint32_t i = queue[at];
            s->walks[i] = large ? w->number : NONE;
            s->locale_numbers[i] = large ? (uint32_t)locale_of(s, way->distance[i]) : NONE;
            // NONE again would have them found again in this loop
            s->labels[i] = large ? (uint32_t)s->count : NONE - 1;
        }
        s->count += large;
    }
    // pieces that were too small before may have grown
    for (size_t k = 0; k < end; k++) {
        uint32_t *label = &s->labels[way->list[k]];
        *label = *label == NONE - 1 ? NONE : *label;
    }
    return end;
}

/** Goes from locale to locale. */
static bool walk_on(ov_fit_segments *s, walk *w, uint32_t *queue, size_t *locale_count) {
    double passed = 0.0; // area since the last cut
    size_t first = 0;    // triangle of the list
    for (size_t x = 0; x < w->locales; x++) {
        const locale_sums *sum = &w->sums[x];
        ov_fit_locale *l = add_locale(s, *locale_count);
        if (l == NULL) {
            return false;
        }
        (*locale_count)++;
        passed += sum->area;
        *l = describe(w, x);
        double to = (double)(x + 1) * s->width;
        if (to > w->end) {
            break;
        }
        if (passed < s->options.least * s->area) {
            continue;
        }
        double mean = x > 0 ? (sum->area - w->sums[0].area) / (double)x : 0.0;
        // the first locales are the tip
        l->cut = x >= 2 ? test_locale(s, l, mean) : OV_FIT_CUT_NONE;
        if (l->cut == OV_FIT_CUT_CURVATURE && !is_crease(w, x)) {
            l->cut = OV_FIT_CUT_NONE;
        }
        if (l->cut != OV_FIT_CUT_NONE) {
            first = cut(s, w, first, to, queue);
            passed = 0.0;
        }
        if (l->cut == OV_FIT_CUT_BOUNDARY) {
            break;
        }
    }
    return true;
}

static bool walk_all(ov_fit_segments *s, search *way) {
    size_t n = s->graph.count, locale_count = 0;
    s->labels = ovi_allocate(n, sizeof *s->labels);
    s->walks = ovi_allocate(n, sizeof *s->walks);
    s->locale_numbers = ovi_allocate(n, sizeof *s->locale_numbers);
    s->first_locale = calloc(s->salient_count + 1, sizeof *s->first_locale);
    uint32_t *queue = ovi_allocate(n, sizeof *queue);
    bool *is_salient = calloc(n, sizeof *is_salient);
    bool good = s->labels != NULL && s->walks != NULL && s->locale_numbers != NULL &&
                s->first_locale != NULL && queue != NULL && is_salient != NULL;
    if (good) {
        memset(s->labels, 0xff, n * sizeof *s->labels);
        memset(s->walks, 0xff, n * sizeof *s->walks);
        memset(s->locale_numbers, 0xff, n * sizeof *s->locale_numbers);
        for (size_t i = 0; i < s->salient_count; i++) {
            is_salient[s->salient[i]] = true;
        }
    }
    for (uint32_t i = 0; i < s->salient_count && good; i++) {
        s->first_locale[i] = locale_count;
        // cut off by another walk already
        if (s->labels[s->salient[i]] == NONE) {
            search_from(way, s->salient[i], INFINITY, s->labels);
            walk w = {.number = i, .way = way};
            good = sum_locales(s, &w, is_salient) && walk_on(s, &w, queue, &locale_count);
            free(w.sums);
        }
        s->first_locale[i + 1] = locale_count;
    }
    free(queue);
    free(is_salient);
    return good;
}

/* ---- 6: the body ----------------------------------------------------------------------------- */

/** The part that a piece has the longest border with, or NONE; borders are measured by the dual
 *  edges that cross them. `border` is zero for all parts, before and after. */
static uint32_t longest_border(const ov_fit_segments *s, const uint32_t *piece, size_t count,
                               double *border) {
    uint32_t best = NONE;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t at = 0; at < count; at++) {
            for (int k = 0; k < 3; k++) {
                uint32_t n = s->graph.neighbours[piece[at]][k];
                uint32_t label = n != OV_FIT_NO_NEIGHBOUR ? s->labels[n] : NONE;
                if (label == NONE || label == s->labels[piece[at]]) {
                    continue;
                }
                border[label] = pass == 0 ? border[label] + sqrt(s->graph.areas[n]) : 0.0;
                bool longer = best == NONE || border[label] > border[best] ||
                              (border[label] == border[best] && label < best);
                best = pass == 0 && longer ? label : best;
            }
        }
    }
    return best;
}

/** Labels the pieces that no walk took, and joins small ones with a neighbour. */
static bool label_body(ov_fit_segments *s) {
    size_t n = s->graph.count;
    uint32_t *queue = ovi_allocate(n, sizeof *queue);
    double *border = calloc(n + s->count, sizeof *border);
    bool good = queue != NULL && border != NULL;
    for (uint32_t i = 0; i < n && good; i++) {
        if (s->labels[i] != NONE) {
            continue;
        }
        size_t count = 1;
        double area = 0.0;
        queue[0] = i;
        s->labels[i] = (uint32_t)s->count;
        for (size_t at = 0; at < count; at++) {
            area += s->graph.areas[queue[at]];
            for (int k = 0; k < 3; k++) {
                uint32_t other = s->graph.neighbours[queue[at]][k];
                if (other != OV_FIT_NO_NEIGHBOUR && s->labels[other] == NONE) {
                    s->labels[other] = (uint32_t)s->count;
                    queue[count++] = other;
                }
            }
        }
        uint32_t target =
            area < s->options.least * s->area ? longest_border(s, queue, count, border) : NONE;
        for (size_t at = 0; at < count && target != NONE; at++) {
            s->labels[queue[at]] = target;
        }
        s->count += target == NONE;
    }
    free(queue);
    free(border);
    return good;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool make(ov_fit_segments *s, const ov_fit_mesh *mesh) {
    ov_fit_input in = ov_fit_mesh_input(mesh);
    search way;
    if (!make_graph(s, &in, ov_fit_mesh_neighbours(mesh)) || !search_make(&way, &s->graph)) {
        return false;
    }
    bool good = make_protrusion(s, &way) && find_salient(s, &way) && make_curvature(s, &in, &way) &&
                walk_all(s, &way) && label_body(s);
    search_free(&way);
    return good;
}

ov_fit_segments_options ov_default_fit_segments_options(void) {
    return (ov_fit_segments_options){.bases = 200,
                                     .window = 0.2,
                                     .prominence = 0.03,
                                     .locale = 0.025,
                                     .boundary = 0.25,
                                     .hyperbolic = 0.3,
                                     .curvature = 25.0,
                                     .curvature_window = 2.0,
                                     .least = 0.025};
}

/** Fills in defaults; false where an option is not positive. */
static bool settle_options(ov_fit_segments_options *o) {
    ov_fit_segments_options usual = ov_default_fit_segments_options();
    double *given[] = {&o->window,     &o->prominence, &o->locale,           &o->boundary,
                       &o->hyperbolic, &o->curvature,  &o->curvature_window, &o->least};
    const double normal[] = {usual.window,           usual.prominence, usual.locale,
                             usual.boundary,         usual.hyperbolic, usual.curvature,
                             usual.curvature_window, usual.least};
    bool good = true;
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        *given[i] = *given[i] == 0.0 ? normal[i] : *given[i];
        good = good && *given[i] > 0.0 && isfinite(*given[i]);
    }
    o->bases = o->bases == 0 ? usual.bases : o->bases;
    return good;
}

ov_status ov_fit_segments_create(const ov_fit_mesh *mesh, const ov_fit_segments_options *options,
                                 ov_fit_segments **segments) {
    if (segments == NULL) {
        return OV_ERROR_NULL;
    }
    *segments = NULL;
    if (mesh == NULL) {
        return OV_ERROR_NULL;
    }
    ov_fit_segments_options o = options != NULL ? *options : (ov_fit_segments_options){0};
    if (!settle_options(&o)) {
        return OV_ERROR_OPTION;
    }
    ov_fit_segments *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return OV_ERROR_MEMORY;
    }
    s->options = o;
    if (!make(s, mesh)) {
        ov_fit_segments_destroy(s);
        return OV_ERROR_MEMORY;
    }
    *segments = s;
    return OV_OK;
}

void ov_fit_segments_destroy(ov_fit_segments *s) {
    if (s == NULL) {
        return;
    }
    free(s->graph.neighbours);
    free(s->graph.lengths);
    free(s->graph.areas);
    free(s->protrusion);
    free(s->curvature);
    free(s->salient);
    free(s->locales);
    free(s->first_locale);
    free(s->labels);
    free(s->walks);
    free(s->locale_numbers);
    free(s);
}

size_t ov_fit_segments_count(const ov_fit_segments *s) { return s != NULL ? s->count : 0; }

const uint32_t *ov_fit_segments_labels(const ov_fit_segments *s) {
    return s != NULL ? s->labels : NULL;
}

const double *ov_fit_segments_areas(const ov_fit_segments *s) {
    return s != NULL ? s->graph.areas : NULL;
}

const double *ov_fit_segments_protrusion(const ov_fit_segments *s) {
    return s != NULL ? s->protrusion : NULL;
}

double ov_fit_segments_protrusion_error(const ov_fit_segments *s) {
    return s != NULL ? s->protrusion_error : 0.0;
}

size_t ov_fit_segments_salient_count(const ov_fit_segments *s) {
    return s != NULL ? s->salient_count : 0;
}

const uint32_t *ov_fit_segments_salient(const ov_fit_segments *s) {
    return s != NULL ? s->salient : NULL;
}

const double *ov_fit_segments_curvature(const ov_fit_segments *s) {
    return s != NULL ? s->curvature : NULL;
}

const ov_fit_locale *ov_fit_segments_locales(const ov_fit_segments *s, size_t salient,
                                             size_t *count) {
    bool known = s != NULL && salient < s->salient_count;
    if (count != NULL) {
        *count = known ? s->first_locale[salient + 1] - s->first_locale[salient] : 0;
    }
    return known ? s->locales + s->first_locale[salient] : NULL;
}

double ov_fit_segments_locale_width(const ov_fit_segments *s) { return s != NULL ? s->width : 0.0; }

const uint32_t *ov_fit_segments_walks(const ov_fit_segments *s) {
    return s != NULL ? s->walks : NULL;
}

const uint32_t *ov_fit_segments_locale_numbers(const ov_fit_segments *s) {
    return s != NULL ? s->locale_numbers : NULL;
}

ov_status ov_fit_segments_distances(const ov_fit_segments *s, uint32_t triangle,
                                    double *distances) {
    if (s == NULL || distances == NULL) {
        return OV_ERROR_NULL;
    }
    if (triangle >= s->graph.count) {
        return OV_ERROR_INDEX;
    }
    search way;
    if (!search_make(&way, &s->graph)) {
        return OV_ERROR_MEMORY;
    }
    search_from(&way, triangle, INFINITY, NULL);
    memcpy(distances, way.distance, s->graph.count * sizeof *distances);
    search_free(&way);
    return OV_OK;
}
