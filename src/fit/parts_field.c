/**
 * @file parts_field.c
 * @brief A grid over a mesh: which cells are inside, how deep they are, and samples of the surface.
 *
 * Inside is where the winding number is not zero, as for ov_trimesh. It comes from lines along x,
 * one through the samples of each row of cells: every triangle that a line crosses changes the
 * winding number by one. A line through an edge or corner must count for exactly one of the
 * triangles there; the sign of the area of edge and line decides, computed in the same way for both
 * triangles of an edge, and a zero is broken in favour of the edge that goes up.
 *
 * Depth: distances between cells of unlike sign, by the lower envelope of parabolas, axis by axis.
 * A mesh that no cell is inside of, and a cloud, have the cells of their samples instead.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parts_internal.h"

/* ---- samples */

static bool grow_floats(float **block, size_t capacity) {
    float *grown = realloc(*block, capacity * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    *block = grown;
    return true;
}

static bool reserve(ovi_samples *s, size_t capacity) {
    if (capacity <= s->capacity) {
        return true;
    }
    if (!grow_floats(&s->x, capacity) || !grow_floats(&s->y, capacity) ||
        !grow_floats(&s->z, capacity)) {
        return false;
    }
    s->capacity = capacity;
    return true;
}

bool ovi_samples_add(ovi_samples *s, float x, float y, float z) {
    if (s->count == s->capacity && !reserve(s, 2 * s->capacity + 256)) {
        return false;
    }
    s->x[s->count] = x;
    s->y[s->count] = y;
    s->z[s->count] = z;
    s->count++;
    return true;
}

void ovi_samples_free(ovi_samples *s) {
    free(s->x);
    free(s->y);
    free(s->z);
    *s = (ovi_samples){0};
}

/* ---- where they are */

OVI_INLINE void xs_inner(const ovi_field *f, int i, size_t index, size_t count, float *restrict x) {
    // ovi_field_x(f, i + n, index + n), in a form that becomes vectors: the same bits
    float origin = (float)f->origin[0], h = (float)f->h;
    uint32_t first = ~(uint32_t)index;
    for (uint32_t n = 0; n < (uint32_t)count; n++) {
        x[n] = origin + h * ((float)(i + (int32_t)n) + ovi_scatter(first - n));
    }
}

OVI_DISPATCH_WIDE(, void, ovi_field_xs, xs_inner,
                  (const ovi_field *f, int i, size_t index, size_t count, float *x),
                  (f, i, index, count, x))

/* ---- inside by winding numbers along lines */

typedef struct point2 {
    double y, z;
} point2;

/** Which side of the edge from a to b the point is on; never 0, and opposite for b to a. */
static int side_of(point2 a, point2 b, point2 p) {
    bool swap = b.y < a.y || (b.y == a.y && b.z < a.z);
    point2 lo = swap ? b : a, hi = swap ? a : b;
    double area = (hi.y - lo.y) * (p.z - lo.z) - (hi.z - lo.z) * (p.y - lo.y);
    int side = area > 0.0 ? 1 : area < 0.0 ? -1 : 0;
    if (side == 0) {
        // as if the point were moved by a tiny amount along z, and by a tinier one along y
        side = hi.y > lo.y ? 1 : -1;
    }
    return swap ? -side : side;
}

/** A line's crossing of a triangle: where, and by how much the winding number changes. */
typedef struct crossing {
    double x;
    int turn;
} crossing;

static bool cross_line(const ov_vec3 corner[3], point2 p, crossing *out) {
    point2 c[3];
    for (int i = 0; i < 3; i++) {
        c[i] = (point2){corner[i].y, corner[i].z};
    }
    int s = side_of(c[0], c[1], p);
    if (side_of(c[1], c[2], p) != s || side_of(c[2], c[0], p) != s) {
        return false;
    }
    // the plane at the line; a triangle along the line has no area here, and counts at its mean
    ov_vec3 u = ov_vec3_sub(corner[1], corner[0]), v = ov_vec3_sub(corner[2], corner[0]);
    ov_vec3 n = ov_vec3_cross(u, v);
    double lo = fmin(corner[0].x, fmin(corner[1].x, corner[2].x));
    double hi = fmax(corner[0].x, fmax(corner[1].x, corner[2].x));
    double x = corner[0].x - (n.y * (p.y - corner[0].y) + n.z * (p.z - corner[0].z)) / n.x;
    out->x = isfinite(x) ? fmax(lo, fmin(hi, x)) : 0.5 * (lo + hi);
    out->turn = s;
    return true;
}

/** The cell that a coordinate is in, of those that there are. */
static int cell_at(const ovi_field *f, int axis, double at) {
    double cell = floor((at - f->origin[axis]) / f->h);
    return (int)fmax(0.0, fmin((double)f->n[axis] - 1.0, cell));
}

/** Adds a triangle's crossings to `turns`: the change of the winding number before each cell. */
static void mark_triangle(const ovi_field *f, const ov_vec3 c[3], int *turns) {
    double y0 = fmin(c[0].y, fmin(c[1].y, c[2].y)), y1 = fmax(c[0].y, fmax(c[1].y, c[2].y));
    double z0 = fmin(c[0].z, fmin(c[1].z, c[2].z)), z1 = fmax(c[0].z, fmax(c[1].z, c[2].z));
    for (int k = cell_at(f, 2, z0); k <= cell_at(f, 2, z1); k++) {
        for (int j = cell_at(f, 1, y0); j <= cell_at(f, 1, y1); j++) {
            crossing at;
            point2 line;
            ovi_field_line(f, j, k, &line.y, &line.z);
            if (cross_line(c, line, &at)) {
                size_t row = ovi_field_index(f, 0, j, k);
                int i = cell_at(f, 0, at.x);
                i += (double)ovi_field_x(f, i, row + (size_t)i) < at.x;
                turns[((size_t)k * (size_t)f->n[1] + (size_t)j) * ((size_t)f->n[0] + 1) +
                      (size_t)i] += at.turn;
            }
        }
    }
}

static ov_status find_inside(const ovi_soup *mesh, ovi_field *f) {
    size_t lines = (size_t)f->n[1] * (size_t)f->n[2], stride = (size_t)f->n[0] + 1;
    int *turns = calloc(lines * stride, sizeof *turns);
    if (turns == NULL) {
        return OV_ERROR_MEMORY;
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        ov_vec3 c[3];
        for (int i = 0; i < 3; i++) {
            c[i] = mesh->points[mesh->triangles[t][i]];
        }
        mark_triangle(f, c, turns);
    }
    f->inside_count = 0;
    for (size_t line = 0; line < lines; line++) {
        int winding = 0, last = 0;
        for (size_t i = 0; i < stride; i++) {
            last += turns[line * stride + i];
        }
        for (size_t i = 0; i < (size_t)f->n[0]; i++) {
            winding += turns[line * stride + i];
            // a line that does not come out again crosses an open surface: it has no inside here
            bool in = winding != 0 && last == 0;
            f->inside[line * (size_t)f->n[0] + i] = in;
            f->inside_count += in;
        }
    }
    free(turns);
    return OV_OK;
}

/* ---- depth: squared distances by lower envelopes of parabolas */

/** Squared distances along one line of the grid; `v`, `edges` hold the parabolas of the envelope.
 */
static void envelope(float *line, size_t stride, int n, float *d, int *v, double *edges) {
    int k = -1;
    for (int q = 0; q < n; q++) {
        double dq = (double)line[(size_t)q * stride];
        d[q] = (float)dq;
        if (dq >= 1e12) {
            continue;
        }
        double s = -INFINITY;
        while (k >= 0) {
            double dv = (double)d[v[k]];
            s = (dq + (double)q * q - dv - (double)v[k] * v[k]) / (2.0 * (q - v[k]));
            if (s > edges[k]) {
                break;
            }
            k--;
            s = -INFINITY;
        }
        k++;
        v[k] = q;
        edges[k] = s;
    }
    if (k < 0) {
        return;
    }
    int last = k, at = 0;
    for (int q = 0; q < n; q++) {
        while (at < last && edges[at + 1] < (double)q) {
            at++;
        }
        double away = (double)(q - v[at]);
        line[(size_t)q * stride] = (float)(away * away + (double)d[v[at]]);
    }
}

static ov_status squared_distances(const ovi_field *f, float *d) {
    int longest = f->n[0] > f->n[1] ? f->n[0] : f->n[1];
    longest = longest > f->n[2] ? longest : f->n[2];
    float *row = malloc((size_t)longest * sizeof *row);
    int *v = malloc((size_t)longest * sizeof *v);
    double *edges = malloc((size_t)longest * sizeof *edges);
    bool made = row != NULL && v != NULL && edges != NULL;
    for (int axis = 0; axis < 3 && made; axis++) {
        size_t stride = axis == 0   ? 1
                        : axis == 1 ? (size_t)f->n[0]
                                    : (size_t)f->n[0] * (size_t)f->n[1];
        int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
        for (int j = 0; j < f->n[b]; j++) {
            for (int i = 0; i < f->n[a]; i++) {
                int at[3] = {0};
                at[a] = i;
                at[b] = j;
                envelope(d + ovi_field_index(f, at[0], at[1], at[2]), stride, f->n[axis], row, v,
                         edges);
            }
        }
    }
    free(row);
    free(v);
    free(edges);
    return made ? OV_OK : OV_ERROR_MEMORY;
}

/** The cells of the samples are at the surface. */
static void mark_samples(const ovi_field *f, float *squared) {
    const ovi_samples *s = &f->surface;
    for (size_t i = 0; i < s->count; i++) {
        squared[ovi_field_index(f, cell_at(f, 0, (double)s->x[i]), cell_at(f, 1, (double)s->y[i]),
                                cell_at(f, 2, (double)s->z[i]))] = 0.0f;
    }
}

/** Samples and what is inside are known. */
static ov_status find_depth(ovi_field *f) {
    size_t count = ovi_field_count(f);
    float *out = malloc(count * sizeof *out);
    if (out == NULL) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        f->depth[i] = f->inside[i] ? 1e12f : 0.0f;
        out[i] = f->inside[i] ? 0.0f : 1e12f;
    }
    // the surface is half a cell before the first cell of the other sign
    float rim = 0.5f;
    if (f->inside_count == 0) {
        mark_samples(f, out);
        rim = 0.0f;
    }
    ov_status status = squared_distances(f, f->depth);
    status = status == OV_OK ? squared_distances(f, out) : status;
    for (size_t i = 0; i < count; i++) {
        // all cells may be inside
        float far = 2.0f * (float)(f->n[0] + f->n[1] + f->n[2]);
        float cells = sqrtf(f->inside[i] ? f->depth[i] : out[i]) - rim;
        cells = cells < far ? cells : far;
        f->depth[i] = (float)f->h * (f->inside[i] ? cells : -cells);
    }
    free(out);
    return status;
}

