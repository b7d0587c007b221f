/**
 * @file dental_teeth.c
 * @brief The molars and the bite of `ovoid-bench dental`, the files of data/dental, and how the
 * least gap of the teeth is followed.
 *
 * [Benchmark, 5.3] fitted superovoids by hand to a scan that is not public; these teeth are made
 * for this project after the usual measures of first molars: crowns of about 11 mm by 10.5 mm, 7.5
 * mm high, cusps 2 to 3 mm above the fossa, roots of 12 to 13 mm. As in the paper each elevation of
 * the crown is a superovoid of its own.
 *
 * A tooth stands in its own frame: the neck at z = 0, the chewing surface towards +z, mesial (the
 * side towards the front of the jaw) is +x. Buccal (towards the cheek) is +y for the lower tooth
 * and -y for the upper one, which is turned by half a turn about x when it hangs over the other.
 *
 * The least gap of two bodies of several parts, frame after frame, by public calls only: how a user
 * of the library would follow a bite. It needs few pairs of parts to be asked:
 *
 * 1. A gap is the signed distance of two convex bodies, also where they overlap. When no point of
 * one body moves by more than d, it changes by no more than d. So what was proven about a pair in
 * some frame holds for later ones, less the way that the tooth went since.
 * 2. The same holds for larger bodies: the gap of the bounding balls is a lower bound, also where
 * the balls overlap.
 * 3. The pair that was nearest in the last frame is asked first. All pairs whose lower bound by 1
 * or 2 is above its gap need not be asked.
 *
 * Every pair is thus either asked or proven to be further apart: the answer is exact, and does not
 * jump when boxes begin to overlap, as that of [Benchmark, Fig. 14] does.
 */
#include "dental.h"

#include <math.h>

/* ==== the teeth =============================================================================== */

/** A superovoid of a tooth: as the scene file has it. */
typedef struct part_row {
    const char *what;
    double a[3], e[2], t[2];
    double position[3];
    double axis[3], angle_deg; /**< no turn where the angle is 0 */
} part_row;

static const part_row lower_rows[] = {
    {"crown", {5.5, 5.0, 3.1}, {0.62, 0.75}, {0.08, 0.02}, {0.0, 0.0, 2.7}, {0, 0, 1}, 0},
    {"mesiobuccal cusp",
     {2.2, 2.2, 3.4},
     {0.9, 0.9},
     {-0.42, -0.42},
     {3.0, 2.3, 3.7},
     {1, 0, 0},
     6},
    {"distobuccal cusp",
     {2.1, 2.2, 3.4},
     {0.9, 0.9},
     {-0.42, -0.42},
     {-0.9, 2.5, 3.7},
     {1, 0, 0},
     6},
    {"distal cusp", {1.7, 1.8, 3.0}, {0.9, 0.9}, {-0.42, -0.42}, {-3.9, 1.3, 3.7}, {0, 1, 0}, 6},
    {"mesiolingual cusp",
     {2.3, 2.1, 3.7},
     {0.9, 0.9},
     {-0.45, -0.45},
     {2.5, -2.6, 3.8},
     {1, 0, 0},
     -4},
    {"distolingual cusp",
     {2.3, 2.1, 3.6},
     {0.9, 0.9},
     {-0.45, -0.45},
     {-2.3, -2.6, 3.8},
     {1, 0, 0},
     -4},
    {"mesial ridge", {0.8, 2.9, 1.2}, {0.9, 0.9}, {-0.2, -0.2}, {4.6, 0.0, 5.0}, {0, 0, 1}, 0},
    {"distal ridge", {0.8, 2.4, 1.1}, {0.9, 0.9}, {-0.2, -0.2}, {-4.6, -0.6, 5.0}, {0, 0, 1}, 0},
    {"mesial root", {2.1, 4.0, 7.4}, {0.85, 0.9}, {0.45, 0.4}, {2.8, 0.0, -5.2}, {0, 1, 0}, -5},
    {"distal root", {2.0, 3.6, 7.2}, {0.85, 0.9}, {0.45, 0.4}, {-2.8, 0.0, -5.0}, {0, 1, 0}, 7},
};

