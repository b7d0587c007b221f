/**
 * @file recheck_fit.c
 * @brief Does a scene that `ovoid fit` wrote hold a mesh? Asked without the library.
 *
 *     recheck_fit FIT.json MESH.{off,obj}
 *
 * Nothing here is Ovoid's: it reads both files itself and computes in long double. It relies on two
 * facts: a body is convex, so that it holds what its corners span; and a point with
 *
 *     F = ((|x|^p1 + |y|^p1)^(p2/p1)) + |z|^p2 <= 1,      p = 2/e, x = x'/(a1 (1 + tx z)), ...
 *
 * is in it. F has to be below 1 by 1e-16, which is far more than its rounding and far less than
 * what enclosing fits are larger by.
 *
 * Surface: triangles are cut in four until one body has all three corners. Solid: cubes are cut in
 * eight until they are outside, or one body has the corners that are inside and all corners of the
 * triangles as clipped by the cube; these span the solid in the cube, because an extreme point of
 * it is either on the surface or a corner of the cube. A point is inside where the winding number
 * is not zero; where rounding leaves that open it counts as inside. Triangles have to agree about
 * what is outside: nothing is mended here.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;

enum { PARTS = 250, LEVELS = 13, PIECE_LEVELS = 16, GRID = 256, ENOUGH = 1000 };

typedef struct part {
    real a[3], e[2], t[2], at[3], r[3][3];
} part;

typedef struct mesh {
    real (*p)[3];
    size_t (*t)[3];
    size_t points, triangles;
} mesh;

static part parts[PARTS];
static size_t part_count, last;
static mesh body;
static size_t pieces, cells, bad_pieces, bad_cells;
static real bad_volume;

static void fail(const char *file, const char *why) {
    fprintf(stderr, "recheck_fit: %s: %s\n", file, why);
    exit(2);
}

static void *need(void *memory) {
    if (memory == NULL) {
        fail("memory", "none left");
    }
    return memory;
}

static char *read_text(const char *file) {
    FILE *f = fopen(file, "rb");
    if (f == NULL) {
        fail(file, "cannot be opened");
    }
    size_t size = 0, room = 1 << 16;
    char *text = need(malloc(room + 1));
    for (size_t got; (got = fread(text + size, 1, room - size, f)) > 0;) {
        size += got;
        if (size == room) {
            room *= 2;
            text = need(realloc(text, room + 1));
        }
    }
    fclose(f);
    text[size] = '\0';
    return text;
}

/* ---- bodies */

/** Numbers of the array (or the number) with this name, in [from, to); how many there were. */
static size_t numbers(const char *from, const char *to, const char *name, real *out, size_t most) {
    const char *at = strstr(from, name);
    if (at == NULL || at >= to) {
        return 0;
    }
    at = strchr(at, ':') + 1;
    at += strspn(at, " \n[");
    size_t count = 0;
    while (count < most) {
        char *end;
        double value = strtod(at, &end); // the file's numbers are doubles
        if (end == at) {
            break;
        }
        out[count++] = value;
        at = end + strspn(end, " \n");
        if (*at != ',') {
            break;
        }
        at++;
    }
    return count;
}

