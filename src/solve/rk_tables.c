#include "solve/rk.h"

#define Z           R(0.0)
#define RATIO(p, q) ((real)(p) / (real)(q))

/* ---- Control ------------------------------------------------------------ */

/* For estimates of order 5: Hairer, Norsett, Wanner I, II.4, as in their
   program, except for the safety: 0.85 instead of 0.9 saves 4 % of the
   evaluations on the problems named below. */
#define ORDER5_CONTROL                                                         \
    {                                                                          \
        .alpha = 0.2 - 0.75 * 0.04, .beta = 0.04, .safety = 0.85,              \
        .shrink = 0.2, .growth = 10.0                                          \
    }

/* For order 8, where a rejection costs twelve evaluations: a safety of 0.8
   needs 5 to 9 % fewer of them than 0.9 on Pleiades, the orbits of Kepler and
   Arenstorf and Lorenz' equations for 2 to 10 digits; PI control with beta from
   0.04 on needs more on most of them. */
#define ORDER8_CONTROL                                                         \
    {                                                                          \
        .alpha = 1.0 / 8.0, .safety = 0.8, .shrink = 1.0 / 3.0, .growth = 6.0  \
    }

/* ---- EULER, RK4: fixed step --------------------------------------------- */

static const real euler_a[] = {R(1.0)};
static const real euler_c[] = {Z, R(1.0)};

const RkTable rk_euler = {
    .stages = 1, .points = 2, .order = 1, .a = euler_a, .c = euler_c};

/* Kutta 1901; Hairer, Norsett, Wanner I, table II.1.2. */
// clang-format off
static const real rk4_a[] = {
    R(0.5),                                             // 1
    Z, R(0.5),                                          // 2
    Z, Z, R(1.0),                                       // 3
    RATIO(1, 6), RATIO(1, 3), RATIO(1, 3), RATIO(1, 6), // far end
};
// clang-format on
static const real rk4_c[] = {Z, R(0.5), R(0.5), R(1.0), R(1.0)};

const RkTable rk_rk4 = {
    .stages = 4, .points = 5, .order = 4, .a = rk4_a, .c = rk4_c};

/* ---- RKS, RKE: two steps of half the length and a check ------------------- */

/* Both make two steps of h/2 with a method of order 4. Dense output is the
   polynomial of degree 5 through the values and derivatives at the near end,
   in the middle and at the far end: with a row m of the middle

       r3 = 16 m + 4 b - 4 k_0 - 8 k_4,   r4 = 16 k_4 - 24 b + 4 k_0 + 4 k_far */

/* RKS, Runge-Kutta-Simpson, METHOD RKS of CSMP-III: the classical method,
   checked against Simpson's rule. CSMP applies the rule to the stages of one
   step; then both agree on x' = f(t) whatever the step. Here it is applied over
   both halves, on the derivatives at the near end, in the middle and at the far
   end. */
// clang-format off
static const real rks_a[] = {
    R(0.25),                                                               // 1
    Z, R(0.25),                                                            // 2
    Z, Z, R(0.5),                                                          // 3
    RATIO(1, 12), RATIO(1, 6), RATIO(1, 6), RATIO(1, 12),                  // 4
    RATIO(1, 12), RATIO(1, 6), RATIO(1, 6), RATIO(1, 12), R(0.25),         // 5
    RATIO(1, 12), RATIO(1, 6), RATIO(1, 6), RATIO(1, 12), Z, R(0.25),      // 6
    RATIO(1, 12), RATIO(1, 6), RATIO(1, 6), RATIO(1, 12), Z, Z, R(0.5),    // 7
    // far end
    RATIO(1, 12), RATIO(1, 6), RATIO(1, 6), RATIO(1, 12),
    RATIO(1, 12), RATIO(1, 6), RATIO(1, 6), RATIO(1, 12),
};
static const real rks_c[] = {
    Z, R(0.25), R(0.25), R(0.5), R(0.5), R(0.75), R(0.75), R(1.0), R(1.0),
};
static const real rks_e[] = {
    RATIO(-1, 12), RATIO(1, 6), RATIO(1, 6), RATIO(1, 12),
    RATIO(-7, 12), RATIO(1, 6), RATIO(1, 6), RATIO(1, 12), RATIO(-1, 6),
};
static const real rks_d[] = {
    // r3
    RATIO(-7, 3), RATIO(10, 3), RATIO(10, 3), RATIO(5, 3),
    RATIO(-23, 3), RATIO(2, 3), RATIO(2, 3), RATIO(1, 3), Z,
    // r4
    R(2.0), R(-4.0), R(-4.0), R(-2.0), R(14.0), R(-4.0), R(-4.0), R(-2.0),
    R(4.0),
};
// clang-format on

