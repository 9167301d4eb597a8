#ifndef COSY_EXPAND_INSTANCE_H
#define COSY_EXPAND_INSTANCE_H

/* Private to the pass that makes equations of MODULEs (parts.h).

       parts.c     the order of all this
       template.c  what a MODULE declares, once for all its parts
       instance.c  a part: its formals, its declarations, its sections
       rewrite.c   copies of nodes, with names and paths resolved
       scope.c     names that hide others
       spread.c    whole arrays where names are listed
       element.c   elements that are chosen while the program runs
       attribute.c attributes of records of parts
       connect.c   CONNECT: which ports are at one node
       node.c      the equations of nodes, as loops where they can be
       network.c   networks without a ground
       build.c     new nodes
       whole.c     whole numbers that are known here

   The program itself is the outermost Instance. Everything lies in the arena of
   the unit; Names and Vectors are freed at the end. */

#include "expand/names.h"
#include "expand/parts.h"

enum {
    RANK_MOST = 2,       // indices of a variable
    LOOPS_MOST_HERE = 3, // nested loops of an equation
    PARTS_MOST = 100000, // elements of an array that are parts of their own
    ELEMENTS_MOST = 1000000000 // of all variables of parts
};

typedef enum SlotKind {
    SLOT_NAME,   // something declared: its name gets a path
    SLOT_FORMAL, // stands for what it was given
    SLOT_PART,   // a PART, or a call
    SLOT_PORT    // PORT, or a variable that is INPUT or OUTPUT
} SlotKind;

/* A name that a MODULE (or, if it matters here, the program) declares. */
typedef struct Slot {
    const char *name;
    SlotKind kind;
    Node *node;  // its declaration; SLOT_PART: PART_DECL or CALL
    bool varies; // a variable: in an array of parts it has their indices
} Slot;

typedef struct Template {
    const char *name;
    Node *node; // MODULE or PROGRAM
    Names names;
    Slot *slot;
    uint32_t slots;
    uint32_t depth;    // of its nested FORs
    uint32_t rank;     // of its largest array
    const char *alone; // why its parts cannot be one array, or NULL
    bool examined;
    bool used;
} Template;

typedef struct Instance Instance;

typedef struct PortKind {
    const char *name; // "PIN", or "" for a signal
    Node *members;    // LIST of FIELD_ITEM; NULL for a signal
    Word signal;      // INPUT, OUTPUT, or WORD_NONE
} PortKind;

typedef struct Port {
    const Instance *owner;
    const Slot *slot;
    PortKind kind;
    const char *path; // "R1.P"
    uint32_t rank;    // of an array of ports
    int64_t low[RANK_MOST], high[RANK_MOST];
    bool *named; // each element, by an equation outside its module; NULL: none
    uint32_t outside, inside; // Views, while CONNECTs are carried out
    Node *flow;               // its first THROUGH variable, or NULL
} Port;

/* A port as it is seen where it is joined: outside, with the indices of the arrays
   of parts that belong to that scope, or from inside its own part. */
typedef struct View {
    Port *port;
    bool inside;
    uint32_t rank;
    int64_t low[RANK_MOST], high[RANK_MOST];
    uint32_t count, first; // elements
} View;

/* What a Slot is in an Instance. */
typedef struct Held {
    const char *text; // "R1.U"
    Node *actual;     // formal: stands for it, resolved; NULL: text
    Node *value;      // formal that is a CONST: its value, resolved
    Instance **part;  // one, or one for each element
    uint32_t rank;    // SLOT_PART: of the array
    int64_t low[RANK_MOST], high[RANK_MOST];
    bool begun;   // SLOT_PART: it is being made, or was
    bool apart;   // each element is an Instance
    bool guarded; // and there is an array that proves indices
    bool indexed; // it has the indices of its part
    Port *port;
} Held;

struct Instance {
    Template *template;
    const char *path; // NULL: the program
    Instance *around;
    Held *held; // for each slot
    uint32_t origin;
    uint32_t rank; // of all arrays of parts around it that are loops
    int64_t low[RANK_MOST], high[RANK_MOST];
    const char *index[RANK_MOST]; // names of the loops
    uint32_t number;              // in unit->parts
    uint32_t depth;
    bool called;         // its equations stand where it is called
    struct Moved *moved; // origins of its nodes
};

typedef struct Moved {
    uint32_t from, to;
    struct Moved *next;
} Moved;

