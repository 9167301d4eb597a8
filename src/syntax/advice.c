#include "syntax/advice.h"

#include <stddef.h>

#include "base/text.h"
#include "syntax/words.h"

typedef struct Advice {
    const char *name, *advice;
} Advice;

static const Advice words[] = {
    {"ACTIVATE", "write GENERATE or SCHEDULE"},
    {"ALGORITHM", "procedural code belongs in INITIAL, PROCEDURAL and events"},
    {"BOOL", "write BOOLEAN"},
    {"BREAK", "loops end by their condition: use WHILE or REPEAT"},
    {"AWAIT", "write what it waits for: ADVANCE, SEIZE, ENTER, WAIT UNTIL"},
    {"CASEOF", "write CASE ... OF"},
    {"CONTAINER", "declare a STORAGE with its CAPACITY, or a STATE"},
    {"DEPART", "queues keep their own statistics"},
    {"DER", "the derivative of X is written X'"},
    {"DOUBLE", "write REAL"},
    {"DYNAMIC", "write CONTINUOUS"},
    {"ELIF", "write ELSE IF"},
    {"ELSEIF", "write ELSE IF"},
    {"ELSIF", "write ELSE IF"},
    {"ELSEWHEN", "write another CONDIT"},
    {"ENDCASE", "every branch of CASE ends in END, CASE itself does not"},
    {"ENDFOR", "write END, and BEGIN after DO"},
    {"ENDIF", "write END, and BEGIN after THEN"},
    {"ENDWHILE", "write END, and BEGIN after DO"},
    {"EQUATION", "equations belong in CONTINUOUS ... END"},
    {"FLOATING", "write REAL"},
    {"HOLD", "write ADVANCE"},
    {"INITIALIZATION", "write INITIAL"},
    {"LOOP", "write WHILE ... DO, or REPEAT ... UNTIL"},
    {"PASSIVATE", "write WAIT UNTIL, or WAITSIG"},
    {"PRINT", "write WRITELN (...)"},
    {"PRINTF", "write WRITELN (...)"},
    {"PREEMPTIVERESOURCE", "declare a FACILITY, and PREEMPT it"},
    {"PRIORITYRESOURCE", "declare a FACILITY, and SEIZE it with a PRIORITY"},
    {"REINIT", "assign the new value in the event: X := ..."},
    {"REQUEST", "write SEIZE for a FACILITY, ENTER for a STORAGE"},
    {"RESOURCE", "declare a FACILITY, or a STORAGE with its CAPACITY"},
    {"RETURN", "assign the result to the name of the function; TERMINATE "
               "TRANSNBR ends a transaction"},
    {"SERVER", "declare a FACILITY, or a STORAGE with its CAPACITY"},
    {"SWITCH", "write CASE ... OF"},
    {"WHEN", "write CONDIT event: a CROSSES b END, and the event's body "
             "under DISCRETE"},
    {"XOR", "write <> between two conditions"},
    {"YIELD", "write what it waits for: ADVANCE, SEIZE, ENTER, WAIT UNTIL"},
};

/* Words that begin a statement elsewhere but may well be names in a model. */
static const Advice statements[] = {
    {"ASSIGN", "write name := value"},
    {"DELAY", "to let time pass, write ADVANCE"},
    {"DOWN", "to take a FACILITY out of service, write DOWN(facility)"},
    {"GOTO", "use IF, WHILE or REPEAT"},
    {"QUEUE", "queues keep their own statistics: write SEIZE or ENTER; "
              "QUEUE(facility) tells how many wait"},
    {"REPLICATIONS", "write REPLICATE n"},
    {"RESERVE", "write SEIZE for a FACILITY, ENTER for a STORAGE"},
    {"RUN", "write SIMULATE FROM a TO b"},
    {"SLEEP", "to let time pass, write ADVANCE"},
    {"TALLY", "COLLECT and HISTOGRAM observe what is assigned"},
    {"TABULATE", "COLLECT and HISTOGRAM observe what is assigned"},
    {"TIMEOUT",
     "to let time pass, write ADVANCE; SEIZE, ENTER, PASS and WAIT UNTIL "
     "have a TIMEOUT"},
    {"TRANSFER", "use IF"},
    {"UP", "to put a FACILITY back into service, write UP(facility)"},
    {"WARMUP", "write CLEAR AT time, or CLEAR AUTO OF what is observed"},
};