static void set_rotation(part *p, const real q[4]) {
    real w = q[0], x = q[1], y = q[2], z = q[3], s = 2.0L / (w * w + x * x + y * y + z * z);
    const real r[3][3] = {{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                          {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
                          {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}};
    memcpy(p->r, r, sizeof r);
}

/** One body of one scene, in parts, as `ovoid fit` writes it; its own pose is the identity. */
static void read_fit(const char *file) {
    char *text = read_text(file);
    const char *at = strstr(text, "\"semi_axes\""), *end = text;
    for (; at != NULL; at = strstr(end, "\"semi_axes\"")) {
        end = strchr(at, '}');
        part *p = &parts[part_count];
        real q[4];
        *p = (part){.e = {1.0L, 1.0L}};
        if (end == NULL || part_count == PARTS || numbers(at, end, "\"semi_axes\"", p->a, 3) != 3 ||
            numbers(at, end, "\"position\"", p->at, 3) != 3 ||
            numbers(at, end, "\"rotation\"", q, 4) != 4) {
            fail(file, "a body is not understood");
        }
        numbers(at, end, "\"exponents\"", p->e, 2);
        numbers(at, end, "\"taper\"", p->t, 2);
        set_rotation(p, q);
        part_count++;
    }
    real pose[7] = {1.0L};
    const char *stop = end + strlen(end);
    if (part_count == 0 ||
        (part_count > 1 &&
         (numbers(end, stop, "\"position\"", pose, 3) != 3 ||
          numbers(end, stop, "\"rotation\"", pose + 3, 4) != 4 || pose[0] != 0.0L ||
          pose[1] != 0.0L || pose[2] != 0.0L || pose[3] != 1.0L))) {
        fail(file, "not the scene of a fit");
    }
    free(text);
}

static bool holds(const part *b, const real p[3]) {
    real d[3] = {p[0] - b->at[0], p[1] - b->at[1], p[2] - b->at[2]}, c[3];
    for (int i = 0; i < 3; i++) {
        c[i] = (b->r[0][i] * d[0] + b->r[1][i] * d[1] + b->r[2][i] * d[2]) / b->a[i];
    }
    real z = c[2];
    if (!(fabsl(z) <= 1.0L)) {
        return false;
    }
    real x = fabsl(c[0]) / (1.0L + b->t[0] * z), y = fabsl(c[1]) / (1.0L + b->t[1] * z);
    real p1 = 2.0L / b->e[0], p2 = 2.0L / b->e[1];
    // most points are far outside
    return x <= 1.0L && y <= 1.0L &&
           powl(powl(x, p1) + powl(y, p1), p2 / p1) + powl(fabsl(z), p2) <= 1.0L - 1e-16L;
}

/** A body that holds all points; the one that held the last ones is asked first. */
static bool one_holds(real (*p)[3], size_t count) {
    for (size_t n = 0; n < part_count; n++) {
        size_t k = (last + n) % part_count, i = 0;
        while (i < count && holds(&parts[k], p[i])) {
            i++;
        }
        if (i == count) {
            last = k;
            return true;
        }
    }
    return false;
}

/* ---- mesh */

static void read_off(const char *file, char *at) {
    double counts[3], v;
    char *end;
    at += 3;
    for (int i = 0; i < 3; i++, at = end) {
        counts[i] = strtod(at, &end);
        if (end == at || !(counts[i] >= 0.0 && counts[i] < 1e9)) {
            fail(file, "not a plain OFF file");
        }
    }
    body.points = (size_t)counts[0];
    body.triangles = (size_t)counts[1];
    body.p = need(malloc((body.points + 1) * sizeof *body.p));
    body.t = need(malloc((body.triangles + 1) * sizeof *body.t));
    for (size_t i = 0; i < 3 * body.points; i++, at = end) {
        body.p[i / 3][i % 3] = strtod(at, &end);
    }
    for (size_t i = 0; i < 4 * body.triangles; i++, at = end) {
        v = strtod(at, &end);
        if (end == at || (i % 4 == 0 ? v != 3.0 : v < 0.0 || v >= (double)body.points)) {
            fail(file, "not a mesh of triangles");
        }
        if (i % 4 > 0) {
            body.t[i / 4][i % 4 - 1] = (size_t)v;
        }
    }
}

static void read_obj(const char *file, const char *text) {
    size_t room = strlen(text) / 4 + 1;
    body.p = need(malloc(room * sizeof *body.p));
    body.t = need(malloc(room * sizeof *body.t));
    for (const char *at = text; at != NULL; at = strchr(at, '\n')) {
        at += *at == '\n';
        char *end = (char *)at + 1;
        real *p = body.p[body.points];
        for (int i = 0; at[0] == 'v' && at[1] == ' ' && i < 3; i++) {
            p[i] = strtod(end, &end);
        }
        body.points += at[0] == 'v' && at[1] == ' ';
        size_t *t = body.t[body.triangles];
        for (int i = 0; at[0] == 'f' && at[1] == ' ' && i < 3; i++) {
            t[i] = (size_t)strtoul(end, &end, 10) - 1;
            end += strcspn(end, " \n");
            if (t[i] >= body.points) {
                fail(file, "not a mesh of triangles");
            }
        }
        body.triangles += at[0] == 'f' && at[1] == ' ';
    }
}

/* ---- surface */

static bool check_piece(real c[3][3], int level) {
    if (one_holds(c, 3)) {
        pieces++;
        return true;
    }
    if (level == PIECE_LEVELS) {
        return false;
    }
    real m[3][3];
    for (int i = 0; i < 9; i++) {
        m[i / 3][i % 3] = 0.5L * (c[i / 3][i % 3] + c[(i / 3 + 1) % 3][i % 3]);
    }
    bool good = check_piece(m, level + 1);
    for (int i = 0; i < 3 && good; i++) {
        real child[3][3];
        memcpy(child[0], c[i], sizeof child[0]);
        memcpy(child[1], m[i], sizeof child[1]);
        memcpy(child[2], m[(i + 2) % 3], sizeof child[2]);
        good = check_piece(child, level + 1);
    }
    return good;
}

/* ---- inside: lines along x, triangles by where they are in y and z */

typedef struct list {
    size_t *at, count, room;
} list;

static list columns[GRID][GRID];
static real low[3], side;

static void push(list *l, size_t value) {
    if (l->count == l->room) {
        l->room = 2 * l->room + 16;
        l->at = need(realloc(l->at, l->room * sizeof *l->at));
    }
    l->at[l->count++] = value;
}

static int column(real v, int axis) {
    real at = floorl((v - low[axis]) / side * GRID);
    return at < 0 ? 0 : at >= GRID ? GRID - 1 : (int)at;
}

static void fill_columns(void) {
    for (size_t i = 0; i < body.triangles; i++) {
        int lo[3] = {GRID, GRID, GRID}, hi[3] = {0, 0, 0};
        for (int n = 0; n < 3; n++) {
            for (int axis = 1; axis < 3; axis++) {
                int at = column(body.p[body.t[i][n]][axis], axis);
                lo[axis] = at < lo[axis] ? at : lo[axis];
                hi[axis] = at > hi[axis] ? at : hi[axis];
            }
        }
        // (a column more on each side: a point on the border is in either)
        for (int y = lo[1] - (lo[1] > 0); y <= hi[1] + (hi[1] < GRID - 1); y++) {
            for (int z = lo[2] - (lo[2] > 0); z <= hi[2] + (hi[2] < GRID - 1); z++) {
                push(&columns[y][z], i);
            }
        }
    }
}

/** May the point be inside? True as well where rounding leaves it open. */
static bool inside(const real p[3]) {
    const list *l = &columns[column(p[1], 1)][column(p[2], 2)];
    const real little = 1e-15L * side * side;
    int winding = 0;
    for (size_t i = 0; i < l->count; i++) {
        const real *c[3] = {body.p[body.t[l->at[i]][0]], body.p[body.t[l->at[i]][1]],
                            body.p[body.t[l->at[i]][2]]};
        real area[3], x = 0.0L, sum = 0.0L;
        for (int n = 0; n < 3; n++) {
            const real *a = c[(n + 1) % 3], *b = c[(n + 2) % 3];
            area[n] = (a[1] - p[1]) * (b[2] - p[2]) - (a[2] - p[2]) * (b[1] - p[1]);
            x += area[n] * c[n][0];
            sum += area[n];
        }
        bool up = area[0] > -little && area[1] > -little && area[2] > -little;
        bool down = area[0] < little && area[1] < little && area[2] < little;
        if (!up && !down) {
            continue;
        }
        if (fabsl(area[0]) <= little || fabsl(area[1]) <= little || fabsl(area[2]) <= little ||
            fabsl(x / sum - p[0]) < 1e-12L * side) {
            return true;
        }
        winding += x / sum > p[0] ? (up ? 1 : -1) : 0;
    }
    return winding != 0;
}

/* ---- solid */

enum { CORNERS = 12 };

/** The triangle clipped by the cube; how many corners are left. */
static size_t clip(size_t triangle, const real lo[3], real s, real out[CORNERS][3]) {
    real next[CORNERS][3];
    size_t count = 3;
    for (int n = 0; n < 3; n++) {
        memcpy(out[n], body.p[body.t[triangle][n]], sizeof out[n]);
    }
    for (int f = 0; f < 6 && count > 0; f++) {
        int axis = f / 2;
        real sign = f % 2 ? -1.0L : 1.0L, wall = lo[axis] + (f % 2 ? s : 0.0L);
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            const real *a = out[i], *b = out[(i + 1) % count];
            real da = sign * (a[axis] - wall), db = sign * (b[axis] - wall);
            if (da >= 0.0L) {
                memcpy(next[kept++], a, sizeof next[0]);
            }
            if ((da < 0.0L) != (db < 0.0L) && da != 0.0L && db != 0.0L) {
                for (int n = 0; n < 3; n++) {
                    next[kept][n] = a[n] + (b[n] - a[n]) * (da / (da - db));
                }
                next[kept++][axis] = wall;
            }
        }
        memcpy(out, next, kept * sizeof next[0]);
        count = kept;
    }
    return count;
}

/** Of the triangles above, those that meet the cube; their clipped corners are added to `spans`. */
static list narrow(const list *above, const real lo[3], real s, real (**spans)[3], size_t *count) {
    list near = {NULL, 0, 0};
    size_t room = 8 + CORNERS * above->count;
    *spans = need(malloc(room * sizeof **spans));
    *count = 8;
    for (size_t i = 0; i < above->count; i++) {
        real corners[CORNERS][3];
        size_t n = clip(above->at[i], lo, s, corners);
        if (n > 0) {
            push(&near, above->at[i]);
            memcpy((*spans)[*count], corners, n * sizeof corners[0]);
            *count += n;
        }
    }
    return near;
}

/** `known`: no triangle meets the cube, and it is inside. Ends early where much is not held. */
static void check_cell(const list *above, const real lo[3], real s, int level, bool known) {
    if (bad_cells >= ENOUGH) {
        return;
    }
    real(*spans)[3], corners[8][3];
    size_t count, first = 8;
    list near = narrow(above, lo, s, &spans, &count);
    for (int n = 0; n < 8; n++) {
        for (int a = 0; a < 3; a++) {
            corners[n][a] = lo[a] + ((n >> a) & 1 ? s : 0.0L);
        }
    }
    bool empty = near.count == 0 && !known && !inside(corners[0]);
    known = near.count == 0;
    bool good = empty || one_holds(corners, 8);
    if (!good && !known && one_holds(spans + 8, count - 8)) {
        for (int n = 0; n < 8; n++) {
            if (inside(corners[n])) {
                memcpy(spans[--first], corners[n], sizeof corners[n]);
            }
        }
        good = one_holds(spans + first, count - first);
    }
    free(spans);
    if (good) {
        cells++;
    } else if (level == LEVELS) {
        bad_cells++;
        bad_volume += s * s * s;
    } else {
        for (int n = 0; n < 8; n++) {
            const real child[3] = {0.5L * (corners[0][0] + corners[n][0]),
                                   0.5L * (corners[0][1] + corners[n][1]),
                                   0.5L * (corners[0][2] + corners[n][2])};
            check_cell(&near, child, 0.5L * s, level + 1, known);
        }
    }
    free(near.at);
}

static void find_root(void) {
    real high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = HUGE_VALL;
        high[a] = -HUGE_VALL;
        for (size_t i = 0; i < 3 * body.triangles; i++) {
            real v = body.p[body.t[i / 3][i % 3]][a];
            low[a] = v < low[a] ? v : low[a];
            high[a] = v > high[a] ? v : high[a];
        }
        side = high[a] - low[a] > side ? high[a] - low[a] : side;
    }
    // no wall of a cube in the plane of a coordinate that the mesh is likely to have
    for (int a = 0; a < 3; a++) {
        low[a] -= 0.01234567L * side;
    }
    side *= 1.0345678L;
}