const RkTable rk_rks = {
    .stages = 8,
    .points = 9,
    .dense = 2,
    .order = 4,
    .fsal = true,
    .a = rks_a,
    .c = rks_c,
    .e = rks_e,
    .d = rks_d,
    .witness = 7,
    .stiff = 5.0,
    .control = ORDER5_CONTROL,
};

/* RKE, Runge-Kutta-England, the method of GASP-IV: R. England, Error estimates
   for Runge-Kutta type solutions to systems of ordinary differential equations,
   Computer Journal 12 (1969) 166-170. The ninth evaluation is for the error
   alone; with it the result would be of order 5. */
// clang-format off
static const real rke_a[] = {
    R(0.25),                                                               // 1
    R(0.125), R(0.125),                                                    // 2
    Z, R(-0.5), R(1.0),                                                    // 3
    RATIO(1, 12), Z, RATIO(1, 3), RATIO(1, 12),                            // 4
    RATIO(1, 12), Z, RATIO(1, 3), RATIO(1, 12), R(0.25),                   // 5
    RATIO(1, 12), Z, RATIO(1, 3), RATIO(1, 12), R(0.125), R(0.125),        // 6
    RATIO(1, 12), Z, RATIO(1, 3), RATIO(1, 12), Z, R(-0.5), R(1.0),        // 7
    // 8
    RATIO(-1, 12), R(-8.0), RATIO(23, 3), RATIO(-121, 12), R(12.0), R(0.5),
    R(-1.0), Z,
    // far end
    RATIO(1, 12), Z, RATIO(1, 3), RATIO(1, 12),
    RATIO(1, 12), Z, RATIO(1, 3), RATIO(1, 12), Z,
};
static const real rke_c[] = {
    Z, R(0.25), R(0.25), R(0.5), R(0.5), R(0.75), R(0.75), R(1.0), R(1.0),
    R(1.0),
};
static const real rke_e[] = {
    RATIO(-1, 180), Z, RATIO(1, 45), RATIO(17, 180),
    RATIO(-23, 180), Z, RATIO(1, 45), Z, RATIO(-1, 180), Z,
};
static const real rke_d[] = {
    // r3
    RATIO(-7, 3), Z, RATIO(20, 3), RATIO(5, 3),
    RATIO(-23, 3), Z, RATIO(4, 3), RATIO(1, 3), Z, Z,
    // r4
    R(2.0), Z, R(-8.0), R(-2.0), R(14.0), Z, R(-8.0), R(-2.0), Z, R(4.0),
};
// clang-format on

const RkTable rk_rke = {
    .stages = 9,
    .points = 10,
    .dense = 2,
    .order = 4,
    .a = rke_a,
    .c = rke_c,
    .e = rke_e,
    .d = rke_d,
    .witness = 7,
    .stiff = 5.0,
    .control = ORDER5_CONTROL,
};

/* ---- RKF45, RKF78: Fehlberg ----------------------------------------------- */

/* E. Fehlberg, NASA TR R-315 (1969), table III, and NASA TR R-287 (1968), table
   X. As in the programs that made them known, the step continues with the more
   accurate of the two solutions: orders 5 and 8.

   Dense output of RKF45: a row that meets all conditions of order 4 with the
   existing stages; its one free parameter is chosen for a small error of order
   5 and small fractions. */
