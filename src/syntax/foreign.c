#include "syntax/foreign.h"

#include <assert.h>
#include <string.h>

/* Something that shows which language a text is written in: `text`, at the
   beginning of a line if it begins with ^. Case matters. */
typedef struct Sign {
    const char *text;
    uint32_t weight;
} Sign;

#define SIGNS_MOST  20
#define WEIGHT_SURE 3      // more than any one sign
#define LOOKED_AT   100000 // bytes from the beginning

typedef struct Language {
    const char *name;
    const char *example; // the same few lines in COSY
    Sign sign[SIGNS_MOST];
} Language;

static const Language languages[] = {
    {"SimPy (Python)",
     "PROGRAM SHOP;\n"
     "VAR FACILITY DESK; PROCESS CUSTOMER;       // simpy.Resource(env)\n"
     "DISCRETE PROCESS CUSTOMER;                 // def customer(env, desk):\n"
     "BEGIN SEIZE DESK; ADVANCE 5; RELEASE DESK  // yield env.timeout(5)\n"
     "END;\n"
     "EXPERIMENT SIMULATE FROM 0 TO 100 END;     // env.run(until=100)\n"
     "SYSTEM DISCRETE PROCESSES CUSTOMER END END END;\n"
     "END.\n",
     {{"import simpy", 2},
      {"simpy.", 2},
      {"env.process(", 2},
      {"env.timeout(", 2},
      {"env.run(", 1},
      {".request(", 1},
      {"yield ", 1},
      {"^def ", 1},
      {"^import ", 1}}},
    {"Python",
     "PROGRAM SWING;\n"
     "VAR STATE X, V;                            // y[0], y[1]\n"
     "EXPERIMENT INITCOND X = 1;\n"
     "SIMULATE FROM 0 TO 10 END;                 // solve_ivp(f, (0, 10), [1, "
     "0])\n"
     "SYSTEM CONTINUOUS X' = V; V' = -X END END; // return [y[1], -y[0]]\n"
     "END.\n",
     {{"^import ", 1},
      {"^from ", 1},
      {"^def ", 2},
      {"print(", 1},
      {"np.", 1},
      {"scipy", 1},
      {"solve_ivp(", 2},
      {"odeint(", 2},
      {"^return ", 1},
      {"__name__", 2},
      {"lambda ", 1},
      {"self.", 1}}},
    {"Modelica",
     "PROGRAM BALL;                              // model Ball\n"
     "CONST REAL G = 9.81; VAR STATE H, V;       // parameter Real g; Real h, "
     "v;\n"
     "EXPERIMENT INITCOND H = 1;                 // h(start = 1)\n"
     "SIMULATE FROM 0 TO 1 END;\n"
     "SYSTEM CONTINUOUS H' = V; V' = -G END END; // der(h) = v; der(v) = -g;\n"
     "END.                                       // end Ball;\n",
     {{"^model ", 1},
      {"^partial model ", 2},
      {"^equation", 2},
      {"^initial equation", 2},
      {"^algorithm", 1},
      {"der(", 1},
      {"parameter Real ", 2},
      {"^Real ", 1},
      {"(start", 1},
      {"connect(", 1},
      {"annotation", 1},
      {"Modelica.", 2},
      {"^package ", 1},
      {"^connector ", 1},
      {"^within ", 1},
      {"^extends ", 1},
      {"reinit(", 1}}},
    {"MATLAB or Simulink",
     "PROGRAM SWING;\n"
     "VAR STATE X, V;                            // x(1), x(2): two "
     "Integrators\n"
     "EXPERIMENT INITCOND X = 1;\n"
     "SIMULATE FROM 0 TO 10 END;                 // ode45(@f, [0 10], [1; 0])\n"
     "SYSTEM CONTINUOUS X' = V; V' = -X END END; // dx = [x(2); -x(1)]\n"
     "END.\n",
     {{"^function ", 2}, {"^classdef ", 2},  {"ode45(", 2},
      {"ode15s(", 2},    {"ode23", 1},       {"@(", 1},
      {"^%", 1},         {"zeros(", 1},      {"linspace(", 1},
      {"plot(", 1},      {"tspan", 1},       {"^clear", 1},
      {"^clc", 1},       {"fprintf(", 1},    {".*", 1},
      {"add_block(", 2}, {"new_system(", 2}, {"set_param(", 2},
      {"BlockType", 2},  {"^Model {", 2}}},
    {"Julia",
     "PROGRAM SWING;\n"
     "VAR STATE X, V;                            // u[1], u[2]\n"
     "EXPERIMENT INITCOND X = 1;                 // u0 = [1.0, 0.0]\n"
     "SIMULATE FROM 0 TO 10 END;                 // solve(ODEProblem(f!, "
     "...))\n"
     "SYSTEM CONTINUOUS X' = V; V' = -X END END; // du[1] = u[2]; du[2] = "
     "-u[1]\n"
     "END.\n",
     {{"^using ", 2},
      {"ODEProblem(", 2},
      {"solve(", 1},
      {"Tsit5()", 2},
      {"du[", 1},
      {"println(", 1},
      {"^function ", 1},
      {"@parameters", 2},
      {"@variables", 2},
      {"@mtkmodel", 2}}},
    {"R with simmer",
     "PROGRAM BANK;                              // simmer(\"bank\")\n"
     "VAR STORAGE TELLERS CAPACITY 2;            // add_resource(\"teller\", "
     "2)\n"
     "  PROCESS CUSTOMER; RANDOM GAP, WORK;\n"
     "DISCRETE PROCESS CUSTOMER;                 // trajectory()\n"
     "BEGIN GENERATE FOR CUSTOMER AT TIME + GAP; // add_generator(...)\n"
     "  ENTER TELLERS; ADVANCE WORK;             // seize(...), timeout(...)\n"
     "  LEAVE TELLERS                            // release(...)\n"
     "END;\n"
     "EXPERIMENT\n"
     "  RANDOMGEN GAP: EXPOND MEAN = 2; WORK: EXPOND MEAN = 3 END;\n"
     "  SIMULATE FROM 0 TO 480                   // run(until = 480)\n"
     "END;\n"
     "SYSTEM DISCRETE PROCESSES CUSTOMER END END END;\n"
     "END.\n",
     {{"library(simmer", 2},
      {"simmer(", 2},
      {"trajectory(", 2},
      {"add_resource(", 2},
      {"add_generator(", 2},
      {"seize(", 1},
      {"release(", 1},
      {"timeout(", 1},
      {"rexp(", 1},
      {"library(", 1}}},
    {"GPSS",
     "PROGRAM SHOP;\n"
     "VAR FACILITY JOE; PROCESS CUSTOMER; RANDOM GAP, CUT;\n"
     "DISCRETE PROCESS CUSTOMER;\n"
     "BEGIN GENERATE FOR CUSTOMER AT TIME + GAP; // GENERATE  18,6\n"
     "  SEIZE JOE; ADVANCE CUT;                  // QUEUE, SEIZE, ADVANCE "
     "15,3\n"
     "  RELEASE JOE                              // RELEASE, TERMINATE\n"
     "END;\n"
     "EXPERIMENT\n"
     "  RANDOMGEN GAP: UNIFORMD MIN = 12 MAX = 24;\n"
     "    CUT: UNIFORMD MIN = 12 MAX = 18 END;\n"
     "  SIMULATE FROM 0 TO 480                   // START\n"
     "END;\n"
     "SYSTEM DISCRETE PROCESSES CUSTOMER END END END;\n"
     "END.\n",
     {{"GENERATE ", 1},
      {"TERMINATE", 1},
      {"DEPART ", 2},
      {"QUEUE ", 1},
      {"SEIZE ", 1},
      {"ADVANCE ", 1},
      {"TRANSFER ", 1},
      {"START ", 1}}},
    {"Vensim or Stella",
     "PROGRAM TOWN;\n"
     "CONST REAL BIRTHRATE = 0.03;               // birth rate = 0.03\n"
     "VAR STATE PEOPLE; ALGEBR BIRTHS;           // a stock, a flow\n"
     "EXPERIMENT INITCOND PEOPLE = 1000;         // INTEG (..., 1000)\n"
     "SIMULATE FROM 0 TO 100 END;                // INITIAL TIME, FINAL TIME\n"
     "SYSTEM CONTINUOUS PEOPLE' = BIRTHS; BIRTHS = BIRTHRATE*PEOPLE END END;\n"
     "END.\n",
     {{"INTEG (", 2},
      {"INTEG(", 2},
      {"FINAL TIME", 2},
      {"INITIAL TIME", 2},
      {"TIME STEP", 1},
      {"SAVEPER", 2},
      {"(t - dt)", 2},
      {"INFLOWS:", 2},
      {"OUTFLOWS:", 2},
      {"INIT ", 1},
      {"STOPTIME", 1}}},
    {"R",
     "PROGRAM DECAY;\n"
     "CONST REAL K = 0.5; VAR STATE X;           // parameters, state\n"
     "EXPERIMENT INITCOND X = 1;\n"
     "SIMULATE FROM 0 TO 10 END;                 // ode(y, times, f, parms)\n"
     "SYSTEM CONTINUOUS X' = -K*X END END;       // dX <- -k*X; list(c(dX))\n"
     "END.\n",
     {{"library(", 2},
      {"<- function(", 2},
      {"with(as.list(", 2},
      {"list(c(", 1},
      {"<- c(", 1},
      {"ode(", 1},
      {"data.frame(", 1}}},
    {"C",
     "PROGRAM SWING;\n"
     "VAR STATE X, V;                            // double x, v;\n"
     "EXPERIMENT INITCOND X = 1;                 // x = 1;\n"
     "SIMULATE FROM 0 TO 10 END;                 // the loop over the steps\n"
     "SYSTEM CONTINUOUS X' = V; V' = -X END END; // x += h*v; v -= h*x;\n"
     "END.\n",
     {{"#include <", 2},
      {"#include \"", 1},
      {"^#define ", 1},
      {"int main(", 2},
      {"printf(", 1},
      {"^double ", 1},
      {"^int ", 1},
      {"^void ", 1},
      {"^static ", 1},
      {"return 0;", 1}}},
};