/* Functions that would be good names of variables: only calls are advised. */
static const Advice calls[] = {
    {"COUNT", "ENTRYNBR (file) is the number of entries"},
    {"DELAY1", "declare a STATE L, write L' = inflow - L/t: L/t flows out"},
    {"DELAY3", "write three STATEs in a row, each as L' = inflow - 3*L/t"},
    {"LENGTH", "QUEUE (resource) is the number of transactions that wait, "
               "ENTRYNBR (file) the number of entries"},
    {"NQ", "QUEUE (resource) is the number of transactions that wait"},
    {"NR", "BUSY (facility) tells whether it is used, CONTENT (storage) how "
           "much of it"},
    {"SMOOTH", "declare a STATE S and write S' = (x - S)/t"},
    {"SMOOTH3", "write three STATEs in a row, each as S' = (x - S)*3/t"},
    {"SMTH1", "declare a STATE S and write S' = (x - S)/t"},
    {"SMTH3", "write three STATEs in a row, each as S' = (x - S)*3/t"},
};

/* Names of functions, and of procedures that are called without arguments. */
static const Advice functions[] = {
    {"ARCTAN", "write ATAN (x)"},
    {"ARCSIN", "write ASIN (x)"},
    {"ARCCOS", "write ACOS (x)"},
    {"ARANGE", "values at equal distances are LIN a TO b POINTS n in SWEEP"},
    {"CHANGE", "write CONDIT event: a CROSSES b END"},
    {"CLAMP", "write LIMIT (lo, hi, x)"},
    {"CLIP", "write LIMIT (lo, hi, x)"},
    {"COSD", "an angle in degrees has its unit: COS (30 [deg])"},
    {"DERIV", "the derivative of X is written X'"},
    {"DISP", "write WRITELN (...)"},
    {"DISPLAY", "write WRITELN (...)"},
    {"DT", "the derivative of X is written X'"},
    {"E", "declare it, or write EXP (x) if that is meant"},
    {"EDGE", "write CONDIT event: a CROSSES b POS END"},
    {"EXIT", "FINISH ends the run"},
    {"FABS", "write ABS (x)"},
    {"FIGURE", "write GRAPH: X in OUTPUT, after SYSTEM"},
    {"FPRINTF", "write WRITELN (...)"},
    {"GRAPH", "write GRAPH: X in OUTPUT, after SYSTEM"},
    {"HALT", "FINISH ends the run"},
    {"HYSTERESIS", "write HSTRS (y0, lo, hi, x), or two CONDITs"},
    {"INTEG",
     "declare X as STATE and write X' = ...; INITCOND gives its start"},
    {"INTEGRAL",
     "declare X as STATE and write X' = ...; INITCOND gives its start"},
    {"INTEGRATOR",
     "declare X as STATE and write X' = ...; INITCOND gives its start"},
    {"INTERP", "declare the points in FUNCTABLE"},
    {"INTERP1", "declare the points in FUNCTABLE"},
    {"IFELSE", "write IF c THEN a ELSE b"},
    {"INTGRL",
     "declare X as STATE and write X' = ...; INITCOND gives its start"},
    {"LEN", "ENTRYNBR (file) is the number of entries"},
    {"LN", "the natural logarithm is LOG (x)"},
    {"LINSPACE", "values at equal distances are LIN a TO b POINTS n in SWEEP"},
    {"LIST", "write LIST: X in OUTPUT, after SYSTEM"},
    {"LOOKUP", "declare the points in FUNCTABLE"},
    {"NOW", "the simulated time is TIME"},
    {"ONES", "one value starts all elements: INITCOND X = 1"},
    {"PLOT", "write PLOT: X or GRAPH: X in OUTPUT, after SYSTEM"},
    {"POW", "write x^y"},
    {"POWER", "write x^y"},
    {"PRE", "a variable on the right of := still has its old value"},
    {"RAND", "declare a RANDOM, and its distribution in RANDOMGEN"},
    {"RANDN", "declare a RANDOM, and its distribution in RANDOMGEN"},
    {"RELAY", "write two CONDITs, with an event each"},
    {"SAT", "write LIMIT (lo, hi, x)"},
    {"SATURATE", "write LIMIT (lo, hi, x)"},
    {"SATURATION", "write LIMIT (lo, hi, x)"},
    {"SCOPE", "write GRAPH: X in OUTPUT, after SYSTEM"},
    {"SEED", "write SEED = n in RANDOMGEN, or cosy run --seed n"},
    {"SGN", "write SIGN (x)"},
    {"SIND", "an angle in degrees has its unit: SIN (30 [deg])"},
    {"SQR", "write x^2"},
    {"STOP", "FINISH ends the run"},
    {"T", "declare it, or write TIME if that is meant"},
    {"TAND", "an angle in degrees has its unit: TAN (30 [deg])"},
    {"TF", "write TRANSF, or REALPL and LEDLAG"},
    {"TRANSPORTDELAY", "write DELAY (p, x)"},
    {"WHERE", "write IF c THEN a ELSE b"},
    {"ZEROS", "one value starts all elements: INITCOND X = 0"},
};