// clang-format off
static const real rkf45_a[] = {
    // 1
    R(0.25),
    // 2
    RATIO(3, 32), RATIO(9, 32),
    // 3
    RATIO(1932, 2197), RATIO(-7200, 2197), RATIO(7296, 2197),
    // 4
    RATIO(439, 216), R(-8.0), RATIO(3680, 513), RATIO(-845, 4104),
    // 5
    RATIO(-8, 27), R(2.0), RATIO(-3544, 2565), RATIO(1859, 4104),
    RATIO(-11, 40),
    // far end
    RATIO(16, 135), Z, RATIO(6656, 12825), RATIO(28561, 56430),
    RATIO(-9, 50), RATIO(2, 55),
};
static const real rkf45_c[] = {
    Z, R(0.25), R(0.375), RATIO(12, 13), R(1.0), R(0.5), R(1.0),
};
static const real rkf45_e[] = {
    RATIO(1, 360), Z, RATIO(-128, 4275), RATIO(-2197, 75240), RATIO(1, 50),
    RATIO(2, 55), Z,
};
static const real rkf45_d[] = {
    R(-0.875), Z, RATIO(1024, 285), RATIO(-2197, 456), RATIO(8, 5), R(-2.0),
    R(2.5),
};
// clang-format on

const RkTable rk_rkf45 = {
    .stages = 6,
    .points = 7,
    .dense = 1,
    .order = 5,
    .a = rkf45_a,
    .c = rkf45_c,
    .e = rkf45_e,
    .d = rkf45_d,
    .witness = 4,
    .stiff = 3.3,
    .control = ORDER5_CONTROL,
};

/* Dense output of RKF78 is of order 7, with four further stages: one that is
   accurate to order 5, then three to order 6, on which rows exist that meet all
   85 conditions. They were found by exact elimination, with as many zero
   weights as possible.

   Fehlberg's estimate compares stages at the same two times, so it is zero for
   x' = f(t). Such a state is checked by Weddle's rule on the seven equidistant
   stages: it differs from the weights of the solution by their sixth difference
   / 840. */
