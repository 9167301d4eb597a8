#ifndef COSY_TESTS_POLLUTION_H
#define COSY_TESTS_POLLUTION_H

/* Air pollution: 20 states, 25 reactions (Verwer, SIAM J. Sci. Comput. 15,
   1994); test set for IVP solvers (CWI, Bari), its end values recomputed in
   quad precision, with constants and times as doubles. */

#include "stiff.h"

static inline CosyStatus pollution_rhs(Cosy *c, real t, const real *y, real *dy)
{
    (void)c;
    (void)t;
    real r1 = R(0.35) * y[0];
    real r2 = R(26.6) * y[1] * y[3];
    real r3 = R(12300.0) * y[4] * y[1];
    real r4 = R(0.00086) * y[6];
    real r5 = R(0.00082) * y[6];
    real r6 = R(15000.0) * y[6] * y[5];
    real r7 = R(0.00013) * y[8];
    real r8 = R(24000.0) * y[8] * y[5];
    real r9 = R(16500.0) * y[10] * y[1];
    real r10 = R(9000.0) * y[10] * y[0];
    real r11 = R(0.022) * y[12];
    real r12 = R(12000.0) * y[9] * y[1];
    real r13 = R(1.88) * y[13];
    real r14 = R(16300.0) * y[0] * y[5];
    real r15 = R(4800000.0) * y[2];
    real r16 = R(0.00035) * y[3];
    real r17 = R(0.0175) * y[3];
    real r18 = R(100000000.0) * y[15];
    real r19 = R(444000000000.0) * y[15];
    real r20 = R(1240.0) * y[16] * y[5];
    real r21 = R(2.1) * y[18];
    real r22 = R(5.78) * y[18];
    real r23 = R(0.0474) * y[0] * y[3];
    real r24 = R(1780.0) * y[18] * y[0];
    real r25 = R(3.12) * y[19];
    dy[0] = r2 + r3 + r9 + r11 + r12 + r22 + r25 - r1 - r10 - r14 - r23 - r24;
    dy[1] = r1 + r21 - r2 - r3 - r9 - r12;
    dy[2] = r1 + r17 + r19 + r22 - r15;
    dy[3] = r15 - r2 - r16 - r17 - r23;
    dy[4] = R(2.0) * r4 + r6 + r7 + r13 + r20 - r3;
    dy[5] = r3 + R(2.0) * r18 - r6 - r8 - r14 - r20;
    dy[6] = r13 - r4 - r5 - r6;
    dy[7] = r4 + r5 + r6 + r7;
    dy[8] = -r7 - r8;
    dy[9] = r7 + r9 - r12;
    dy[10] = r8 + r11 - r9 - r10;
    dy[11] = r9;
    dy[12] = r10 - r11;
    dy[13] = r12 - r13;
    dy[14] = r14;
    dy[15] = r16 - r18 - r19;
    dy[16] = -r20;
    dy[17] = r20;
    dy[18] = r23 + r25 - r21 - r22 - r24;
    dy[19] = r24 - r25;
    return COSY_OK;
}

static const CosyModel pollution = {STIFF_MODEL("POLLUTION", 20),
                                    .derivatives = pollution_rhs};
static const real pollution_begin[] = {
    R(0.0), R(0.2),  R(0.0),   R(0.04), R(0.0), R(0.0), R(0.1),
    R(0.3), R(0.01), R(0.0),   R(0.0),  R(0.0), R(0.0), R(0.0),
    R(0.0), R(0.0),  R(0.007), R(0.0),  R(0.0), R(0.0)};
static const real pollution_end[] = {R(5.64625548002276927796578198981088e-2),
                                     R(1.34248413042233852185341784292746e-1),
                                     R(4.13973433109942697008187689258147e-9),
                                     R(5.52314020748435993730401953133894e-3),
                                     R(2.01897726230219604351574871957631e-7),
                                     R(1.46454186349396579510275616543571e-7),
                                     R(7.78424911899796414608687840981594e-2),
                                     R(3.24507535339601821830409485790758e-1),
                                     R(7.49401338388040555258405119406192e-3),
                                     R(1.62229315730156035197288509880788e-8),
                                     R(1.13586383325707482346196145775823e-8),
                                     R(2.23050597572135986098306437864140e-3),
                                     R(2.08716288279863004092067059380797e-4),
                                     R(1.39692101684015772864402574755245e-5),
                                     R(8.96488485689829417751578536264015e-3),
                                     R(4.35284636933010367427826312527712e-18),
                                     R(6.89921969626340540468607518345960e-3),
                                     R(1.00780303736594595313924816540399e-4),
                                     R(1.77214651396998453603914649434709e-6),
                                     R(5.68294329231639344282521203150491e-5)};

#endif
