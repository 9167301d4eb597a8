#ifndef COSY_TESTS_FIELDS_EXACT_H
#define COSY_TESTS_FIELDS_EXACT_H

/* True solutions of the problems in the folders open and apart.

   A Profile is what one variable of one problem should be, at any place and time; so
   every grid can be judged. A problem NAME is the program NAME.cosy of its folder.
   The functions follow from the literature or from putting them into the equation;
   each says which. None of them comes from COSY. */

#include <stdbool.h>
#include <stddef.h>

typedef enum ProfileKind {
    PROFILE_SMOOTH,
    PROFILE_ROUGH, // has a corner or a jump somewhere, at the start at least
    PROFILE_SHOCK  // has a jump all the time: judged by the mean of the error
} ProfileKind;

typedef struct Profile {
    const char *problem, *variable;
    ProfileKind kind;
    bool periodic; // the last point is a step before `to`
    double from[2],
        to[2];    // ends of the coordinates; a scalar has its place in both
    double order; // in which the error falls; 0: not asked for
    double most;  // largest error allowed with the grid as written
    double (*value)(double x, double y, double t);
} Profile;

typedef struct Profiles {
    const Profile *all;
    size_t count;
} Profiles;

Profiles exact_open(void);
Profiles exact_apart(void);

#endif