// clang-format off
static const real rkf78_a[] = {
    // 1
    RATIO(2, 27),
    // 2
    RATIO(1, 36), RATIO(1, 12),
    // 3
    RATIO(1, 24), Z, RATIO(1, 8),
    // 4
    RATIO(5, 12), Z, RATIO(-25, 16), RATIO(25, 16),
    // 5
    RATIO(1, 20), Z, Z, R(0.25), RATIO(1, 5),
    // 6
    RATIO(-25, 108), Z, Z, RATIO(125, 108), RATIO(-65, 27), RATIO(125, 54),
    // 7
    RATIO(31, 300), Z, Z, Z, RATIO(61, 225), RATIO(-2, 9), RATIO(13, 900),
    // 8
    R(2.0), Z, Z, RATIO(-53, 6), RATIO(704, 45), RATIO(-107, 9), RATIO(67, 90),
    R(3.0),
    // 9
    RATIO(-91, 108), Z, Z, RATIO(23, 108), RATIO(-976, 135), RATIO(311, 54),
    RATIO(-19, 60), RATIO(17, 6), RATIO(-1, 12),
    // 10
    RATIO(2383, 4100), Z, Z, RATIO(-341, 164), RATIO(4496, 1025),
    RATIO(-301, 82), RATIO(2133, 4100), RATIO(45, 82), RATIO(45, 164),
    RATIO(18, 41),
    // 11
    RATIO(3, 205), Z, Z, Z, Z, RATIO(-6, 41), RATIO(-3, 205), RATIO(-3, 41),
    RATIO(3, 41), RATIO(6, 41), Z,
    // 12
    RATIO(-1777, 4100), Z, Z, RATIO(-341, 164), RATIO(4496, 1025),
    RATIO(-289, 82), RATIO(2193, 4100), RATIO(51, 82), RATIO(33, 164),
    RATIO(12, 41), Z, R(1.0),
    // far end
    Z, Z, Z, Z, Z, RATIO(34, 105), RATIO(9, 35), RATIO(9, 35), RATIO(9, 280),
    RATIO(9, 280), Z, RATIO(41, 840), RATIO(41, 840),
    // 14, and from here on for dense output only
    RATIO(30307, 468750), Z, Z, Z, Z, RATIO(-1609, 93750),
    RATIO(2727, 312500), RATIO(45927, 312500), Z, Z, Z, Z, Z,
    RATIO(-1493, 468750),
    // 15
    RATIO(302137, 5511240), Z, Z, Z, Z, RATIO(4726, 229635),
    RATIO(-727, 229635), RATIO(39593, 229635), RATIO(-2407, 1837080),
    RATIO(17753, 1837080), RATIO(40057, 5511240), Z, Z, RATIO(-83, 13122),
    RATIO(3125, 39366),
    // 16
    RATIO(1783, 33280), Z, Z, Z, Z, RATIO(1037, 12480), RATIO(-49, 8320),
    RATIO(415, 1664), RATIO(67, 33280), RATIO(23, 1280), Z, Z, Z,
    RATIO(193, 133120), RATIO(-3125, 79872), RATIO(9153, 66560),
    // 17
    RATIO(43, 729), Z, Z, Z, Z, RATIO(68, 3645), RATIO(2, 135), RATIO(-2, 81),
    RATIO(1, 405), Z, Z, Z, Z, RATIO(-29, 14580), RATIO(3125, 8748),
    RATIO(-7, 90), RATIO(3488, 10935),
};
static const real rkf78_c[] = {
    Z, RATIO(2, 27), RATIO(1, 9), RATIO(1, 6), RATIO(5, 12), R(0.5),
    RATIO(5, 6), RATIO(1, 6), RATIO(2, 3), RATIO(1, 3), R(1.0), Z, R(1.0),
    R(1.0), RATIO(1, 5), RATIO(1, 3), R(0.5), RATIO(2, 3),
};
static const real rkf78_e[] = {
    RATIO(41, 840), Z, Z, Z, Z, Z, Z, Z, Z, Z, RATIO(41, 840),
    RATIO(-41, 840), RATIO(-41, 840), Z,
};
static const real rkf78_q[] = {
    RATIO(1, 840), Z, Z, Z, Z, RATIO(-20, 840), RATIO(-6, 840),
    RATIO(-6, 840), RATIO(15, 840), RATIO(15, 840), RATIO(1, 840), Z, Z, Z,
};
static const real rkf78_d[] = {
    // r3
    RATIO(-1539, 280), Z, Z, Z, Z, RATIO(442, 35), RATIO(99, 35),
    RATIO(603, 35), RATIO(45, 56), RATIO(477, 280), RATIO(1107, 280), Z,
    RATIO(-41, 10), R(0.5), Z, RATIO(-243, 10), RATIO(32, 5), RATIO(-243, 20),
    // r4
    RATIO(36, 7), Z, Z, Z, Z, RATIO(-884, 35), RATIO(-702, 35),
    RATIO(-702, 35), RATIO(-351, 140), RATIO(-351, 140), RATIO(-533, 140), Z,
    Z, RATIO(179, 20), Z, RATIO(729, 20), RATIO(-64, 5), RATIO(729, 20),
    // r5
    RATIO(351, 35), Z, Z, Z, Z, RATIO(-1224, 35), RATIO(-216, 35),
    RATIO(-1728, 35), RATIO(-297, 140), RATIO(-135, 28), RATIO(-1599, 140), Z,
    RATIO(123, 10), RATIO(-33, 20), Z, R(101.25), RATIO(-288, 5),
    RATIO(891, 20),
    // r6
    RATIO(-324, 35), Z, Z, Z, Z, RATIO(2448, 35), RATIO(1944, 35),
    RATIO(1944, 35), RATIO(243, 35), RATIO(243, 35), RATIO(369, 35), Z, Z,
    RATIO(-99, 5), Z, RATIO(-729, 5), RATIO(576, 5), RATIO(-729, 5),
};
// clang-format on