int main(int count, char **words) {
    if (count != 3) {
        fail("usage", "recheck_fit FIT.json MESH.{off,obj}");
    }
    read_fit(words[1]);
    char *text = read_text(words[2]);
    strncmp(text, "OFF", 3) == 0 ? read_off(words[2], text) : read_obj(words[2], text);
    free(text);
    if (body.triangles == 0) {
        fail(words[2], "not a mesh of triangles, OFF or OBJ");
    }
    list all = {NULL, 0, 0};
    for (size_t i = 0; i < body.triangles; i++) {
        real c[3][3];
        for (int n = 0; n < 3; n++) {
            memcpy(c[n], body.p[body.t[i][n]], sizeof c[n]);
        }
        bad_pieces += !check_piece(c, 0);
        push(&all, i);
    }
    find_root();
    fill_columns();
    check_cell(&all, low, side, 0, false);
    printf(
        "%zu parts, %zu triangles in %zu pieces, not held: %zu; solid in %zu cells, not held: %zu "
        "(%.3Lg of the cube)\n",
        part_count, body.triangles, pieces, bad_pieces, cells, bad_cells,
        bad_volume / (side * side * side));
    free(all.at);
    for (size_t i = 0; i < (size_t)GRID * GRID; i++) {
        free(columns[i / GRID][i % GRID].at);
    }
    free(body.p);
    free(body.t);
    return bad_pieces + bad_cells > 0;
}
