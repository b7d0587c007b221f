/**
 * @file test_pair_normal.c
 * @brief Normals and witness points where they are hard to tell: facets, ridges, tips and the
 * bridges over dents, and a test of what the tests take for a surface's normal (pair_normal.h).
 *
 * Random pairs whose bodies all have an exponent close to 2, or a dent, and pairs that were once
 * handed back with a point off its surface (by up to 0.8 of the gauge), a normal that was none, or
 * without an answer.
 */
#include "pair_cases.h"

static po_body body_a, body_b;

/* ---- the criterion itself */

static so_real angle_at(const ov_shape *s, so_vec p, so_vec n) {
    static po_body body;
    po_place(s, (ov_pose){ov_vec3_make(0.0, 0.0, 0.0), ov_quat_identity()}, &body);
    return pn_angle(&body, p, po_unit(n), 1e-14L, 0.0L);
}

static ov_shape body_of(double e1, double e2) {
    ov_shape s = {.kind = OV_SHAPE_KIND_NONE};
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 2.0, 0.5), e1, e2, &s));
    return s;
}

/** An octahedron: faces have one normal, edges those between two, tips those between four. */
static void test_octahedron(void) {
    ov_shape s = body_of(2.0, 2.0);
    so_vec face = {0.25L, 1.0L, 0.125L}, edge = {0.5L, 1.0L, 0.0L}, tip = {1.0L, 0.0L, 0.0L};
    so_vec n = {1.0L, 0.5L, 2.0L}, below = {1.0L, 0.5L, -2.0L};
    CHECK(angle_at(&s, face, n) <= 1e-15L);
    CHECK_NEAR((double)angle_at(&s, face, po_add(n, (so_vec){2e-7L, 0.0L, 0.0L})), 7.8535342e-8,
               1e-14);
    CHECK(angle_at(&s, edge, n) <= 1e-15L && angle_at(&s, edge, below) <= 1e-15L);
    CHECK(angle_at(&s, edge, (so_vec){1.0L, 0.5L, 0.3L}) <= 1e-15L);
    CHECK(angle_at(&s, edge, (so_vec){1.0L, 0.5L, 2.001L}) > 1e-5L);
    CHECK(angle_at(&s, edge, (so_vec){1.000001L, 0.5L, 0.3L}) > 1e-7L);
    CHECK(angle_at(&s, tip, (so_vec){1.0L, 0.4L, -1.9L}) <= 1e-15L);
    CHECK(angle_at(&s, tip, (so_vec){1.0L, 0.501L, 0.0L}) > 1e-5L);
    CHECK(angle_at(&s, face, po_neg(n)) > 0.5L);
}

/** Rounded edges: a point that is known to 1e-14 tells the normal along them, and not across. */
static void test_rounded_edge(void) {
    ov_shape s = body_of(1.0, 1.95), round = body_of(1.0, 1.0);
    for (int i = 0; i < 20; i++) {
        so_real turn = 0.1L + 0.3L * i, tilt = 0.02L * (i - 10);
        so_vec n = po_unit((so_vec){cosl(turn), 0.5L * sinl(turn), tilt});
        po_place(&s, (ov_pose){ov_vec3_make(0.0, 0.0, 0.0), ov_quat_identity()}, &body_a);
        so_vec p = so_from(po_round(po_local_support(&body_a, n).point));
        so_vec along = po_unit((so_vec){-n.y, n.x, 0.0L});
        CHECK(angle_at(&s, p, n) <= 1e-12L);
        p.z += 1e-15L; // the normal there is another one
        CHECK(angle_at(&s, p, n) <= 1e-12L);
        CHECK(angle_at(&s, p, po_add(n, po_scale(along, 2e-7L))) > 1.5e-7L);
        po_place(&round, (ov_pose){ov_vec3_make(0.0, 0.0, 0.0), ov_quat_identity()}, &body_b);
        p = po_local_support(&body_b, n).point;
        CHECK(angle_at(&round, p, n) <= 1e-12L);
        CHECK_NEAR((double)angle_at(&round, p, po_add(n, po_scale(along, 2e-7L))), 2e-7, 1e-12);
    }
}

/* ---- contacts */

typedef struct worst {
    double gauge, sine;
} worst;

