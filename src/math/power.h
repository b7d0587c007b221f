/**
 * @file power.h
 * @brief x^y for x in [0, 2], y >= -2: what norms need of pow(), at less than half its time.
 *
 * x^y = 2^(y log2 x), both halves from a table and a short polynomial, in plain double arithmetic:
 *
 *     1. x = 2^k z, z in [0.705, 1.411);  c near z from the table, r = (z - c)/c, |r| < 2^-7.5
 *        log2 x = k + log2 c + log2(1 + r)            relative error below 2^-51, also near x = 1
 *     2. e = y log2 x = i/64 + f, |f| <= 1/128;  2^e = 2^(i/64) 2^f
 *
 * The relative error of the result is below (2 + 1.5 |y log2 x|) 2^-52: two units in the last place
 * for results around 1, and growing only as the result itself fades. pow() spends its extra time on
 * the digits that are missing here, and on cases that norms do not have.
 */
#ifndef OVI_POWER_H
#define OVI_POWER_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- tables: c, 1/c and log2(c) for 128 intervals, and 2^(i/64)
 *
 * Interval i holds the numbers whose bits, less those of 0x1.6955500000000p-1, have i in their
 * upper seven bits of mantissa. Each c is short (a multiple of 1/1024), so that z - c is exact, and
 * the interval of 1 and the one below it have c = 1, so that nothing cancels there.
 * tests/test_power.c recomputes every entry.
 */

typedef struct ovi_log2_entry {
    double c, inverse, log2;
} ovi_log2_entry;