typedef struct Bound {
    const char *name, *text; // as written; in the flat program
    struct Bound *around;
} Bound;

typedef struct Flattener {
    Unit *u;
    bool broken;
    Names modules;    // Templates by name
    Vector templates; // Template *
    Vector parts;     // UnitPart
    Vector joints;    // UnitJoint
    Names constants;  // names of the flat program that are CONST, by
    Vector values;    // Node *: the value of each
    Names assigned;   // paths that something assigns, without indices
    Instance *program;
    Node *declared; // LIST that declarations are added to
    Node *parallel; // LIST of statements: the equations of parts
    Node *initial, *blocks, *terminal; // LISTs of blocks of parts
    Node *prelude;      // LIST of statements before those of the EXPERIMENT
    Node *guards;       // LIST of declarations of arrays that prove indices
    uint32_t equations; // depth of EQUATIONs that are rewritten
    uint32_t unrolled;  // depth of loops that are unrolled
    bool apart;         // there are arrays whose elements are Instances
    Bound *bound;       // names that hide others where something is rewritten
    bool parallel_code; // what is rewritten is parallel code
    uint64_t elements;  // of the variables of parts
    bool full;          // there are too many
    Node spare;         // handed out when there is no memory
} Flattener;

#define FLAT_ERROR(f, n, ...)                                                  \
    unit_error((f)->u, (n)->at, (n)->origin, __VA_ARGS__)

/* ---- parts.c ---- */

bool flat_keep(Flattener *f, bool ok); // notes that memory has ended
const char *flat_text(Flattener *f, const char *format, ...) PRINTF_LIKE(2, 3);
static inline bool flat_absent(const Node *n)
{
    return n == NULL || n->kind == NODE_NONE;
}

/* ---- template.c ---- */

/* The Template of a MODULE, or NULL. */
Template *template_find(Flattener *f, const char *name);
bool template_add(Flattener *f, Node *module);
/* Finds its slots; the program has those that matter here. */
void template_examine(Flattener *f, Template *t);
const Slot *template_slot(const Template *t, const char *name,
                          uint32_t *number);
/* True for kinds of nodes whose text is a name. */
bool node_has_name(const Node *n);
/* The name in the scope that is nearest to this one, or NULL. */
const char *template_near(Flattener *f, const Template *t, const char *name);

/* ---- instance.c ---- */

/* Everything that a part declares, and its parts and calls with what is inside
   them. */
void instance_fill(Flattener *f, Instance *i);
void instance_calls(Flattener *f, Instance *i); // only those
/* The parts and ports that the program declares. */
void program_fill(Flattener *f);
/* The equations of the parts inside an instance that are not called, those of
   parts before those of the parts inside them. */
void instance_parts(Flattener *f, Instance *i);
/* Their other sections; inner parts come first. */
void instance_sections(Flattener *f, Instance *i);
/* Its equations, in loops over its parts, as one statement. */
Node *instance_equations(Flattener *f, Instance *i);
/* The flat name of something. */
const char *instance_name(Flattener *f, const Instance *i, const char *name);

/* ---- rewrite.c ---- */

typedef enum RefKind { REF_NODE, REF_PART, REF_PORT, REF_WRONG } RefKind;

/* What a designator means. */
typedef struct Ref {
    RefKind kind;
    Node *node;         // REF_NODE: in terms of the flat program
    const Held *held;   // REF_PART
    Instance *instance; // the part, or the one that holds an array of parts
    Port *port;
    Node *index[RANK_MOST + 2]; // given so far, rewritten
    uint32_t indices;
    bool open;    // REF_PART: an array of which no element was named yet
    uint32_t own; // how many of the indices are its own
} Ref;

/* A copy of n as it stands in an instance; the program's nodes are changed in
   place. */
Node *rewrite(Flattener *f, Instance *i, Node *n);
Node *rewrite_list(Flattener *f, Instance *i, const Node *list);
/* What the designator means there. A message for REF_WRONG has been given. */
Ref reference(Flattener *f, Instance *i, Node *n);
Node *node_copy(Flattener *f, const Node *n);

/* ---- scope.c ---- */

/* The name is bound by a loop, an event or a routine around what is rewritten; or NULL. */
const Bound *bound_find(const Flattener *f, const char *name);
/* Binds a name; f->bound is put back when its scope ends. */
void bound_begin(Flattener *f, Instance *i, Bound *b, const char *name);
/* Binds what a FUNCTION, PROCEDURE or DISCRETE PROCESS declares. */
void bound_routine(Flattener *f, Instance *i, const Node *routine);
/* Binds the indices that the body of an array of events names. */
void bound_event(Flattener *f, Instance *i, const Node *event);

