#ifndef COSY_TESTS_SAMPLE_H
#define COSY_TESTS_SAMPLE_H

/* Parts made by hand, for tests of their picture.

       Sample s = {.arena = &arena};
       uint32_t axis = sample_part(&s, NO_PART, "AXIS", "ROBOTAXIS");
       sample_part(&s, axis, "MOTOR", "DCMOTOR");
       sample_join(&s, axis, "FLANGE", "", "MOTOR.F .F");

   Ends of a joint are separated by blanks: part, element and port. ".F" is a port
   of the part around, ">S.Y" an output. The type of signals is "". */

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "syntax/parts.h"

enum { SAMPLE_PARTS = 400, SAMPLE_JOINTS = 800, SAMPLE_ENDS = 40 };

typedef struct Sample {
    Arena *arena;
    UnitPart part[SAMPLE_PARTS];
    UnitJoint joint[SAMPLE_JOINTS];
    UnitParts all;
} Sample;

static inline uint32_t sample_part(Sample *s, uint32_t around, const char *name,
                                   const char *module)
{
    uint32_t k = s->all.parts++;
    s->all.part = s->part;
    s->all.joint = s->joint;
    s->part[k] = (UnitPart){
        .name = arena_text(s->arena, name, strlen(name)),
        .path = arena_text(s->arena, name, strlen(name)),
        .module = module,
        .around = around,
    };
    return k;
}

static inline uint32_t sample_array(Sample *s, uint32_t around,
                                    const char *name, const char *module,
                                    int64_t low, int64_t high)
{
    uint32_t k = sample_part(s, around, name, module);
    s->part[k].rank = 1;
    s->part[k].low[0] = low;
    s->part[k].high[0] = high;
    return k;
}

static inline uint32_t sample_find(const Sample *s, uint32_t around,
                                   const char *name, size_t n)
{
    for (uint32_t k = 0; n > 0 && k < s->all.parts; k++)
        if (s->part[k].around == around && strlen(s->part[k].name) == n &&
            strncmp(s->part[k].name, name, n) == 0)
            return k;
    return NO_PART;
}

static inline void sample_end(Sample *s, UnitJoint *j, const char *text,
                              size_t n)
{
    UnitJointEnd *e = &j->end[j->ends++];
    e->output = text[0] == '>';
    text += e->output;
    n -= e->output;
    size_t name = strcspn(text, "[."), dot = name;
    while (text[dot] != '.')
        dot++;
    e->part = sample_find(s, j->around, text, name);
    e->element = arena_text(s->arena, text + name, dot - name);
    e->port = arena_text(s->arena, text + dot + 1, n - dot - 1);
}

static inline void sample_join(Sample *s, uint32_t around, const char *type,
                               const char *loops, const char *ends)
{
    UnitJoint *j = &s->joint[s->all.joints++];
    *j = (UnitJoint){.around = around,
                     .type = type,
                     .loops = loops,
                     .signal = type[0] == '\0',
                     .end = NEW_ARRAY(s->arena, UnitJointEnd, SAMPLE_ENDS)};
    while (*ends) {
        size_t n = strcspn(ends, " ");
        sample_end(s, j, ends, n);
        ends += n + (ends[n] == ' ');
    }
}

/* ---- Systems ----------------------------------------------------------------- */

static inline void sample_circuit(Sample *s)
{
    sample_part(s, NO_PART, "V", "VOLTAGE");
    sample_part(s, NO_PART, "R", "RESISTOR");
    sample_part(s, NO_PART, "C", "CAPACITOR");
    sample_join(s, NO_PART, "PIN", "", "V.P R.P");
    sample_join(s, NO_PART, "PIN", "", "R.N C.P");
    sample_join(s, NO_PART, "PIN", "", "C.N V.N");
}

/* A node with eight ends. */
static inline void sample_bus(Sample *s)
{
    static const char *const load[] = {"L1", "L2", "L3", "L4", "L5", "L6"};
    sample_part(s, NO_PART, "GRID", "SOURCE");
    sample_part(s, NO_PART, "G", "GROUND");
    for (int k = 0; k < 6; k++)
        sample_part(s, NO_PART, load[k], k % 2 ? "MOTORLOAD" : "LOAD");
    sample_join(s, NO_PART, "PIN", "", "GRID.P L1.P L2.P L3.P L4.P L5.P L6.P");
    sample_join(s, NO_PART, "PIN", "",
                "GRID.N G.P L1.N L2.N L3.N L4.N L5.N L6.N");
}