/** Is it solved, are its points on the surfaces, and is its normal theirs? */
static bool check_contact(const pc_pair *p, worst *w) {
    po_place(&p->a, p->pose_a, &body_a);
    po_place(&p->b, p->pose_b, &body_b);
    ov_contact c = pc_query(p);
    so_vec n = po_unit(so_from(c.normal));
    double goal = pc_goal(1e-9, p->size, p->reach);
    bool good = CHECK_STATUS(c.status, OV_OK) && pc_check_sense(&c, goal);
    good = good && CHECK(pc_gap_along(&body_a, &body_b, &c) >= c.gap - goal);
    pc_witness both[2] = {pc_witness_of(&body_a, c.point_a, n, p->reach),
                          pc_witness_of(&body_b, c.point_b, po_neg(n), p->reach)};
    for (int k = 0; k < 2; k++) {
        good = CHECK_NEAR((double)pc_surface_error(&both[k]), 0.0, 1e-9) && good;
        good = CHECK_NEAR((double)pc_normal_error(&both[k]), 0.0, 1e-7) && good;
        w->gauge = fmax(w->gauge, (double)pc_surface_error(&both[k]));
        w->sine = fmax(w->sine, (double)pc_normal_error(&both[k]));
    }
    if (!good && check_may_print()) {
        pc_print(p, &c);
    }
    return good;
}

static bool is_hard(const ov_shape *s) { return fmax(s->e1, s->e2) > 1.85 || s->dent > 0.0; }

static void test_hard_pairs(void) {
    static pc_pool pool;
    check_random r = check_random_make(4301);
    worst w = {0.0, 0.0};
    for (int i = 0; i < check_share(1000);) {
        pc_pair p;
        pc_domain(&r, &pool, &p, &body_a, &body_b);
        if (is_hard(&p.a) && is_hard(&p.b)) {
            check_contact(&p, &w);
            i++;
        }
    }
    check_worst("bevelled and dented bodies: witness |G - 1|", w.gauge, 1e-9);
    check_worst("bevelled and dented bodies: sine between normals", w.sine, 1e-7);
}