static const ovi_log2_entry ovi_log2_table[128] = {
    {0x1.6a80000000000p-1, 0x1.6993f349cc726p+0, -0x1.fe1e649bb6335p-2},
    {0x1.6c80000000000p-1, 0x1.67980e0bf08c7p+0, -0x1.f5fd8a9063e35p-2},
    {0x1.6e80000000000p-1, 0x1.65a1b3dd13357p+0, -0x1.ede8136f4cbf1p-2},
    {0x1.7080000000000p-1, 0x1.63b0cda236e1cp+0, -0x1.e5dddf7e46e0ap-2},
    {0x1.7280000000000p-1, 0x1.61c544c0161c5p+0, -0x1.dddecf870c4c1p-2},
    {0x1.7480000000000p-1, 0x1.5fdf0317b5c6fp+0, -0x1.d5eac4d463d7ep-2},
    {0x1.7680000000000p-1, 0x1.5dfdf303137b6p+0, -0x1.ce01a12f5d8d1p-2},
    {0x1.7880000000000p-1, 0x1.5c21ff51ef005p+0, -0x1.c62346dca1dfep-2},
    {0x1.7a80000000000p-1, 0x1.5a4b1346add2bp+0, -0x1.be4f9899d326ep-2},
    {0x1.7c80000000000p-1, 0x1.58791a9357ccep+0, -0x1.b686799b00be3p-2},
    {0x1.7e80000000000p-1, 0x1.56ac0156ac015p+0, -0x1.aec7cd882b46cp-2},
    {0x1.8080000000000p-1, 0x1.54e3b4194ce66p+0, -0x1.a713787ad97a5p-2},
    {0x1.8280000000000p-1, 0x1.53201fcb02fb1p+0, -0x1.9f695efbbd0efp-2},
    {0x1.8480000000000p-1, 0x1.516131c015161p+0, -0x1.97c96600672adp-2},
    {0x1.8680000000000p-1, 0x1.4fa6d7aeb597cp+0, -0x1.903372e90bee4p-2},
    {0x1.8880000000000p-1, 0x1.4df0ffac83c01p+0, -0x1.88a76b7e549c6p-2},
    {0x1.8a80000000000p-1, 0x1.4c3f982c20723p+0, -0x1.812535ef3ff19p-2},
    {0x1.8c80000000000p-1, 0x1.4a928ffad5b5cp+0, -0x1.79acb8cf10390p-2},
    {0x1.8e80000000000p-1, 0x1.48e9d63e504d1p+0, -0x1.723ddb1346b65p-2},
    {0x1.9080000000000p-1, 0x1.47455a726abf2p+0, -0x1.6ad88411abfeap-2},
    {0x1.9280000000000p-1, 0x1.45a50c670938fp+0, -0x1.637c9b7e64dc2p-2},
    {0x1.9480000000000p-1, 0x1.4408dc3e05b22p+0, -0x1.5c2a096a135dcp-2},
    {0x1.9680000000000p-1, 0x1.4270ba692bc4dp+0, -0x1.54e0b64003b70p-2},
    {0x1.9880000000000p-1, 0x1.40dc97a843ae8p+0, -0x1.4da08ac46495ap-2},
    {0x1.9a80000000000p-1, 0x1.3f4c65072bf74p+0, -0x1.466970128a987p-2},
    {0x1.9c80000000000p-1, 0x1.3dc013dc013dcp+0, -0x1.3f3b4f9b3e939p-2},
    {0x1.9e80000000000p-1, 0x1.3c3795c553afbp+0, -0x1.3816132316520p-2},
    {0x1.a080000000000p-1, 0x1.3ab2dca869b81p+0, -0x1.30f9a4c0d786dp-2},
    {0x1.a280000000000p-1, 0x1.3931daaf8f721p+0, -0x1.29e5eedbe4a35p-2},
    {0x1.a480000000000p-1, 0x1.37b4824872744p+0, -0x1.22dadc2ab3497p-2},
    {0x1.a680000000000p-1, 0x1.363ac622898b1p+0, -0x1.1bd857b14c146p-2},
    {0x1.a880000000000p-1, 0x1.34c4992d87fd9p+0, -0x1.14de4cbfd373ep-2},
    {0x1.aa80000000000p-1, 0x1.3351ee97dbfc6p+0, -0x1.0deca6f11b58bp-2},
    {0x1.ac80000000000p-1, 0x1.31e2b9cd37dc2p+0, -0x1.070352293d724p-2},
    {0x1.ae80000000000p-1, 0x1.3076ee7525c2cp+0, -0x1.00223a943dc19p-2},
    {0x1.b080000000000p-1, 0x1.2f0e8071a5703p+0, -0x1.f29299496a889p-3},
    {0x1.b280000000000p-1, 0x1.2da963ddd3cfbp+0, -0x1.e4f0ea2509008p-3},
    {0x1.b480000000000p-1, 0x1.2c478d0c9c013p+0, -0x1.d75f41b31b6ddp-3},
    {0x1.b680000000000p-1, 0x1.2ae8f087718d0p+0, -0x1.c9dd7a70ed160p-3},
    {0x1.b880000000000p-1, 0x1.298d830d13780p+0, -0x1.bc6b6f5ee1c9bp-3},
    {0x1.ba80000000000p-1, 0x1.2835399057efdp+0, -0x1.af08fbfe15c51p-3},
    {0x1.bc80000000000p-1, 0x1.26e009370049cp+0, -0x1.a1b5fc4e0b465p-3},
    {0x1.be80000000000p-1, 0x1.258de75895121p+0, -0x1.94724cca657bep-3},
    {0x1.c080000000000p-1, 0x1.243ec97d49eaep+0, -0x1.873dca68b06f4p-3},
    {0x1.c280000000000p-1, 0x1.22f2a55ce8fc5p+0, -0x1.7a18529635926p-3},
    {0x1.c480000000000p-1, 0x1.21a970ddc5ba7p+0, -0x1.6d01c335dc9b5p-3},
    {0x1.c680000000000p-1, 0x1.20632213b6c6dp+0, -0x1.5ff9fa9e18595p-3},
    {0x1.c880000000000p-1, 0x1.1f1faf3f16b64p+0, -0x1.5300d796df33ap-3},
    {0x1.ca80000000000p-1, 0x1.1ddf0ecbcb841p+0, -0x1.46163957af02ep-3},
    {0x1.cc80000000000p-1, 0x1.1ca13750547fep+0, -0x1.3939ff859bf9fp-3},
    {0x1.ce80000000000p-1, 0x1.1b661f8cde833p+0, -0x1.2c6c0a316a540p-3},
    {0x1.d080000000000p-1, 0x1.1a2dbe6a5e3e4p+0, -0x1.1fac39d5b280cp-3},
    {0x1.d280000000000p-1, 0x1.18f80af9b06dcp+0, -0x1.12fa6f550f896p-3},
    {0x1.d480000000000p-1, 0x1.17c4fc72bfcb9p+0, -0x1.06568bf8576b3p-3},
    {0x1.d680000000000p-1, 0x1.16948a33b08fap+0, -0x1.f380e2d9ba4dfp-4},
    {0x1.d880000000000p-1, 0x1.1566abc011567p+0, -0x1.da700385788a2p-4},
    {0x1.da80000000000p-1, 0x1.143b58c01143bp+0, -0x1.c17a3ed65b23cp-4},
    {0x1.dc80000000000p-1, 0x1.131288ffbb3b6p+0, -0x1.a89f5a6dc9accp-4},
    {0x1.de80000000000p-1, 0x1.11ec346e36092p+0, -0x1.8fdf1ca8eea6ap-4},
    {0x1.e080000000000p-1, 0x1.10c8531d0952ep+0, -0x1.77394c9d958d5p-4},
    {0x1.e280000000000p-1, 0x1.0fa6dd3f67322p+0, -0x1.5eadb217198a3p-4},
    {0x1.e480000000000p-1, 0x1.0e87cb297a51ep+0, -0x1.463c15936464ep-4},
    {0x1.e680000000000p-1, 0x1.0d6b154fb86f9p+0, -0x1.2de4403ffd4b3p-4},
    {0x1.e880000000000p-1, 0x1.0c50b446391f3p+0, -0x1.15a5fbf7270cep-4},
    {0x1.ea80000000000p-1, 0x1.0b38a0c010b39p+0, -0x1.fb02267a1ad2dp-5},
    {0x1.ec80000000000p-1, 0x1.0a22d38eaf2bfp+0, -0x1.caeaa27a02241p-5},
    {0x1.ee80000000000p-1, 0x1.090f45a1430aap+0, -0x1.9b05038d84095p-5},
    {0x1.f080000000000p-1, 0x1.07fdf0041ff7cp+0, -0x1.6b50e297afccep-5},
    {0x1.f280000000000p-1, 0x1.06eecbe029155p+0, -0x1.3bcdd9b9f00f3p-5},
    {0x1.f480000000000p-1, 0x1.05e1d27a3ee9cp+0, -0x1.0c7b844ef1795p-5},
    {0x1.f680000000000p-1, 0x1.04d6fd32b0c7bp+0, -0x1.bab2fdcb46ec7p-6},
    {0x1.f880000000000p-1, 0x1.03ce4584b19a0p+0, -0x1.5ccece78a4a9ep-6},
    {0x1.fa80000000000p-1, 0x1.02c7a505cffbfp+0, -0x1.fe9370ef68e1bp-7},
    {0x1.fc80000000000p-1, 0x1.01c315657186bp+0, -0x1.4445f7cbc8fd2p-7},
    {0x1.0000000000000p+0, 0x1.0000000000000p+0, 0.0},
    {0x1.0000000000000p+0, 0x1.0000000000000p+0, 0.0},
    {0x1.0240000000000p+0, 0x1.fb8a096acfaccp-1, 0x1.9dae4ec6b8b2ep-7},
    {0x1.0440000000000p+0, 0x1.f7a388f9da20fp-1, 0x1.8530faa3c087bp-6},
    {0x1.0640000000000p+0, 0x1.f3cc435b0713cp-1, 0x1.1d12b6c687ec6p-5},
    {0x1.0840000000000p+0, 0x1.f003e007c00f8p-1, 0x1.76dcf723ab46ap-5},
    {0x1.0a40000000000p+0, 0x1.ec4a09225fab6p-1, 0x1.cff9e5c4341d0p-5},
    {0x1.0c40000000000p+0, 0x1.e89e6b5ccf172p-1, 0x1.14360d6136ffap-4},
    {0x1.0e40000000000p+0, 0x1.e500b5e044342p-1, 0x1.401b0fb6055a2p-4},
    {0x1.1040000000000p+0, 0x1.e1709a3611655p-1, 0x1.6bad3758efd87p-4},
    {0x1.1240000000000p+0, 0x1.ddedcc31791dap-1, 0x1.96edbac9c6563p-4},
    {0x1.1440000000000p+0, 0x1.da7801da7801ep-1, 0x1.c1ddc9c39c7a1p-4},
    {0x1.1640000000000p+0, 0x1.d70ef35979370p-1, 0x1.ec7e8d6ec96c1p-4},
    {0x1.1840000000000p+0, 0x1.d3b25ae3e929dp-1, 0x1.0b6894488e95fp-3},
    {0x1.1a40000000000p+0, 0x1.d061f4a99bc6ep-1, 0x1.206b5bde2f8b8p-3},
    {0x1.1c40000000000p+0, 0x1.cd1d7ec2fbb8ep-1, 0x1.354828bd941adp-3},
    {0x1.1e40000000000p+0, 0x1.c9e4b91ff8d87p-1, 0x1.49ff833e157e1p-3},
    {0x1.2040000000000p+0, 0x1.c6b76577ac845p-1, 0x1.5e91f0ddfca94p-3},
    {0x1.2240000000000p+0, 0x1.c3954738ab1b9p-1, 0x1.72fff456ac70dp-3},
    {0x1.2440000000000p+0, 0x1.c07e2379fa4e6p-1, 0x1.874a0db01a719p-3},
    {0x1.2640000000000p+0, 0x1.bd71c0eca46e8p-1, 0x1.9b70ba539dfaep-3},
    {0x1.2840000000000p+0, 0x1.ba6fe7cde152cp-1, 0x1.af74751e1be33p-3},
    {0x1.2a40000000000p+0, 0x1.b77861d9cdc98p-1, 0x1.c355b67195dd0p-3},
    {0x1.2c40000000000p+0, 0x1.b48afa3eaaf37p-1, 0x1.d714f44623927p-3},
    {0x1.2e40000000000p+0, 0x1.b1a77d909f3b8p-1, 0x1.eab2a23a5b83ep-3},
    {0x1.3040000000000p+0, 0x1.aecdb9bdf2f54p-1, 0x1.fe2f31a3315e6p-3},
    {0x1.3240000000000p+0, 0x1.abfd7e03c2fa6p-1, 0x1.08c588cda79e4p-2},
    {0x1.3440000000000p+0, 0x1.a9369ae323eb4p-1, 0x1.12635788f781ap-2},
    {0x1.3640000000000p+0, 0x1.a678e216b0fe2p-1, 0x1.1bf13a6c9c69fp-2},
    {0x1.3840000000000p+0, 0x1.a3c4268881898p-1, 0x1.256f65da15a61p-2},
    {0x1.3a40000000000p+0, 0x1.a1183c4880b68p-1, 0x1.2ede0d32090fep-2},
    {0x1.3c40000000000p+0, 0x1.9e74f8832302ap-1, 0x1.383d62dac7ae7p-2},
    {0x1.3e40000000000p+0, 0x1.9bda317875714p-1, 0x1.418d98469dbecp-2},
    {0x1.4040000000000p+0, 0x1.9947be73827f8p-1, 0x1.4aceddf9f01e1p-2},
    {0x1.4240000000000p+0, 0x1.96bd77c20922cp-1, 0x1.5401639128f94p-2},
    {0x1.4440000000000p+0, 0x1.943b36ac82451p-1, 0x1.5d2557c675900p-2},
    {0x1.4640000000000p+0, 0x1.91c0d56e7162bp-1, 0x1.663ae87756c83p-2},
    {0x1.4840000000000p+0, 0x1.8f4e2f2efd135p-1, 0x1.6f4242aa06389p-2},
    {0x1.4a40000000000p+0, 0x1.8ce31ff9cc738p-1, 0x1.783b9292b1412p-2},
    {0x1.4c40000000000p+0, 0x1.8a7f84b826867p-1, 0x1.812703988bb69p-2},
    {0x1.4e40000000000p+0, 0x1.88233b2a50cd4p-1, 0x1.8a04c05abb957p-2},
    {0x1.5040000000000p+0, 0x1.85ce21e12a71dp-1, 0x1.92d4f2b51f21ap-2},
    {0x1.5240000000000p+0, 0x1.8380183801838p-1, 0x1.9b97c3c4eec8fp-2},
    {0x1.5440000000000p+0, 0x1.8138fe4e9fe1ep-1, 0x1.a44d5bed3c10cp-2},
    {0x1.5640000000000p+0, 0x1.7ef8b5038d8ebp-1, 0x1.acf5e2db4ec94p-2},
    {0x1.5840000000000p+0, 0x1.7cbf1dee863a6p-1, 0x1.b5917f8ae1b4dp-2},
    {0x1.5a40000000000p+0, 0x1.7a8c1b5b1ffa1p-1, 0x1.be20584a3fc42p-2},
    {0x1.5c40000000000p+0, 0x1.785f9043a12bfp-1, 0x1.c6a292be42fd8p-2},
    {0x1.5e40000000000p+0, 0x1.7639604c03a79p-1, 0x1.cf1853e6361adp-2},
    {0x1.6040000000000p+0, 0x1.74196fbd236dfp-1, 0x1.d781c01f99dccp-2},
    {0x1.6240000000000p+0, 0x1.71ffa38017200p-1, 0x1.dfdefb29cf0aep-2},
    {0x1.6440000000000p+0, 0x1.6febe119b0985p-1, 0x1.e8302829a60bdp-2},
    {0x1.6640000000000p+0, 0x1.6dde0ea624162p-1, 0x1.f07569acd4f92p-2},
    {0x1.6840000000000p+0, 0x1.6bd612d4d4798p-1, 0x1.f8aee1ad55091p-2},
};