/* ---- spread.c ---- */

/* The part, or the array of parts, that a path means, or NULL; nothing is
   reported. `part` is NULL for an array whose elements are Instances of their own,
   unless a known index says which. */
const Held *part_held(Flattener *f, Instance *i, const Node *n,
                      Instance **part);
uint32_t held_elements(const Held *h);
/* The path of one of its elements; `base` is the path of the array. */
Node *held_element(Flattener *f, const Held *h, uint32_t number,
                   const Node *base);
/* LIST of the paths that a path through whole arrays of such parts stands for; of
   n itself if there are none. */
Node *path_elements(Flattener *f, Instance *i, const Node *n);
/* The statement, with paths through whole arrays of such parts replaced by those
   of all elements. The nodes of a MODULE are copied. */
Node *spread(Flattener *f, Instance *i, Node *n);
/* Gives a statement whose paths are resolved the names that it takes. */
void settle_names(Flattener *f, Node *n);

/* ---- element.c ---- */

/* The node, rewritten, if it chooses an element of an array of parts that are
   Instances of their own by an index that is not known; NULL if it does not. */
Node *elements_chosen(Flattener *f, Instance *i, Node *n);

/* ---- attribute.c ---- */

/* The statement, with attributes of records of parts that it names. The nodes of a
   MODULE are copied. */
Node *attributes_of_parts(Flattener *f, Instance *i, Node *n);

/* ---- whole.c ---- */

typedef struct Known {
    const char *name;
    int64_t value;
    const struct Known *around;
} Known;

/* The whole number of an expression of constants and known names; false if it
   is none. */
bool whole_value(Flattener *f, Instance *i, const Known *known, const Node *n,
                 int64_t *value);
/* Bounds of an array; false, with a message, if they are not known. */
bool whole_bounds(Flattener *f, Instance *i, const Node *extents,
                  const char *what, uint32_t *rank, int64_t *low,
                  int64_t *high);

/* ---- connect.c, node.c ---- */

bool node_connects(const Node *n); // there is a CONNECT in it
/* Carries out CONNECTs of an instance, as they were written in these blocks:
   equations of its nodes are added to the list. Needs: its equations rewritten,
   and those of what is around it, so that it is known what they name. */
void connect_ports(Flattener *f, Instance *i, const Node *blocks,
                   Node *equations);

typedef struct Member { // of a node
    const View *view;
    int64_t at[RANK_MOST];
} Member;

typedef struct Junction {
    Member *member;
    uint32_t members;
    const Node *place; // a CONNECT, or what is not connected
} Junction;

/* The equations of all nodes, in their order. */
void node_equations(Flattener *f, Instance *i, Junction *node, uint32_t nodes,
                    Node *equations);
/* Outer index of an element that a View has, from its number. */
void view_indices(const View *v, uint32_t element, int64_t *at);
/* The View of an outside port: its own indices in the scope around. */
View view_outside(Port *port);

/* ---- network.c ---- */

/* Reports networks whose level nothing fixes. Needs: the flat program. */
void check_networks(Flattener *f, const Node *segments);

/* ---- build.c: new nodes at the place of another ---- */

Node *build(Flattener *f, NodeKind kind, const Node *place, uint32_t origin);
/* Where memory has ended nothing is walked through any more: the spare node may
   stand in more than one place. */
Node *build_spare(Flattener *f);
Node *build_name(Flattener *f, const char *name, const Node *place);
Node *build_whole(Flattener *f, int64_t value, const Node *place);
Node *build_none(Flattener *f, const Node *place);
Node *build_two(Flattener *f, Word op, Node *a, Node *b);
Node *build_equation(Flattener *f, Node *left, Node *right, const Node *place);
/* The name, or an element of it. */
Node *build_element(Flattener *f, const char *name, Node *const *index,
                    uint32_t n, const Node *place);
/* FOR name := low TO high DO statement */
Node *build_loop(Flattener *f, const char *name, int64_t low, int64_t high,
                 Node *statement, const Node *place);
Node *build_block(Flattener *f, Node *list, const Node *place);
/* A variable with indices. */
Node *build_variable(Flattener *f, Word type, const char *name,
                     const Node *unit, uint32_t rank, const int64_t *low,
                     const int64_t *high, const Node *place);

#endif
