/* SPDX-License-Identifier: MIT */
/* Figures are data: one JSON file each (docs/reference/figure_files.md), read here, filled with rows from runs, drawn
 * with gnuplot, and told in one sentence with the measured number in it. */
#ifndef RIGOR_REPORTS_FIGURE_FIGURE_H
#define RIGOR_REPORTS_FIGURE_FIGURE_H

#include "bench/run/solver_set.h"
#include "bench/store/store.h"
#include "reports/figure/rows.h"

typedef struct Axis {
    const char *field; /* an expression in a row's fields */
    const char *label, *unit;
    bool log, reversed;
    double min, max; /* NaN: from the data */
    double floor;    /* what is below is round-off: shown there, and said; 0: none */
    json_t *labels;  /* value -> text, for categories; NULL: a number */
} Axis;

/* Curves of a panel, and marks: nobody tells more apart, and gnuplot's time grows with their square. */
enum { CURVES_MOST = 256 };

typedef enum PanelKind { PANEL_LINES, PANEL_POINTS, PANEL_ARROWS, PANEL_MAP, PANEL_IMAGE, PANEL_BARS } PanelKind;

/* What becomes of points of one curve at the same x, of a map's cells at the same x and y. */
typedef enum Reduce { REDUCE_NOT, REDUCE_MEDIAN, REDUCE_MAX, REDUCE_MIN, REDUCE_SUM } Reduce;

/* One curve asked for by name, or, without one, a curve for each value of the panel's `by`; what is not given is the
 * panel's. */
typedef struct CurveRequest {
    const char *label, *from;
    const char *x, *y;
    PanelKind kind;
    json_t *where;    /* NULL: none */
    const char *like; /* a solver, whose look it takes; NULL: its own */
    bool plain;       /* a line without markers */
    bool optional;    /* may have no point, as where an engine is not installed */
} CurveRequest;

typedef struct Panel {
    const char *title, *from;
    PanelKind kind;
    Axis x, y, z;
    const char *dx, *dy; /* arrows */
    json_t *where, *labels, *by;
    Reduce reduce;
    int curve_count;
    CurveRequest *curves; /* owned; none: one curve for each value of `by` */
    int slope_count;
    double slopes[4];
    bool floor, equal, plain;
    const char *truth, *truth_label; /* an expression of x */
    const char *levels;              /* an expression of x and y; NULL: none */
    json_t *level_values;            /* numbers: the level curves drawn */
    json_t *marks;                   /* lines at a value, and texts */
} Panel;

typedef struct Figure {
    char *path;
    json_t *document; /* everything below borrows from it */
    const char *name, *title, *slide, *question, *finding, *caption;
    const char *needs; /* an environment variable without which it is not made; NULL: none */
    json_t *holds;     /* expressions that are positive while the finding is true; NULL: none */
    json_t *stated_if; /* expressions, counts, without which there is nothing to find; NULL: none */
    int panel_count;
    Panel *panels;
    int rows, columns; /* of panels */
    json_t *data;      /* rows; filled by figure_gather */
    /* Filled by figure_tell: finding and caption with their numbers; a finding refuted says so in place of itself. */
    char *told_finding, *told_caption;
    bool refuted;
} Figure;

/* NULL with the place of the error in the message. */
Figure *figure_read(const char *path, Status *status);
void figure_destroy(Figure *figure);

/* The same of a document at hand, which it takes over; NULL, out of memory, is none. */
Figure *figure_of_document(const char *path, json_t *document, Status *status);

/* Is what it needs there? */
bool figure_is_possible(const Figure *figure);

/* Is this environment variable set, or none asked for (NULL)? */
bool figure_need_is_met(const char *variable);

/* Panels for a plain experiment file; false: out of memory. */
bool figure_add_default_panels(json_t *document);

/* Where figures are made, and with what. */
typedef struct Workshop {
    const char *directory;
    Store *store;
    const SolverSet *solvers;
    const char *const *plugin_paths;
    int jobs;
    bool slide;   /* each panel as a drawing of its own, with type for a projector */
    bool dark;    /* on a dark ground */
    bool force;   /* also over files of another kind */
    bool check;   /* only look whether it could be made: needs no directory and no store */
    json_t *plan; /* of a check: rows of the grid without what only a run gives; NULL: not asked for; borrowed */
    int made;     /* runs and commands that the store and the cache lacked; of a check, all */
} Workshop;

/* The path of a cached result in the workshop, by its content's hash; to be freed. */
char *workshop_cache_path(const Workshop *workshop, const char *hash, const char *extension);

/* Whether it could be gathered and drawn, as far as that is known before a run, and of how many runs and commands. */
bool figure_check(Figure *figure, const Workshop *workshop, int *made, Status *status);

/* Makes what is missing, and fills figure->data (of a check: with nothing that comes from a run). */
bool figure_gather(Figure *figure, Workshop *workshop, Status *status);

/* The three sources, each adding its rows: the runs' metrics, their frames, and what commands and generators give. */
bool figure_add_grid(Figure *figure, Workshop *workshop, Status *status);
bool figure_add_series(Figure *figure, Workshop *workshop, Status *status);
bool figure_add_data(Figure *figure, Workshop *workshop, Status *status);

/* The expressions of finding and caption become numbers, and what the finding rests on is looked at. */
bool figure_tell(Figure *figure, Status *status);

/* The value of a caption's expression, in which `x` may stand: for truths and marks; see the README. */
bool figure_value(const json_t *rows, const char *expression, double x, double *value, Status *status);

/* The syntax of a caption, and of one expression. */
bool caption_check_expression(const char *expression, bool has_x, Status *status);
bool caption_check(const char *caption, Status *status);

/* A caption with its expressions as numbers; with no rows only the syntax is looked at, and every number is 1. */
bool caption_fill(const char *caption, const json_t *rows, Text *out, Status *status);

/* One sentence, short, with a number that is computed. */
bool finding_check(const char *finding, Status *status);

/* DIR/NAME of a drawing, without its extension; as slides each panel has its number, dark ones say so. */
void figure_drawing_path(Text *path, const Figure *figure, const Workshop *workshop, int panel);

/* DIR/NAME.svg, .pdf, .png; skipped if the same drawing is there. */
bool figure_draw(const Figure *figure, const Workshop *workshop, Status *status);

/* One file, by its ending. */
bool figure_draw_file(const Figure *figure, const char *path, Status *status);

#endif