static const double ovi_exp2_table[64] = {
    0x1.0000000000000p+0, 0x1.02c9a3e778061p+0, 0x1.059b0d3158574p+0, 0x1.0874518759bc8p+0,
    0x1.0b5586cf9890fp+0, 0x1.0e3ec32d3d1a2p+0, 0x1.11301d0125b51p+0, 0x1.1429aaea92de0p+0,
    0x1.172b83c7d517bp+0, 0x1.1a35beb6fcb75p+0, 0x1.1d4873168b9aap+0, 0x1.2063b88628cd6p+0,
    0x1.2387a6e756238p+0, 0x1.26b4565e27cddp+0, 0x1.29e9df51fdee1p+0, 0x1.2d285a6e4030bp+0,
    0x1.306fe0a31b715p+0, 0x1.33c08b26416ffp+0, 0x1.371a7373aa9cbp+0, 0x1.3a7db34e59ff7p+0,
    0x1.3dea64c123422p+0, 0x1.4160a21f72e2ap+0, 0x1.44e086061892dp+0, 0x1.486a2b5c13cd0p+0,
    0x1.4bfdad5362a27p+0, 0x1.4f9b2769d2ca7p+0, 0x1.5342b569d4f82p+0, 0x1.56f4736b527dap+0,
    0x1.5ab07dd485429p+0, 0x1.5e76f15ad2148p+0, 0x1.6247eb03a5585p+0, 0x1.6623882552225p+0,
    0x1.6a09e667f3bcdp+0, 0x1.6dfb23c651a2fp+0, 0x1.71f75e8ec5f74p+0, 0x1.75feb564267c9p+0,
    0x1.7a11473eb0187p+0, 0x1.7e2f336cf4e62p+0, 0x1.82589994cce13p+0, 0x1.868d99b4492edp+0,
    0x1.8ace5422aa0dbp+0, 0x1.8f1ae99157736p+0, 0x1.93737b0cdc5e5p+0, 0x1.97d829fde4e50p+0,
    0x1.9c49182a3f090p+0, 0x1.a0c667b5de565p+0, 0x1.a5503b23e255dp+0, 0x1.a9e6b5579fdbfp+0,
    0x1.ae89f995ad3adp+0, 0x1.b33a2b84f15fbp+0, 0x1.b7f76f2fb5e47p+0, 0x1.bcc1e904bc1d2p+0,
    0x1.c199bdd85529cp+0, 0x1.c67f12e57d14bp+0, 0x1.cb720dcef9069p+0, 0x1.d072d4a07897cp+0,
    0x1.d5818dcfba487p+0, 0x1.da9e603db3285p+0, 0x1.dfc97337b9b5fp+0, 0x1.e502ee78b3ff6p+0,
    0x1.ea4afa2a490dap+0, 0x1.efa1bee615a27p+0, 0x1.f50765b6e4540p+0, 0x1.fa7c1819e90d8p+0,
};