static const part_row upper_rows[] = {
    {"crown", {4.9, 5.3, 3.1}, {0.62, 0.75}, {0.04, 0.06}, {0.0, 0.0, 2.7}, {0, 0, 1}, 0},
    {"mesiobuccal cusp",
     {2.2, 2.1, 3.5},
     {0.9, 0.9},
     {-0.42, -0.42},
     {2.2, -3.0, 3.8},
     {1, 0, 0},
     -4},
    {"distobuccal cusp",
     {2.0, 2.1, 3.4},
     {0.9, 0.9},
     {-0.42, -0.42},
     {-2.4, -3.0, 3.7},
     {1, 0, 0},
     -4},
    {"mesiopalatal cusp",
     {2.5, 2.3, 3.7},
     {0.95, 0.9},
     {-0.4, -0.4},
     {1.5, 2.6, 3.7},
     {1, 0, 0},
     6},
    {"distopalatal cusp",
     {1.7, 1.8, 3.0},
     {0.9, 0.9},
     {-0.42, -0.42},
     {-2.9, 2.9, 3.6},
     {1, 0, 0},
     6},
    {"oblique ridge", {0.8, 2.6, 1.3}, {0.9, 0.9}, {-0.2, -0.2}, {-0.9, 0.2, 5.0}, {0, 0, 1}, -38},
    {"mesial ridge", {0.8, 2.8, 1.1}, {0.9, 0.9}, {-0.2, -0.2}, {4.0, 0.0, 5.0}, {0, 0, 1}, 0},
    {"distal ridge", {0.8, 2.7, 1.1}, {0.9, 0.9}, {-0.2, -0.2}, {-4.1, 0.0, 5.0}, {0, 0, 1}, 0},
    {"mesiobuccal root",
     {1.9, 2.8, 6.9},
     {0.85, 0.9},
     {0.45, 0.45},
     {2.4, -2.0, -4.7},
     {0, 1, 0},
     -6},
    {"distobuccal root",
     {1.8, 2.2, 6.6},
     {0.85, 0.9},
     {0.45, 0.45},
     {-2.3, -2.2, -4.5},
     {0, 1, 0},
     8},
    {"palatal root", {2.4, 1.9, 7.0}, {0.85, 0.9}, {0.45, 0.45}, {0.0, 2.9, -4.7}, {1, 0, 0}, 14},
};

enum {
    LOWER_ROWS = sizeof lower_rows / sizeof lower_rows[0],
    UPPER_ROWS = sizeof upper_rows / sizeof upper_rows[0]
};

static const struct {
    const char *name;
    const part_row *rows;
    size_t count;
} tables[DENTAL_TEETH] = {{"lower molar", lower_rows, LOWER_ROWS},
                          {"upper molar", upper_rows, UPPER_ROWS}};

static ov_vec3 vector(const double v[3]) { return ov_vec3_make(v[0], v[1], v[2]); }

bool dental_make(dental_tooth teeth[DENTAL_TEETH]) {
    const double radian = 0.017453292519943295;
    bool good = true;
    for (int k = 0; k < DENTAL_TEETH; k++) {
        teeth[k].name = tables[k].name;
        teeth[k].count = tables[k].count;
        for (size_t i = 0; i < tables[k].count; i++) {
            const part_row *row = &tables[k].rows[i];
            ov_part *part = &teeth[k].parts[i];
            part->mesh = NULL;
            part->pose.position = vector(row->position);
            part->pose.rotation =
                ov_quat_from_axis_angle(vector(row->axis), row->angle_deg * radian);
            good = ov_shape_make_superovoid(vector(row->a), row->e[0], row->e[1], row->t[0],
                                            row->t[1], NULL, &part->shape) == OV_OK &&
                   good;
        }
    }
    return good;
}