/* ---- Finding signs ------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_letter(char c)
{
    return (unsigned)((c | 32) - 'a') < 26;
}

/* A part of a name is not a sign: mode_int does not contain odeint. */
static bool begins_name(const char *text, size_t at)
{
    char before = at == 0 ? ' ' : text[at - 1];
    return !is_letter(text[at]) || !(is_letter(before) || before == '_' ||
                                     (before >= '0' && before <= '9'));
}

/* True if there are only blanks between the beginning of the line and `at`. */
static bool begins_line(const char *text, size_t at)
{
    while (at > 0 && text[at - 1] != '\n') {
        if (!is_blank(text[at - 1]))
            return false;
        at--;
    }
    return true;
}

/* The first place of the sign; `length` if there is none. */
static size_t sign_find(const char *text, size_t length, const char *sign)
{
    bool at_line = sign[0] == '^';
    const char *word = sign + at_line;
    size_t n = strlen(word);
    for (size_t k = 0; n <= length && k <= length - n; k++)
        if (text[k] == word[0] && memcmp(text + k, word, n) == 0 &&
            (at_line ? begins_line(text, k) : begins_name(text, k)))
            return k;
    return length;
}

/* The weight of all signs, and where the first of them stands. */
static uint32_t language_weigh(const Language *l, const char *text,
                               size_t length, size_t *first)
{
    uint32_t weight = 0;
    *first = length;
    for (size_t k = 0; k < SIGNS_MOST && l->sign[k].text != NULL; k++) {
        size_t at = sign_find(text, length, l->sign[k].text);
        assert(l->sign[k].weight < WEIGHT_SURE);
        if (at == length)
            continue;
        weight += l->sign[k].weight;
        *first = at < *first ? at : *first;
    }
    return weight;
}