/* ---- functions */

static inline uint64_t ovi_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double ovi_from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/** log2 of a positive, finite and normal number. */
static inline double ovi_log2_normal(double x) {
    const uint64_t offset = 0x3fe6955500000000u;
    uint64_t bits = ovi_bits(x), above = bits - offset;
    const ovi_log2_entry *t = &ovi_log2_table[(above >> 45) & 127u];
    double z = ovi_from_bits(bits - (above & (0xfffull << 52)));
    double k = (double)((int64_t)above >> 52);
    double r = (z - t->c) * t->inverse, r2 = r * r;
    // log2(1 + r) = r/ln 2 (1 - r/2 + r^2/3 - …)
    double p = 0x1.71547652b82fep+0 + r * -0x1.71547652b82fep-1;
    p += r2 * (0x1.ec709dc3a03fdp-2 + r * -0x1.71547652b82fep-2);
    p += r2 * r2 * ((0x1.2776c50ef9bfep-2 + r * -0x1.ec709dc3a03fdp-3) + r2 * 0x1.a61762a7aded9p-3);
    return (k + t->log2) + r * p;
}

/** log2 of a positive finite number; the bits of a subnormal one do not hold its exponent. */
static inline double ovi_log2(double x) {
    return x < 0x1p-1022 ? ovi_log2_normal(x * 0x1p54) - 54.0 : ovi_log2_normal(x);
}