/* ---- the bite */

/** Frames in which the teeth meet and part again, as printed under [Benchmark, Fig. 13]. */
enum { MEET = 47, PART = 111 };

/** To a millionth of a millimetre: so many digits stand in the file. */
static double rounded(double length) { return round(length * 1e6) / 1e6; }

/**
 * Down and up again at a constant speed along straight lines, with a slow turn between them: where
 * the teeth meet, the height is a polynomial of degree four in time, which fits the lines smoothly
 * and lets the depth be a fraction of a millimetre only. A little glide towards the cheek goes on
 * all the time, as in a chewing stroke, so that opening is not the mirror image of closing.
 */
ov_pose dental_bite(int frame) {
    const double step = 0.085, glide = 0.006; // mm a frame: along z, and along y
    const ov_vec3 touch = {-1.7, 2.3, 13.18}; // x in all frames, y halfway, z where they meet
    const double half = 0.5 * (PART - MEET);
    double s = frame - 0.5 * (MEET + PART), height = step * (fabs(s) - half);
    if (fabs(s) < half) {
        double u = s / half;
        height = 0.25 * step * half * (u * u * u * u - 1.0);
    }
    return (ov_pose){{touch.x, rounded(touch.y + glide * s), rounded(touch.z + height)},
                     {0.0, 1.0, 0.0, 0.0}};
}

/* ---- the files */

static void put_vector(FILE *out, const char *key, const double *v, int count) {
    fprintf(out, "\"%s\": [", key);
    for (int k = 0; k < count; k++) {
        fprintf(out, "%s%.10g", k > 0 ? ", " : "", v[k]);
    }
    fputc(']', out);
}

static void put_part(FILE *out, const part_row *row) {
    fputs("        {\"kind\": \"superovoid\", ", out);
    put_vector(out, "semi_axes", row->a, 3);
    fputs(", ", out);
    put_vector(out, "exponents", row->e, 2);
    fputs(", ", out);
    put_vector(out, "taper", row->t, 2);
    fputs(",\n         ", out);
    put_vector(out, "position", row->position, 3);
    if (row->angle_deg != 0.0) {
        fputs(", \"rotation\": {", out);
        put_vector(out, "axis", row->axis, 3);
        fprintf(out, ", \"angle_deg\": %.10g}", row->angle_deg);
    }
    fputc('}', out);
}

void dental_write_scene(FILE *out) {
    fputs("{\n  \"title\": \"Two first molars before a bite, in millimetres\",\n  \"bodies\": [\n",
          out);
    for (int k = 0; k < DENTAL_TEETH; k++) {
        ov_pose pose = k == DENTAL_UPPER ? dental_bite(0) : ov_pose_identity();
        fprintf(out, "    {\"name\": \"%s\", \"kind\": \"compound\",\n", tables[k].name);
        fprintf(out, "     \"position\": [%.10g, %.10g, %.10g],", pose.position.x, pose.position.y,
                pose.position.z);
        fprintf(out, " \"rotation\": [%.10g, %.10g, %.10g, %.10g],\n     \"parts\": [\n",
                pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z);
        for (size_t i = 0; i < tables[k].count; i++) {
            put_part(out, &tables[k].rows[i]);
            fputs(i + 1 < tables[k].count ? ",\n" : "\n", out);
        }
        fprintf(out, "     ]}%s\n", k + 1 < DENTAL_TEETH ? "," : "");
    }
    fputs("  ]\n}\n", out);
}

void dental_write_bite(FILE *out) {
    fputs("frame,px,py,pz,qw,qx,qy,qz\n", out);
    for (int frame = 0; frame < DENTAL_FRAMES; frame++) {
        ov_pose p = dental_bite(frame);
        fprintf(out, "%d,%.10g,%.10g,%.10g,%.10g,%.10g,%.10g,%.10g\n", frame, p.position.x,
                p.position.y, p.position.z, p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z);
    }
}