/* ---- COSY ---------------------------------------------------------------- */

static bool word_here(const char *text, size_t length, size_t at,
                      const char *word)
{
    size_t n = strlen(word);
    if (n > length - at)
        return false;
    for (size_t k = 0; k < n; k++)
        if ((text[at + k] & ~32) != word[k])
            return false;
    return at + n == length || !(is_letter(text[at + n]) ||
                                 text[at + n] == '_' || text[at + n] == '(');
}

/* The first word after blanks, comments and a byte order mark. */
static size_t first_word(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length) {
        const char *end = NULL;
        if (is_blank(text[at]) || (unsigned char)text[at] >= 128) {
            at++;
            continue;
        }
        if (length - at > 1 && text[at] == '(' && text[at + 1] == '*')
            end = strstr(text + at, "*)");
        else if (length - at > 1 && text[at] == '/' && text[at + 1] == '/')
            end = strchr(text + at, '\n');
        else
            return at;
        if (end == NULL)
            return length;
        at = (size_t)(end - text) + (text[at] == '(' ? 2 : 1);
    }
    return at;
}

/* True if the text is COSY, or meant to be. */
static bool is_cosy(const char *text, size_t length)
{
    static const char *const segments[] = {
        "SYSTEM",   "EXPERIMENT", "CONTINUOUS", "DISCRETE", "VAR",
        "SIMULATE", "INITCOND",   "STORE",      "INITIAL",  "OUTPUT",
    };
    uint32_t found = 0;
    size_t at = first_word(text, length);
    if (at < length && word_here(text, length, at, "PROGRAM"))
        return true;
    for (size_t k = 0; k < LENGTH(segments); k++)
        for (at = 0; at < length; at++)
            if (word_here(text, length, at, segments[k]) &&
                begins_line(text, at)) {
                found++;
                break;
            }
    return found >= 2;
}

/* ---- The message --------------------------------------------------------- */

bool foreign_tell(Unit *u)
{
    const Language *best = NULL;
    uint32_t most = WEIGHT_SURE - 1;
    size_t at = 0, first;
    size_t length = u->length < LOOKED_AT ? u->length : LOOKED_AT;
    if (u->diags->errors == 0 || is_cosy(u->text, length))
        return false;
    for (size_t k = 0; k < LENGTH(languages); k++) {
        uint32_t weight =
            language_weigh(&languages[k], u->text, length, &first);
        if (weight > most) {
            most = weight;
            best = &languages[k];
            at = first;
        }
    }
    if (best == NULL)
        return false;
    diags_forget(u->diags);
    unit_error(
        u, (Span){u->file, (uint32_t)at, 1}, 0,
        "this looks like %s, not COSY. In COSY such a model looks like this:",
        best->name);
    diag_example(u->diags, best->example);
    diag_note(u->diags, (Span){.file = SPAN_NOWHERE},
              "cosy new NAME writes a model to start from; "
              "docs/manual/coming-from.md shows models in other languages next "
              "to COSY");
    return true;
}