const RkTable rk_rkf78 = {
    .stages = 13,
    .points = 18,
    .dense = 4,
    .order = 8,
    .a = rkf78_a,
    .c = rkf78_c,
    .e = rkf78_e,
    .q = rkf78_q,
    .d = rkf78_d,
    .witness = 12,
    .stiff = 4.2,
    .control = ORDER8_CONTROL,
};

/* ---- DOPRI5: Dormand and Prince 5(4) ------------------------------------ */

/* Hairer, Norsett, Wanner I, table II.5.2; dense output of order 4 by Shampine,
   equation (II.6.12) in the form of their program; the step control is theirs
   too. */
// clang-format off
static const real dopri5_a[] = {
    // 1
    RATIO(1, 5),
    // 2
    RATIO(3, 40), RATIO(9, 40),
    // 3
    RATIO(44, 45), RATIO(-56, 15), RATIO(32, 9),
    // 4
    RATIO(19372, 6561), RATIO(-25360, 2187), RATIO(64448, 6561),
    RATIO(-212, 729),
    // 5
    RATIO(9017, 3168), RATIO(-355, 33), RATIO(46732, 5247), RATIO(49, 176),
    RATIO(-5103, 18656),
    // far end
    RATIO(35, 384), Z, RATIO(500, 1113), RATIO(125, 192),
    RATIO(-2187, 6784), RATIO(11, 84),
};
// clang-format on
static const real dopri5_c[] = {
    Z, RATIO(1, 5), RATIO(3, 10), RATIO(4, 5), RATIO(8, 9), R(1.0), R(1.0),
};
static const real dopri5_e[] = {
    RATIO(71, 57600),      Z,
    RATIO(-71, 16695),     RATIO(71, 1920),
    RATIO(-17253, 339200), RATIO(22, 525),
    RATIO(-1, 40),
};
static const real dopri5_d[] = {
    RATIO(-12715105075, 11282082432),  Z,
    RATIO(87487479700, 32700410799),   RATIO(-10690763975, 1880347072),
    RATIO(701980252875, 199316789632), RATIO(-1453857185, 822651844),
    RATIO(69997945, 29380423),
};

const RkTable rk_dopri5 = {
    .stages = 6,
    .points = 7,
    .dense = 1,
    .order = 5,
    .fsal = true,
    .a = dopri5_a,
    .c = dopri5_c,
    .e = dopri5_e,
    .d = dopri5_d,
    .witness = 5,
    .stiff = 3.0,
    .control = ORDER5_CONTROL,
};

/* ---- DOP853: Dormand and Prince 8(5,3) ---------------------------------- */

/* Hairer, Norsett, Wanner I, second edition, II.5 (method) and II.6 (dense
   output of order 7 with three further stages). The published coefficients
   have 30 digits and meet the order conditions to 6e-29, which would limit
   QUAD. Those below were refined from them, by Newton's iteration (least
   change) on all 200 conditions of order 8, on the nodes in closed form
   (c1 .. c4 contain the root of 6), and for dense output on the 85 conditions
   of order 7 for every power of u; they meet the former to better than 1e-36,
   the latter to 3e-34. No coefficient moved by more than 5e-27. The error
   weights keep their 30 digits: an estimate needs no more. */