/* ---- samples of the surface */

/** Adds a triangle of samples. */
static bool add_facet(ovi_field *f, size_t *capacity, size_t a, size_t b, size_t c) {
    if (f->facet_count == *capacity) {
        size_t wanted = 2 * *capacity + 1024;
        uint32_t(*grown)[3] = realloc(f->facets, wanted * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        f->facets = grown;
        *capacity = wanted;
    }
    uint32_t *facet = f->facets[f->facet_count++];
    facet[0] = (uint32_t)a;
    facet[1] = (uint32_t)b;
    facet[2] = (uint32_t)c;
    return true;
}

/** A triangle in the making: corners, which samples they are, and into how many rows it is cut. */
typedef struct cut_triangle {
    ov_vec3 c[3];
    size_t corner[3];
    int rows;
    size_t first; // sample: points other than the corners, row by row
} cut_triangle;

/** Sample of the point i/rows of the way to the second corner and j/rows to the third. */
static size_t sample_at(const cut_triangle *t, int i, int j) {
    if (i == t->rows || j == t->rows || i + j == 0) {
        return t->corner[i == t->rows ? 1 : j == t->rows ? 2 : 0];
    }
    // rows before this one have rows + 1, rows, ... points; the corners are not among them
    size_t before = (size_t)(i * (t->rows + 1) - i * (i - 1) / 2 + j);
    return t->first + before - (i == 0 ? 1 : 2);
}

static bool sample_triangle(ovi_field *f, size_t *capacity, cut_triangle *t) {
    ovi_samples *s = &f->surface;
    int n = t->rows;
    t->first = s->count;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= n - i; j++) {
            if (i + j == 0 || j == n) {
                continue;
            }
            double u = (double)i / n, v = (double)j / n;
            ov_vec3 p =
                ov_vec3_add(ov_vec3_scale(t->c[0], 1.0 - u - v),
                            ov_vec3_add(ov_vec3_scale(t->c[1], u), ov_vec3_scale(t->c[2], v)));
            if (!ovi_samples_add(s, (float)p.x, (float)p.y, (float)p.z)) {
                return false;
            }
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n - i; j++) {
            size_t b = sample_at(t, i + 1, j), c = sample_at(t, i, j + 1);
            if (!add_facet(f, capacity, sample_at(t, i, j), b, c) ||
                (i + j + 1 < n && !add_facet(f, capacity, b, sample_at(t, i + 1, j + 1), c))) {
                return false;
            }
        }
    }
    return true;
}

