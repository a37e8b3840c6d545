/* value_parts.h - what the files of stores and values share. For them only. */
#ifndef POSTRUN_VALUE_PARTS_H
#define POSTRUN_VALUE_PARTS_H

#include "rule/value.h"

#include <math.h>

struct kept {
	struct value value;
	struct arena mem; /* of its own, where it has many pieces */
	bool is_done;
	bool is_spent;    /* its parts have been told that it has used them */
};

/* A term for the members of a set: those of whom logs_have() it. */
struct members {
	const struct entity **who;
	struct value *values;
	size_t n;
	struct group *rest_of; /* not NULL: they are not listed, but all of this group beside the store's GPU */
};
struct group { /* kept for sets that differ for each GPU only by that GPU */
	struct group *next;
	const struct term *of;
	struct members all;
	struct arena mem;   /* of their values */
	bool has_values;    /* else they have been given back: who they are and their coverage is all that is known of them */
	bool is_looked_at;  /* somebody looks at the values themselves: they stay */
	struct counted *any, *all_but_one; /* of a condition: of one of the lines, of all but one of them; NULL: nobody asked yet */
	struct members told; /* of a condition: the lines that narrow stores ask for; n 0: nobody asked yet */
	size_t to_tell;      /* how many blocks are looked at for these, */
	bool has_counted;    /* if they have been counted */
};

/* ------ stores. store.c ------ */

/* Stores of hosts and of the run are filled by whoever of several threads needs a value first. */
static inline void shared_take(const struct store *s)
{
	if (s->lock)
		lock_take(s->lock);
}

static inline void shared_give(const struct store *s)
{
	if (s->lock)
		lock_give(s->lock);
}

static inline struct span all_time(const struct store *s)
{
	return s->plan->run->span;
}

/* The store of this entity, its host or the run that is of the level. */
struct store *store_at(struct store *s, enum scope level);
/* What is kept of a term of the store's level; made where nothing is known of it yet. Stays where it is. */
struct kept *kept_of(struct store *s, const struct term *t);
/* Has the term a value here that was not given back? Makes nothing. */
bool is_kept(const struct store *s, const struct term *t);
/* One use of a term is over. Behind the last the value is given back; one that was never asked for does not ask for its parts. */
void store_spend(struct store *s, const struct term *t);
/* The term has used its parts; what is computed again claims them again before. */
void store_spend_parts(struct store *s, const struct term *t);
void store_claim_parts(struct store *s, const struct term *t);

/* ------ tracks. store_tracks.c ------ */

/* NULL when the logs don't have it. Of a narrow store the samples that it looks at. */
const struct track *track_of(struct store *s, enum metric metric);
/* A copy of the samples that hold in some of the time, and of the first one behind each stretch. */
struct track track_narrowed(struct arena *mem, const struct track *t, const struct spans *only);
/* The same with what is in its chunks, where all of it is looked at. */
const struct track *track_seen(struct store *s, const struct track *t);
/* The track that a term is, and nothing but, as it is seen: of a metric, or of a set that has one member; else NULL. */
const struct track *direct_track(struct store *s, const struct term *t);

/* ------ values. value.c ------ */

static inline struct value of_number(struct signal number)
{
	return (struct value){ .number = number, .coverage = 1 };
}

static inline struct value of_line(struct truths line)
{
	return (struct value){ .line = line, .coverage = 1 };
}

/* The number is known where both bounds are the same. */
struct value of_bounds(struct arena *mem, struct bounds bounds);
static inline struct value of_number_or_bounds(struct signal number, struct bounds bounds)
{
	return (struct value){ .number = number, .is_bounded = true, .bounds = bounds, .coverage = 1 };
}
/* For what is made of two numbers: bounds of the one; where the other has none, just where there are some, which is little of the time. */
struct bounds bounds_beside(struct arena *mem, const struct value *v, const struct value *other);
/* Into memory that lives longer. */
struct value value_kept(struct arena *mem, struct value v);
bool is_computed(struct store *s, const struct term *t);
/* What each of n values is in its span, one span after the other. `all`: it is not known in the rest of it. */
struct value value_in_turn(struct arena *mem, const struct value *values, const struct span *of, size_t n, struct span all);
/* As signal_around(). */
struct value value_around(struct value v, struct span slice);
/* Of what is of all time the part that a slice sees, in the same memory; any other store sees all. */
struct value value_in_slice(const struct store *s, struct value v);
/* One number for a stretch of time is a part of it; their coverages are asked of each part. */
bool has_folds(const struct term *t);
/* As evidence and cost do, it folds what was seen, however little that is: who was not seen at any time has no part in a set of it. */
bool folds_what_was_seen(const struct term *t);
/* Is it, on a GPU, a question of rows alone, of which all that is known is known from its rows? */
bool can_be_of_rows(struct store *s, struct arena *mem, const struct term *t, const struct firing *f, struct row_condition *out);

/* What depends on the firing time of one verdict goes with it; what is kept is moved out of the way when it has been computed. */
static inline struct arena *memory_for(struct store *s, const struct term *t, const struct firing *f)
{
	return t->needs_firing ? f->mem : s->work;
}

static inline double constant_of(struct signal s)
{
	return s.n ? s.at[0].value : (double)NAN;
}

/* From the metric's unit to the first of its dimension. */
static inline double unit_factor(enum metric metric)
{
	return unit_table[metric_table[metric].unit].factor;
}

/* All of a track, in the first unit of its dimension. */
struct signal whole_track(struct arena *mem, const struct track *t, struct span within);

/* ------ arithmetic. value_arithmetic.c ------ */