// clang-format off
static const real dop853_a[] = {
    // 1
    R(0.0526001519587677318785587544488016090),
    // 2
    R(0.0197250569845378994544595329183006034),
    R(0.0591751709536136983633785987549018101),
    // 3
    R(0.0295875854768068491816892993774509051), Z,
    R(0.0887627564304205475450678981323527152),
    // 4
    R(0.241365134159266685502369798664510126), Z,
    R(-0.884549479328286085344864962717060604),
    R(0.924834003261792003115737966542746858),
    // 5
    R(0.0370370370370370370370370370370370370), Z, Z,
    R(0.170828608729473871279604482173202698),
    R(0.125467687566822425016691814123093598),
    // 6
    R(0.0371093750000000000000000000000000000), Z, Z,
    R(0.170252211019544039314978060271714357),
    R(0.0602165389804559606850219397282856426),
    R(-0.0175781250000000000000000000000000000),
    // 7
    R(0.0370920001185047927108779319836353763), Z, Z,
    R(0.170383925712239993810214054704487671),
    R(0.107262030446373284651809199167799038),
    R(-0.0153194377486244017527936158236234778),
    R(8.27378916381402288758473766000908457e-3),
    // 8
    R(0.624110958716075717114429577812008306), Z, Z,
    R(-3.36089262944694129406857109824579762),
    R(-0.868219346841726006818189891451191790),
    R(27.5920996994467083049415600796851585),
    R(20.1540675504778934086186788978851661),
    R(-43.4898841810699588477366255144032922),
    // 9
    R(0.477662536438264365890433908527364751), Z, Z,
    R(-2.48811461997166764192642586468226073),
    R(-0.590290826836842996371446475742146742),
    R(21.2300514481811942347288949897046321),
    R(15.2792336328824235832596922937475855),
    R(-33.2882109689848629194453265586958823),
    R(-0.0203312017085086261358222928592925528),
    // 10
    R(-0.937142430085987325717040216580357349), Z, Z,
    R(5.18637242884406370830023853208924092),
    R(1.09143734899672957818500254653690116),
    R(-8.14978701074692612513997267356856827),
    R(-18.5200656599969598641566180701129133),
    R(22.7394870993505042818970056733597273),
    R(2.49360555267965238987089396761888172),
    R(-3.04676447189821950038236690220005500),
    // 11
    R(2.27331014751653820792359768449376032), Z, Z,
    R(-10.5344954667372501984066689878922632),
    R(-2.00087205822486249909675718443384820),
    R(-17.9589318631187989172765950533628813),
    R(27.9488845294199600508499808837121661),
    R(-2.85899827713502369474065508673573054),
    R(-8.87285693353062954433549289258464472),
    R(12.3605671757943030647266201527573729),
    R(0.643392746015763530355970484046068676),
    // far end
    R(0.0542937341165687622380535766362538016), Z, Z, Z, Z,
    R(4.45031289275240888144113950565563469),
    R(1.89151789931450038304281599043593298),
    R(-5.80120396001058478146721142269715195),
    R(0.311164366957819894408916062369758618),
    R(-0.152160949662516078556178806805373221),
    R(0.201365400804030348374776537500701900),
    R(0.0447106157277725905176885569042431788),
    // 13, and from here on for dense output only
    R(0.0561675022830479523392909219681164841), Z, Z, Z, Z, Z,
    R(0.253500210216624811088794765331817300),
    R(-0.246239037470802489917441475440109752),
    R(-0.124191423263816360469010140625093993),
    R(0.153291798278765697312063226848962049),
    R(8.20105229563468988491666602045239131e-3),
    R(7.56789766054569976138603589564301015e-3),
    R(-8.29799999999999999999999999978748941e-3),
    // 14
    R(0.0318346481635021405060768473262029754), Z, Z, Z, Z,
    R(0.0283009096723667755288322961441524727),
    R(0.0535419883074385676223797384401767239),
    R(-0.0549237485713909884646569340370666303), Z, Z,
    R(-1.08347328697249322858509317000264798e-4),
    R(3.82571090835658412954920192292788277e-4),
    R(-3.40465008687404560802977114461186532e-4),
    R(0.141312443674632500278074618365703121),
    // 15
    R(-0.428896301583791923408573538688366138), Z, Z, Z, Z,
    R(-4.69762141536116384314449447195860178),
    R(7.68342119606259904184240953881046772),
    R(4.06898981839711007970213554316177668),
    R(0.356727187455281109270669543019754191), Z, Z, Z,
    R(-1.39902416515901462129418009730189047e-3),
    R(2.94751478915277233895562721487862202),
    R(-9.15095847217987001081870187134857302),
};

static const real dop853_c[] = {
    Z,
    R(0.0526001519587677318785587544488016090),
    R(0.0789002279381515978178381316732024135),
    R(0.118350341907227396726757197509803620),
    R(0.281649658092772603273242802490196380),
    RATIO(1, 3), R(0.25), RATIO(4, 13), RATIO(127, 195), R(0.6), RATIO(6, 7),
    R(1.0), R(1.0), R(0.1), R(0.2), RATIO(7, 9),
};