/* A control loop around a drive train: twenty parts, three kinds of wires. */
static inline void sample_drive(Sample *s)
{
    static const char *const parts[][2] = {
        {"SETPOINT", "RAMP"},      {"ERROR", "SUM"},
        {"PI", "PICONTROL"},       {"LIMIT", "LIMITER"},
        {"AMPLIFIER", "AMP"},      {"MOTOR", "DCMOTOR"},
        {"J1", "INERTIA"},         {"GEAR1", "GEAR"},
        {"SHAFT", "SPRINGDAMPER"}, {"J2", "INERTIA"},
        {"GEAR2", "GEAR"},         {"LOAD", "INERTIA"},
        {"BRAKE", "FRICTION"},     {"TACHO", "SPEED"},
        {"FILTER", "LOWPASS"},     {"SUPPLY", "VOLTAGE"},
        {"GND", "GROUND"},         {"FIXED", "HOUSING"},
        {"HEAT", "THERMALMASS"},   {"AIR", "CONVECTION"}};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        sample_part(s, NO_PART, parts[k][0], parts[k][1]);
    sample_join(s, NO_PART, "", "", ">SETPOINT.Y ERROR.U1");
    sample_join(s, NO_PART, "", "", ">ERROR.Y PI.U");
    sample_join(s, NO_PART, "", "", ">PI.Y LIMIT.U");
    sample_join(s, NO_PART, "", "", ">LIMIT.Y AMPLIFIER.U");
    sample_join(s, NO_PART, "", "", ">TACHO.W FILTER.U");
    sample_join(s, NO_PART, "", "", ">FILTER.Y ERROR.U2");
    sample_join(s, NO_PART, "PIN", "", "SUPPLY.P AMPLIFIER.VP");
    sample_join(s, NO_PART, "PIN", "", "AMPLIFIER.OUT MOTOR.P");
    sample_join(s, NO_PART, "PIN", "", "SUPPLY.N AMPLIFIER.VN MOTOR.N GND.P");
    sample_join(s, NO_PART, "FLANGE", "", "MOTOR.F J1.A");
    sample_join(s, NO_PART, "FLANGE", "", "J1.B GEAR1.A TACHO.F");
    sample_join(s, NO_PART, "FLANGE", "", "GEAR1.B SHAFT.A");
    sample_join(s, NO_PART, "FLANGE", "", "SHAFT.B J2.A");
    sample_join(s, NO_PART, "FLANGE", "", "J2.B GEAR2.A");
    sample_join(s, NO_PART, "FLANGE", "", "GEAR2.B LOAD.A BRAKE.A");
    sample_join(s, NO_PART, "FLANGE", "", "BRAKE.S MOTOR.S FIXED.F");
    sample_join(s, NO_PART, "HEATPORT", "", "MOTOR.H BRAKE.H HEAT.P");
    sample_join(s, NO_PART, "HEATPORT", "", "HEAT.Q AIR.P");
}

/* Parts in parts in parts. */
static inline void sample_robot(Sample *s)
{
    static const char *const name[] = {"AXIS1", "AXIS2"};
    sample_part(s, NO_PART, "PATH", "TRAJECTORY");
    for (int k = 0; k < 2; k++) {
        uint32_t axis = sample_part(s, NO_PART, name[k], "AXIS");
        uint32_t motor = sample_part(s, axis, "MOTOR", "DCMOTOR");
        sample_part(s, axis, "GEAR", "GEAR");
        sample_part(s, axis, "CONTROL", "PD");
        sample_part(s, motor, "R", "RESISTOR");
        sample_part(s, motor, "L", "INDUCTOR");
        sample_part(s, motor, "EMF", "EMF");
        sample_join(s, motor, "PIN", "", ".P R.P");
        sample_join(s, motor, "PIN", "", "R.N L.P");
        sample_join(s, motor, "PIN", "", "L.N EMF.P");
        sample_join(s, motor, "PIN", "", "EMF.N .N");
        sample_join(s, motor, "FLANGE", "", "EMF.F .F");
        sample_join(s, axis, "", "", ".W CONTROL.U");
        sample_join(s, axis, "PIN", "", "CONTROL.P MOTOR.P");
        sample_join(s, axis, "PIN", "", "CONTROL.N MOTOR.N");
        sample_join(s, axis, "FLANGE", "", "MOTOR.F GEAR.A");
        sample_join(s, axis, "FLANGE", "", "GEAR.B .F");
    }
    sample_part(s, NO_PART, "ARM", "MULTIBODY");
    sample_join(s, NO_PART, "", "", ">PATH.W1 AXIS1.W");
    sample_join(s, NO_PART, "", "", ">PATH.W2 AXIS2.W");
    sample_join(s, NO_PART, "FLANGE", "", "AXIS1.F ARM.F1");
    sample_join(s, NO_PART, "FLANGE", "", "AXIS2.F ARM.F2");
}

static inline void sample_battery(Sample *s)
{
    sample_part(s, NO_PART, "CHARGER", "SOURCE");
    sample_array(s, NO_PART, "C", "CELL", 1, 9);
    sample_part(s, NO_PART, "LOAD", "RESISTOR");
    sample_array(s, NO_PART, "FAN", "COOLER", 1, 3);
    sample_join(s, NO_PART, "PIN", "I = 1 TO 8", "C[I].N C[I+1].P");
    sample_join(s, NO_PART, "PIN", "", "CHARGER.P C[1].P LOAD.P");
    sample_join(s, NO_PART, "PIN", "", "CHARGER.N C[9].N LOAD.N");
    sample_join(s, NO_PART, "HEATPORT", "I = 1 TO 9",
                "C[I].H FAN[(I+2)DIV3].H");
}

#endif