/* Solvers of MATLAB, SciPy and Modelica tools, and the nearest method. */
static const Advice methods[] = {
    {"CVODE", "GEAR"},    {"DASKR", "IDA"},      {"DASSL", "IDA"},
    {"DIFFSUB", "GEAR"},  {"DOP54", "DOPRI5"},   {"LSODA", "AUTO"},
    {"LSODAR", "AUTO"},   {"LSODE", "GEAR"},     {"ODE113", "ADAMS"},
    {"ODE15I", "IDA"},    {"ODE15S", "GEAR"},    {"ODE23", "DOPRI5"},
    {"ODE23S", "RADAU"},  {"ODE23T", "RADAU"},   {"ODE23TB", "RADAU"},
    {"ODE4", "RK4"},      {"ODE45", "DOPRI5"},   {"ODE78", "DOP853"},
    {"ODE89", "DOP853"},  {"RADAUIIA", "RADAU"}, {"RK23", "DOPRI5"},
    {"RK45", "DOPRI5"},   {"RUNGEKUTTA", "RK4"}, {"RUNGE_KUTTA", "RK4"},
    {"VARIABLE", "AUTO"},
};

static const Advice distributions[] = {
    {"EXP", "EXPOND"},
    {"EXPO", "EXPOND"},
    {"EXPONENTIAL", "EXPOND"},
    {"EXPONENTIALD", "EXPOND"},
    {"EXPOVARIATE", "EXPOND"},
    {"GAUSS", "NORMALD"},
    {"ERLA", "ERLANGD"},
    {"ERLANG", "ERLANGD"},
    {"GAMM", "GAMMAD"},
    {"GAMMA", "GAMMAD"},
    {"LOGN", "LOGNORMD"},
    {"NORM", "NORMALD"},
    {"NORMAL", "NORMALD"},
    {"POIS", "POISSOND"},
    {"POISSON", "POISSOND"},
    {"RANDINT", "UNIFORMD"},
    {"REXP", "EXPOND"},
    {"RNORM", "NORMALD"},
    {"RUNIF", "UNIFORMD"},
    {"TRIA", "TRIANGD"},
    {"UNIFORM", "UNIFORMD"},
    {"WEIB", "WEIBULLD"},
    {"WEIBULL", "WEIBULLD"},
    {"DISC", "EMPIRIC"},
    {"DISCRETE_UNIFORM", "EMPIRIC"},
    {"GAUSSIAN", "NORMALD"},
    {"LOGNORMAL", "LOGNORMD"},
    {"LOGNORMALD", "LOGNORMD"},
    {"NEGEXP", "EXPOND"},
    {"TRIANGULAR", "TRIANGD"},
    {"TRIANGLE", "TRIANGD"},
    {"UNIF", "UNIFORMD"},
};

static const Advice options[] = {
    {"ABSTOL", "ABSERR"},
    {"ATOL", "ABSERR"},
    {"DELT", "STEP"},
    {"DT", "STEP"},
    {"EPS", "RELERR"},
    {"FINTIM", "TO"},
    {"HMAX", "DTMAX"},
    {"HMIN", "DTMIN"},
    {"INTERVAL", "COMINT"},
    {"MAXSTEP", "DTMAX"},
    {"MINSTEP", "DTMIN"},
    {"OUTDEL", "COMINT"},
    {"PRDEL", "COMINT"},
    {"RELTOL", "RELERR"},
    {"RTOL", "RELERR"},
    {"RATE", "MEAN, which is 1/RATE"},
    {"LAMBDA", "MEAN, which is 1/LAMBDA"},
    {"SIGMA", "SD"},
    {"SOLVER", "METHOD"},
    {"STARTTIME", "FROM"},
    {"STD", "SD"},
    {"STDDEV", "SD"},
    {"STEPSIZE", "STEP"},
    {"STOPTIME", "TO"},
    {"TOL", "RELERR"},
    {"TOLERANCE", "RELERR"},
};

static const char *find(const Advice *table, size_t n, const char *name)
{
    for (size_t k = 0; k < n; k++) {
        if (name_same(name, table[k].name))
            return table[k].advice;
    }
    return NULL;
}

const char *advice_word(const char *name)
{
    return find(words, LENGTH(words), name);
}

const char *advice_statement(const char *name)
{
    return find(statements, LENGTH(statements), name);
}

const char *advice_name(const char *name)
{
    const char *advice = find(functions, LENGTH(functions), name);
    return advice != NULL ? advice : advice_word(name);
}

const char *advice_call(const char *name)
{
    return find(calls, LENGTH(calls), name);
}

const char *advice_method(const char *name)
{
    return find(methods, LENGTH(methods), name);
}

const char *advice_distribution(const char *name)
{
    return find(distributions, LENGTH(distributions), name);
}

const char *advice_option(const char *name)
{
    return find(options, LENGTH(options), name);
}