static const real dop853_e[] = {
    R(0.0131200449941948807325010299600000000), Z, Z, Z, Z,
    R(-1.22515644637620444072056975300000000),
    R(-0.495758949657250191521407995200000000),
    R(1.66437718245498653696153041500000000),
    R(-0.350328848749973681688648729000000000),
    R(0.334179118713017479029731884100000000),
    R(0.0819232064851157124657074261300000000),
    R(-0.0223553078638862952588442784500000000), Z,
};

/* b minus the solution of order 3 on points 0, 8, 11. */
static const real dop853_e2[] = {
    R(-0.189800754072407615714702328875557222), Z, Z, Z, Z,
    R(4.45031289275240888144113950565563469),
    R(1.89151789931450038304281599043593298),
    R(-5.80120396001058478146721142269715195),
    R(-0.422682321323791962932445679177253888),
    R(-0.152160949662516078556178806805373221),
    R(0.201365400804030348374776537500701900),
    R(0.0226517921983608258118062039630667082), Z,
};

static const real dop853_d[] = {
    // r3
    R(-8.42893827610901286513534911569520056), Z, Z, Z, Z,
    R(0.566714953519377769625317836615339836),
    R(-3.06894994594989169127973047254581096),
    R(2.38466765651206982877281496872739299),
    R(2.11703458244502827671551499474202206),
    R(-0.871391583777972992067899075134241045),
    R(2.24043743026078827585417716381305826),
    R(0.631578778769468818155702493063240429),
    R(-0.0889903364513333108206981168141464059),
    R(18.1485055208547272566564049646031337),
    R(-9.19463239247835540004519844436602714),
    R(-4.43603638759489396643105719700876112),
    // r4
    R(10.4275086425791346034131510078190383), Z, Z, Z, Z,
    R(242.283491775258182884301753193368656),
    R(165.200451717270281985053948869435976),
    R(-374.546754722690202795183121517362806),
    R(-22.1136668531253060362709385773977867),
    R(7.73343266847226383896038988090689651),
    R(-30.6740847310893981820612136276925594),
    R(-9.33213052643022787295672217039780205),
    R(15.6972381217708438861310910748601246),
    R(-31.1394032195651776772828504095419812),
    R(-9.35292435884447838657138626772758195),
    R(35.8168414863940837524658985437298261),
    // r5
    R(19.9850532420024338209876536175435554), Z, Z, Z, Z,
    R(-387.037308749351765551059017421230198),
    R(-189.178138195167568828308383280172416),
    R(527.808159205423649005610166859072391),
    R(-11.5739025399596301261418711343123708),
    R(6.88123269469630001696669226613561218),
    R(-1.00060509669108384031838609707978539),
    R(0.777713779805344320928692657329870907),
    R(-2.77820575235350840659320043374931139),
    R(-60.1966952312641207582673808461007657),
    R(84.3204055066771610181599037841961772),
    R(11.9922911361827893280351300283672410),
    // r6
    R(-25.6939334627037490033125861293452188), Z, Z, Z, Z,
    R(-154.189748690236433740539936271073551),
    R(-231.529379176045495675360391089413513),
    R(357.639117910614123782853499099271645),
    R(93.4053241836243100039076917036365344),
    R(-37.4583231364516331568751393513667081),
    R(104.099649508962300451472461844399448),
    R(29.8402934266605031233443635786790454),
    R(-43.5334565900111437544321750582499258),
    R(96.3245539591882829483949506004348627),
    R(-39.1772616756154391652314861715807186),
    R(-149.726836257985625814221252755391900),
};
// clang-format on

const RkTable rk_dop853 = {
    .stages = 12,
    .points = 16,
    .dense = 4,
    .order = 8,
    .a = dop853_a,
    .c = dop853_c,
    .e = dop853_e,
    .e2 = dop853_e2,
    .d = dop853_d,
    .witness = 11,
    .stiff = 5.9,
    .control = ORDER8_CONTROL,
};