const char *dental_part_name(dental_which tooth, size_t part) {
    return part < tables[tooth].count ? tables[tooth].rows[part].what : "";
}

/* ==== the least gap =========================================================================== */

/** Bounds that were added up many times are off by rounding: far more than by that. */
#define SLACK 1e-11

ov_pose dental_place(ov_pose body, ov_pose part) {
    return (ov_pose){ov_pose_apply(body, part.position), ov_quat_mul(body.rotation, part.rotation)};
}

static double reach_of(const dental_tooth *tooth) {
    double reach = 0.0;
    for (size_t i = 0; i < tooth->count; i++) {
        const ov_part *part = &tooth->parts[i];
        ov_vec3 centre = ov_pose_apply(part->pose, part->shape.ball.centre);
        reach = fmax(reach, ov_vec3_length(centre) + part->shape.ball.radius);
    }
    return reach;
}

void dental_track_begin(dental_track *t, const dental_tooth teeth[DENTAL_TEETH], ov_depth depth) {
    t->teeth = teeth;
    t->options = ov_default_pair_options();
    t->options.depth = depth;
    t->count = teeth[DENTAL_LOWER].count * teeth[DENTAL_UPPER].count;
    t->reach = reach_of(&teeth[DENTAL_UPPER]);
    for (int k = 0; k < DENTAL_TEETH; k++) {
        for (size_t i = 0; i < teeth[k].count; i++) {
            const ov_part *part = &teeth[k].parts[i];
            ov_ball ball = part->shape.ball;
            ball.centre = ov_pose_apply(part->pose, ball.centre);
            t->balls[k][i] = ball;
        }
    }
    dental_track_forget(t);
}

void dental_track_forget(dental_track *t) {
    t->begun = false;
    t->travel = 0.0;
    for (size_t k = 0; k < t->count; k++) {
        t->known[k] = -INFINITY;
        t->warm[k] = (ov_warm_start){0};
    }
}

/** No point of a tooth with this reach moves by more than this between two poses. */
static double motion(double reach, ov_pose from, ov_pose to) {
    ov_quat turn = ov_quat_mul(ov_quat_conjugate(from.rotation), to.rotation);
    // the chord of a turn by an angle is twice the sine of half of it
    double chord = 2.0 * ov_vec3_length(ov_vec3_make(turn.x, turn.y, turn.z)) * reach;
    return ov_vec3_length(ov_vec3_sub(to.position, from.position)) + chord;
}

/** One frame at work. */
typedef struct frame {
    dental_track *track;
    ov_pose upper;
    size_t uppers; /**< parts of the upper tooth */
    dental_least *least;
    double lower; /**< least of all proven bounds */
} frame;

static double ball_gap(const frame *f, size_t pair) {
    const ov_ball *a = &f->track->balls[DENTAL_LOWER][pair / f->uppers];
    const ov_ball *b = &f->track->balls[DENTAL_UPPER][pair % f->uppers];
    ov_vec3 offset = ov_vec3_sub(ov_pose_apply(f->upper, b->centre), a->centre);
    return ov_vec3_length(offset) - a->radius - b->radius;
}

static ov_status ask(frame *f, size_t pair) {
    dental_track *t = f->track;
    size_t i = pair / f->uppers, j = pair % f->uppers;
    const ov_part *a = &t->teeth[DENTAL_LOWER].parts[i], *b = &t->teeth[DENTAL_UPPER].parts[j];
    ov_contact contact;
    ov_status status =
        ov_pair_contact(&a->shape, a->pose, &b->shape, dental_place(f->upper, b->pose), &t->options,
                        &t->warm[pair], &contact);
    f->least->queries++;
    if (status < 0) {
        f->least->contact = contact;
        return status;
    }
    t->known[pair] = contact.gap_lower + t->travel - SLACK;
    f->lower = fmin(f->lower, contact.gap_lower);
    if (f->least->queries == 1 || contact.gap < f->least->contact.gap) {
        f->least->contact = contact;
        f->least->part_a = i;
        f->least->part_b = j;
        t->nearest = pair;
    }
    return OV_OK;
}