/** 2^e for e in [-1022, 1023]. */
static inline double ovi_exp2_normal(double e) {
    // adding 1.5 2^46 leaves 64 e, rounded, in the low bits
    double shifted = e + 0x1.8p46;
    uint64_t i = ovi_bits(shifted);
    double f = e - (shifted - 0x1.8p46), f2 = f * f;
    double p = f * (0x1.62e42fefa39efp-1 + f * 0x1.ebfbdff82c58fp-3);
    p += f2 * f * (0x1.c6b08d704a0cp-5 + f * 0x1.3b2ab6fba4e77p-7);
    p += f2 * f2 * f * 0x1.5d87fe78a6731p-10;
    double t = ovi_exp2_table[i & 63u];
    // the table value's exponent takes the whole part
    double scale = ovi_from_bits(ovi_bits(t) + ((i >> 6) << 52));
    return scale + scale * p;
}

/** 2^e; results outside the normal range become zero or infinite. */
static inline double ovi_exp2(double e) {
    if (!(e > -1022.0)) {
        return 0.0;
    }
    return e < 1023.0 ? ovi_exp2_normal(e) : INFINITY;
}

/** x^y for x in [0, 2] and y >= -2, infinite y included; 0^0 = 1. */
static inline double ovi_pow(double x, double y) {
    if (x == 0.0) {
        return y == 0.0 ? 1.0 : y > 0.0 ? 0.0 : INFINITY;
    }
    if (x == 1.0 || y == 0.0) {
        return 1.0;
    }
    return ovi_exp2(y * ovi_log2(x));
}

#endif
