/*
 * value.h - what terms are worth: numbers and conditions over time, each computed once for whom it depends on. For this folder only.
 *
 * Each entity has a store; those of GPUs and cores stand below their host's, hosts' below the run's. A term is
 * kept in the store of its own level, so that what is the same for all GPUs of a host is
 * computed for the first of them. A store is released when its entity has been judged; a value of many pieces
 * sooner, where it is known how often it will be asked for (store_gives_back()). What is asked for again is computed again.
 */
#ifndef POSTRUN_VALUE_H
#define POSTRUN_VALUE_H

#include "base/workers.h"
#include "rule/plan.h"

struct value {
	struct signal number;    /* of a number; NAN also where only bounds are known */
	bool is_bounded;
	struct bounds bounds;    /* is_bounded: the number lies in them, where they are told: mostly just where it is not known */
	struct truths line;      /* of a condition */
	double coverage;         /* the least of the folds in it: known share of their time; 1 without folds */
};

/* The most or the least that a number can be at each moment: what is known is both. */
struct signal value_bound(struct arena *mem, const struct value *v, bool is_most);

struct kept;
struct narrowed;
struct outlines;
struct reference;
struct sketch;
struct group;
struct rest;
struct seen;
struct store {
	const struct plan *plan;
	struct vantage vantage;
	struct store *above;     /* NULL for the run */
	struct arena mem;
	struct arena passing;    /* for what is only on the way to a verdict */
	struct arena *work;      /* for what is only on the way to the value of a term that is being computed */
	struct arena *results;   /* for what outlives judging: the run's, or one that the run will adopt */
	struct lock *lock;       /* held while stores above are looked into; NULL: nobody else does */
	struct kept **values;    /* by term id, some terms to a shelf; NULL: of none of these anything is known (kept_of()) */
	const unsigned *all_uses; /* how often an entity's terms are asked for; NULL: nobody knows, all values stay */
	unsigned *uses;          /* what is left of them; NULL as above */
	struct reference *references;
	struct found_of_tracks found;
	struct group *groups;
	struct rest *rests;
	struct seen *seen;
	const struct outlines *outlines; /* of all GPUs, for sketches (sketch.h); NULL: none were made */
	/* Of a narrow store, which looks at some of the time alone; else NULL. */
	struct store *full;      /* of the same entity */
	const struct spans *only;
	struct narrowed *narrowed;
	bool is_slice;           /* `only` is one of those that all of the time is looked at by, one after the other, of each GPU */
};
/* `results` and `lock` are those of the store above; the run's store has the run's memory and no lock. */
void store_open(struct store *s, const struct plan *plan, struct store *above, enum scope scope, const struct entity *entity);
/* For the next entity of the same scope, in the same memory. */
void store_reopen(struct store *s, const struct entity *entity);
void store_release(struct store *s);

/*
 * A store of the same entity that knows the samples of its tracks in `only`, and those that hold at its ends: what terms are worth
 * there is right as far from an end as their windows reach, elsewhere not. What is one number for a stretch of time comes from `full`.
 * What is asked of others is asked in the same time, where that is less. `only` stays.
 */
void store_open_narrow(struct store *s, struct store *full, const struct spans *only);
/* How far the windows in a term reach, one through the other; beyond that nothing at a moment depends on what was. */
time_ms reach_of_windows(struct store *s, const struct term *t);

/*
 * From now on, also for the next entities, a value is given back after so many uses (plan_uses()). Those who hold values of the store at
 * that time are parts of what is being computed, whose uses are not over; between two rules nobody holds any.
 */
void store_gives_back(struct store *s, const unsigned *uses);
/*
 * Before the GPUs are judged, while the run's crew has nothing to do: conditions that they will ask of all GPUs, since sketches leave them
 * open, are looked at side by side. Else the first GPU that asks has it done alone, and all others wait. Of a long run nothing is done
 * since less may be asked for there.
 */
void conditions_foretell(struct store *run);
/* The rule has been judged on the store's entity: what it asked for, and what was on the way. */
void store_rule_judged(struct store *s, const struct planned_rule *r);
/* Nobody holds a value: all of many pieces are given back. From now on, for this entity, values stay until this is said again. */
void store_forget(struct store *s);

/* What evidence and cost may speak of, besides. */
struct firing {
	struct spans inside, outside;
	struct spans healthy;    /* for ref(): steady, outside all firing time that costs */
	struct spans overall;    /* for which something that costs was found in the run as a whole */
	struct arena *mem;       /* of values that depend on it */
	struct found_of_tracks found; /* of tracks in it */
	double reference;        /* what ref() gave last */
	bool reference_assumed;
	bool is_doubted;         /* what the other side's logs say inside is not known (unknown_while) */
	struct firing *whole;    /* of one that looks at a slice: that of all of the time; else NULL */
	struct told_firing *told; /* what folds and ref() were worth when slices asked first */
};

/* Of a fold over a window of time: how wide the window is on this entity. */
time_ms width_of(struct store *s, const struct term *t);

/* `firing` is NULL for conditions of rules. What depends on it is kept nowhere. */
struct value value_of(struct store *s, const struct term *t, struct firing *firing);

/*
 * Conditions slice by slice, in some of the time; elsewhere they are NO. False, and nothing is looked at, where the time is short, where
 * there are no sketches, and where one of them is known already.
 */
bool lines_by_slices(struct arena *mem, struct store *s, struct terms terms, struct spans asked, struct value *out);
bool line_by_slices(struct arena *mem, struct store *s, const struct term *t, struct spans asked, struct value *out);
/*
 * The same of a number that is a share, not known elsewhere: of a slice that is done no more is kept than that. Where it lies in bounds the
 * higher one, `is_most`, or the lower one.
 */
bool shares_by_slices(struct arena *mem, struct store *s, const struct term *t, struct firing *firing, struct spans asked, bool is_most,
	struct shares *out);
/* Sums of squares hang on where they begin, by what rounding leaves, which is all that there is where nothing changes. */
bool hangs_on_begin(const struct term *t);

/* Where the track, of the store's entity or one above, is known: looked for once. */
struct spans known_time_of(struct store *s, const struct track *t);

/* The sketch of a track that the store's entity sees: made once. */
const struct sketch *track_sketched(struct store *s, const struct track *t);

/* Below a tenth of the judged time there is no healthy stretch that could serve as reference (visual.md 13.2). */
#define LEAST_HEALTHY 0.1

/* Are the others none, as in a run of one GPU? What each of them would be need not be asked then. */
static inline bool is_of_nobody(const struct run *run, const struct term *t)
{
	return t->kind == NODE_ACROSS && t->reach == REACH_OTHER_GPUS && run->n_gpus < 2;
}

#endif