/** Without a frame before, the pair with the nearest balls is asked first. */
static size_t nearest_balls(frame *f) {
    size_t nearest = 0;
    double least = INFINITY;
    for (size_t k = 0; k < f->track->count; k++) {
        double gap = ball_gap(f, k);
        f->track->known[k] = gap - SLACK;
        if (gap < least) {
            least = gap;
            nearest = k;
        }
    }
    return nearest;
}

ov_status dental_track_step(dental_track *t, ov_pose upper, dental_least *least) {
    frame f = {t, upper, t->teeth[DENTAL_UPPER].count, least, INFINITY};
    least->queries = 0;
    if (t->begun) {
        t->travel += motion(t->reach, t->pose, upper);
    } else {
        t->nearest = nearest_balls(&f);
        t->begun = true;
    }
    t->pose = upper;
    size_t first = t->nearest;
    ov_status status = ask(&f, first);
    for (size_t k = 0; k < t->count && status >= 0; k++) {
        if (t->known[k] - t->travel > least->contact.gap || k == first) {
            continue;
        }
        t->known[k] = fmax(t->known[k], ball_gap(&f, k) + t->travel - SLACK);
        if (t->known[k] - t->travel <= least->contact.gap) {
            status = ask(&f, k);
        }
    }
    if (status >= 0) {
        least->contact.gap_lower = f.lower;
        status = least->contact.status;
    }
    return status;
}

/* ---- the same by a world */

bool dental_world_begin(dental_world *w, const dental_tooth teeth[DENTAL_TEETH]) {
    *w = (dental_world){.teeth = teeth, .reach = reach_of(&teeth[DENTAL_UPPER])};
    bool good = ov_world_create(NULL, &w->world) == OV_OK;
    for (int k = 0; k < DENTAL_TEETH && good; k++) {
        ov_body_def def = ov_default_body_def();
        good = ov_geometry_create(teeth[k].parts, teeth[k].count, NULL, &w->geometries[k]) == OV_OK;
        def.geometry = w->geometries[k];
        def.fixed = k == DENTAL_LOWER;
        good = good && ov_world_add(w->world, &def, &w->bodies[k]) == OV_OK;
    }
    return good;
}

void dental_world_end(dental_world *w) {
    ov_world_destroy(w->world);
    ov_geometry_destroy(w->geometries[DENTAL_LOWER]);
    ov_geometry_destroy(w->geometries[DENTAL_UPPER]);
    *w = (dental_world){0};
}

ov_status dental_world_step(dental_world *w, ov_pose upper, dental_least *least) {
    const ov_world_contact *contacts = NULL;
    ov_world_contact nearest;
    size_t count = 0;
    ov_status status = ov_world_move(w->world, w->bodies[DENTAL_UPPER], upper);
    if (status >= 0 && !w->begun) {
        status = ov_world_nearest(w->world, &nearest);
        w->gap = status >= 0 ? nearest.contact.gap : 0.0;
        w->pose = upper;
    }
    double limit = fmax(0.0, w->gap + motion(w->reach, w->pose, upper) + SLACK);
    if (status >= 0) {
        status = ov_world_contacts(w->world, limit, &contacts, &count);
    }
    if (status < 0 || count == 0) {
        return status < 0 ? status : OV_NOT_CONVERGED;
    }
    size_t best = 0;
    double lower = INFINITY;
    for (size_t k = 0; k < count; k++) {
        lower = fmin(lower, contacts[k].contact.gap_lower);
        best = contacts[k].contact.gap < contacts[best].contact.gap ? k : best;
    }
    *least =
        (dental_least){contacts[best].part_a, contacts[best].part_b, contacts[best].contact, count};
    least->contact.gap_lower = lower;
    w->gap = least->contact.gap;
    w->pose = upper;
    w->begun = true;
    return least->contact.status;
}