/** All corners, each once; `names` says which sample a point of the mesh is. */
static bool sample_corners(const ovi_soup *mesh, ovi_field *f, uint32_t *names) {
    bool cloud = mesh->triangle_count == 0;
    size_t corners = cloud ? mesh->point_count : 3 * mesh->triangle_count;
    for (size_t i = 0; i < corners; i++) {
        size_t at = cloud ? i : mesh->triangles[i / 3][i % 3];
        if (names[at] == 0) {
            ov_vec3 p = mesh->points[at];
            if (!ovi_samples_add(&f->surface, (float)p.x, (float)p.y, (float)p.z)) {
                return false;
            }
            names[at] = (uint32_t)f->surface.count; // one more than its index: 0 is none
        }
    }
    return true;
}

/** Triangles no larger than `spacing`, or points. */
static ov_status sample_surface(const ovi_soup *mesh, ovi_field *f, double spacing) {
    uint32_t *names = calloc(mesh->point_count, sizeof *names);
    size_t capacity = 0;
    bool made = names != NULL && sample_corners(mesh, f, names);
    for (size_t i = 0; i < f->surface.count && made && mesh->triangle_count == 0; i++) {
        made = add_facet(f, &capacity, i, i, i);
    }
    for (size_t i = 0; i < mesh->triangle_count && made; i++) {
        cut_triangle t;
        double longest = 0.0;
        for (int n = 0; n < 3; n++) {
            t.c[n] = mesh->points[mesh->triangles[i][n]];
            t.corner[n] = names[mesh->triangles[i][n]] - 1;
        }
        for (int n = 0; n < 3; n++) {
            longest = fmax(longest, ov_vec3_length(ov_vec3_sub(t.c[(n + 1) % 3], t.c[n])));
        }
        t.rows = (int)fmax(1.0, fmin(512.0, ceil(longest / spacing)));
        made = sample_triangle(f, &capacity, &t);
    }
    free(names);
    return made ? OV_OK : OV_ERROR_MEMORY;
}