struct signal scaled_signal(struct arena *mem, struct signal s, double factor);
/* The function of two numbers that a node of arithmetic stands for; NULL: it is none. */
typedef double arithmetic(double, double);
arithmetic *arithmetic_of(enum node_kind kind);
struct value value_combined(struct store *s, const struct term *t, struct firing *f);
struct value value_negated(struct store *s, const struct term *t, struct firing *f);

/* ------ comparisons. value_compare.c ------ */

/* A metric compared with a number that stays or changes rarely. */
struct value metric_compared(struct store *s, struct arena *mem, enum metric metric, enum comparison how, struct signal limit);
struct value value_compared(struct store *s, const struct term *t, struct firing *f);

/* ------ windows over time. value_windows.c ------ */

/* So few pieces beside a track's samples that a few hundred steps for each don't matter. */
bool changes_rarely(struct signal s, const struct track *t);
/* A mean or a percentile. */
bool is_window_of_track(struct store *s, const struct term *t);
/* A window of a track compared: no signal is made of it, unless there is one already. */
bool window_compared(struct store *s, struct arena *mem, const struct term *t, enum comparison how, const struct value *limit,
	struct value *out);
struct value value_rolling(struct store *s, const struct term *t, struct firing *f);

/* ------ one number for a stretch of time. value_folds.c ------ */

static inline bool takes_counters(enum fold fold)
{
	return (fold_table[fold].takes & TAKES_COUNTERS) != 0;
}

/* What a fold looks at: a number, what a counter grew by, or 1 and 0 of a condition. */
struct value value_looked_at(struct store *s, const struct term *t, struct firing *f);
struct value value_folded(struct store *s, const struct term *t, struct firing *f);
/* What was usual in the healthy rest of the time. */
struct value value_reference(struct store *s, const struct term *t, struct firing *f);

/* ------ sets. value_members.c, value_sets.c, value_others.c, value_around.c ------ */

/* The stores of a GPU or core of which some of the time is looked at, for another; `lock` as in stores. */
struct member_stores {
	struct store host, own;
};
void member_open(struct member_stores *m, struct store *s, enum scope scope, const struct entity *who, struct lock *lock);
void member_release(struct member_stores *m);
/* None yet, with room for n; and one more. */
struct members members_room(struct arena *mem, size_t n);
void members_add(struct members *m, const struct entity *who, struct value v);
/* What is asked of the members of a fold over a set; `scratch` is of their values. */
struct members set_members(struct store *s, struct arena *scratch, const struct term *t, struct firing *f);
/* The line of a condition of the store's GPU, if it was told when others asked; in `mem`. */
bool line_told(struct store *s, struct arena *mem, const struct term *t, struct truths *out);
/* The same of a number. */
bool number_told(struct store *s, struct arena *mem, const struct term *t, struct value *out);
/* The members' numbers; they stay with them. */
struct signal *signals_of(struct arena *mem, const struct members *m);
/*
 * How near to each other the rows of one poll are: a quarter of the step, or half of it where polls take longer than a quarter. nvidia-smi
 * asks one GPU after the other, which takes 1 to 23 ms each (seen on 4 H200 and on 8 H100), so that 16 GPUs take a third of a second.
 * Where it takes more than half, rows of one poll are no nearer to each other than to those of the next.
 */
time_ms poll_of(const struct store *s, const struct members *m, const struct term *t, enum scope scope);
/* The fold t over its members' numbers; in `within`, where some of them are not known, with bounds. */
struct value number_across(
	struct arena *mem, const struct signal *numbers, size_t n, const struct term *t, time_ms poll, struct spans within);
/* Of a number: a metric's, also of what is one of its values or lies between some. */
struct domain domain_of(const struct term *t);
/* Numbers of all other GPUs; false: they are not that, or the store's GPU has no others. */
bool numbers_of_others(struct store *s, struct arena *mem, const struct term *t, struct value *out);
/* The same of a narrow store, in its time; false also where all of the time is to be looked at. */
bool numbers_asked(struct store *s, struct arena *mem, const struct term *t, struct value *out);
/* Some of the time, of several members: what is asked of each of them, who they are, and when. */
struct around {
	struct store *store;       /* that knows all of the time */
	struct lock *lock;         /* for the members' stores */
	enum scope scope;          /* of members: GPUs or cores */
	const struct term *of;
	const struct members *all; /* their values are not asked for */
	const struct spans *only;
	time_ms poll;
};
/* Of a fold over a set; `only` is still to be said. */
struct around around_of(struct store *full, const struct members *m, const struct term *t, struct lock *lock);
#define LOOKED_AT_BEFORE 1 /* blocks before what is asked, for a pause between two polls; more where none is found */
/* Each member's number in that time, and anything elsewhere; in `mem`. NULL: it is not certain that polls are those of the whole run. */
struct signal *numbers_around(const struct around *a, struct arena *mem);
/* A number across all GPUs or cores in the time of a narrow store; false: all of the time is to be looked at. */
bool across_asked(struct store *s, struct arena *mem, const struct term *t, const struct firing *f, struct value *out);
/* The same in all of a long time; false where it is to be looked at as one. */
bool across_by_slices(struct store *s, struct arena *mem, const struct term *t, const struct firing *f, struct value *out);
/* All GPUs, once for the whole run. */
struct group *group_of(struct store *run, const struct term *t);
struct value value_across(struct store *s, const struct term *t, struct firing *f);

/* For how long there are rows in some time of what a term looks at, about: nothing is to be looked at in a hole. */
time_ms time_with_rows(const struct store *s, const struct term *t, const struct spans *only);

#endif