/** Semi-axes, exponents, tapers, position and rotation of both bodies. */
static const double known_pairs[][2][14] = {
    // a bevelled tip against a body 40,000 times its size
    {{0.0028533940800034422, 0.00029928142001311764, 0.0038237643356776184, 1.0821345412378569, 2,
      0, 0, -0.0021010434488471998, 0.0031558491670634369, 0.0055626713729294138,
      0.99805005014311221, -0.05952464435868883, 0.011859464898430629, 0.014569393111098096},
     {33.349507466227614, 1.5496575500282739, 140.12129096047818, 1, 0.67139031273149263,
      0.16038003307870655, 0.16038003307870655, -4.6351927881317572, 137.51219560813257,
      -26.508887073767607, 0.44595281596686276, 0.38412021363745896, -0.50662893925541441,
      0.63000386134949371}},
    // 37 sizes away: the world has 16 digits only
    {{28.657852325003535, 27.44351191114184, 53.949306388620982, 0.76367586923483555, 1, 0, 0,
      20.649350772418618, -117.85963016873276, -95.494215737601664, 0.1743767025510457,
      -0.83462929414464793, -0.40472480270575856, 0.33043084153543495},
     {0.0010318806982846454, 0.053572123764092087, 0.00076323334553617952, 0.33938163123553594,
      0.37581281043534992, 0, 0, 533.17868808892331, -378.70073316414113, 1897.054511804128,
      0.1335995431263933, -0.14447865539937832, -0.97933807928037808, -0.046626244560618972}},
    // a ridge with flat sections against a bridge
    {{164.34281797078094, 8.9704549615509777, 2.559295153823359, 0.19944800809342844,
      1.8818434838857714, 0.32506266479191276, 0, -288.17396483529922, -51.701545641248735,
      -178.22133544584156, 0.74641061710072232, -0.060201198511892665, 0.47550753488406411,
      0.46167043510011663},
     {22.8492046411011, 329.41038045314951, 55.23409555972512, 0.73303938611424124,
      1.8763175122312279, -0.069689767871228173, -0.18519420781810988, -188.50703973927759,
      -274.41040756619361, -326.5920677195071, 0.66736365075992099, 0.2431614282655874,
      -0.66949071773869495, -0.21744069607586594}},
    // depth of a flat against a bevelled flank
    {{0.0066286248279716952, 0.016490913468031911, 0.11417747487579885, 0.057027977937448758,
      0.91348096023458569, -0.24164285629667903, -0.24164285629667903, 0.021915554662918644,
      0.20520416160186564, -0.16969973135894739, 0.81896343773464542, 0.48132386091958534,
      0.28394013809006219, 0.13040025515585338},
     {9.1009229561398364, 1.4108801820474119, 23.177548683967391, 1.6140642502631903, 2, 0, 0,
      8.269560675053846, -2.2677597115570025, -3.3128712973654815, 0.97440603833249051,
      -0.0014147529053373377, 0.17990391395879352, -0.13477927391741207}},
    // a bridge, on a body of 1e-5 of the other
    {{8.6640440271135871e-05, 0.0010236446377237497, 0.0012165303911259695, 0.45708649428627185,
      0.10879315696520384, 0.54339750394712427, 0.11059012332744722, -0.00082848297111750484,
      -0.0039198672485069265, 0.0013459764981018575, 0.11319541861184641, 0.11175368885477038,
      0.92073066416981642, -0.35630458078734967},
     {38.721413410779938, 164.14859289377674, 3.0567196498269658, 0.069545315574162922,
      1.1994160158503475, 0.47120814903637753, 0, 168.81801449332289, -13.194342011924521,
      42.501955642406976, 0.12812848068466604, 0.62186642342678455, 0.14336621737515798,
      0.75915174475684211}},
    // a bevelled tip against a bridge
    {{115.84517211629387, 2.842793983220997, 13.475958498157956, 1.7478648179461234, 2, 0, 0,
      77.315102758254781, 65.031206177712008, 53.606267984265187, 0.41409348184673772,
      -0.12910151465159808, -0.58847247462502716, -0.68231923160307117},
     {0.00040430250168734861, 0.0056991971680393312, 0.0029199155287842503, 0.42073176080885927,
      1.7898768747830118, -0.42123311136921809, -0.083073124018874775, 149.57074267410545,
      112.89181803615544, -23.261460476514539, 0.41735423580367748, 0.47690839211542418,
      -0.34132664758524278, -0.69416852927428851}},
    // a shallow bridge at the end of a walk
    {{0.0015130344216729471, 0.00036973885725273732, 2.4924139106272908e-05, 0.57997442400624444,
      0.19703279615967473, 0.39802282032204117, 0, -0.002806825496330578, 8.3930540271390944e-05,
      -0.0018656494677744945, 0.75813649462622756, 0.5268654712358346, -0.34650696513653262,
      -0.16605647788378461},
     {203.99032626771663, 107.11492281446455, 592.78266311246841, 0.082057358715987697,
      0.89594012103171061, 0.6462693435603063, 0.6462693435603063, 483.89858112372417,
      314.28351317259791, -135.22043395725316, 0.31299710466221764, 0.35602604984378317,
      0.69729459206378197, 0.53764162430405715}},
    // depth of a bevelled rim against flat sections
    {{0.058926934021611976, 0.86957069764448858, 0.28066576561420314, 0.050000000000000003, 2, 0, 0,
      0.51225005766915976, -1.5445879479518048, -0.42697353558769308, 0.8839672212620322,
      -0.24220344746518216, -0.29769737049203698, -0.26705002784569998},
     {0.40317951366024829, 0.0084389671063272026, 0.21285858551093417, 2, 0.068136517570039079, 0,
      0, 0.9264667873263247, -1.4648112174147341, -0.81070702133029415, 0.41453611585935857,
      0.089652332649338279, -0.16511196763104696, -0.89042703577765026}},
    // equal bevelled and dented bodies that just overlap
    {{0.028569928049113437, 0.0090822068272621622, 0.09668862092934781, 2, 2, -0.052905597691961369,
      0.069028093206764021, 0.1660302799764358, -0.034936879228287053, -0.0015965344513861409,
      0.65284053311118517, 0.66179546455001115, -0.059330141857524346, -0.36373882896290377},
     {0.028569928049113437, 0.0090822068272621622, 0.09668862092934781, 2, 2, -0.052905597691961369,
      0.069028093206764021, 0.12595415003150867, -0.10950862493914691, 0.038373959345406002,
      0.58186911398844277, -0.73657420304273624, 0.32322030334871116, 0.12006420408027414}},
};

static ov_pose place_of(const double v[14], ov_shape *s) {
    ov_shape_options any = {1.0};
    CHECK_OK(
        ov_shape_make_superovoid(ov_vec3_make(v[0], v[1], v[2]), v[3], v[4], v[5], v[6], &any, s));
    return (ov_pose){{v[7], v[8], v[9]}, {v[10], v[11], v[12], v[13]}};
}

static void test_known_pairs(void) {
    worst w = {0.0, 0.0};
    for (size_t i = 0; i < sizeof known_pairs / sizeof known_pairs[0]; i++) {
        pc_pair p;
        p.pose_a = place_of(known_pairs[i][0], &p.a);
        p.pose_b = place_of(known_pairs[i][1], &p.b);
        pc_finish(&p);
        check_contact(&p, &w);
    }
    check_worst("known pairs: witness |G - 1|", w.gauge, 1e-9);
    check_worst("known pairs: sine between normals", w.sine, 1e-7);
}

int main(void) {
    check_suite = "pair_normal";
    RUN(test_octahedron);
    RUN(test_rounded_edge);
    RUN(test_known_pairs);
    RUN(test_hard_pairs);
    return check_finish();
}