/* ---- the whole field */

ov_status ovi_field_make(const ovi_soup *mesh, int cells, ovi_field *field) {
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < mesh->point_count; i++) {
        double p[3] = {mesh->points[i].x, mesh->points[i].y, mesh->points[i].z};
        for (int a = 0; a < 3; a++) {
            lo[a] = fmin(lo[a], p[a]);
            hi[a] = fmax(hi[a], p[a]);
        }
    }
    *field = (ovi_field){0};
    double longest = fmax(hi[0] - lo[0], fmax(hi[1] - lo[1], hi[2] - lo[2]));
    field->h = longest / (double)cells;
    for (int a = 0; a < 3; a++) {
        field->n[a] = (int)ceil((hi[a] - lo[a]) / field->h) + 2 * OVI_FIELD_BORDER;
        field->origin[a] = 0.5 * (lo[a] + hi[a]) - 0.5 * field->h * field->n[a];
    }
    size_t count = ovi_field_count(field);
    field->inside = malloc(count * sizeof *field->inside);
    field->depth = malloc(count * sizeof *field->depth);
    ov_status status = field->inside != NULL && field->depth != NULL ? OV_OK : OV_ERROR_MEMORY;
    status = status == OV_OK ? find_inside(mesh, field) : status;
    status = status == OV_OK ? sample_surface(mesh, field, 1.5 * field->h) : status;
    status = status == OV_OK ? find_depth(field) : status;
    if (status != OV_OK) {
        ovi_field_free(field);
    }
    return status;
}

void ovi_field_free(ovi_field *field) {
    free(field->inside);
    free(field->depth);
    ovi_samples_free(&field->surface);
    free(field->facets);
    *field = (ovi_field){0};
}
