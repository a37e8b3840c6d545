/*
 * run_parts.h - what the files of this folder share and nobody else sees, in the order in which a run is made of its logs.
 *
 * Times are those of calendar.h: before clocks are settled on the recording's own clock, then UTC. What is made here lies in run->mem
 * and lives as long as the run, unless an arena is given. Nothing fails: what can't be used is noted or complained about in the run, and
 * left out.
 */
#ifndef POSTRUN_RUN_PARTS_H
#define POSTRUN_RUN_PARTS_H

#include "run/run.h"

/* ------ inputs. ingest.c, room.c, early.c ------ */

/* A log that can't be used is listed with the report's inputs; of NULL no reader knows it. */
void run_add_unread(struct run *run, const char *name, const char *why);
/* What the next input may take of the memory for rows, or a member of it; what a recording took (room.c). */
void room_enter(struct run *run);
void room_enter_member(struct run *run);
void room_take(struct run *run, const struct recording *recording);
/* What an input that has bytes may take before any was read: mostly less than when its turn comes. */
uint64_t room_of_early(const struct run *run, size_t input);
/* What was read early of the input that was entered last (early.c). */
struct early {
	struct arena mem;
	struct diags diags;
	struct file_identity file;
	struct recording *recording; /* NULL: nothing was, or it is to be read again */
	uint64_t memory; /* that it was read in */
};
struct early *early_of(const struct run *run, const char *path);
/* It is the run's from now on, with what was complained about; or nobody's. */
struct recording *early_taken(struct run *run, struct early *e);
void early_drop(struct early *e);

/* ------ what recordings have. evidence.c, activity.c ------ */

/* First and end of a recording's rows, over all channels, on its own clock. */
struct span recording_span(const struct recording *rec);
/* Of the channels that have the metric the one of the first entity in order, whatever row came first, and its column; NULL: none has it. */
const struct channel *channel_with(const struct recording *rec, enum metric metric, const struct column **column);
/* The channel's column, or NULL. */
const struct column *channel_column(const struct channel *c, enum metric metric);

/* ------ whose they are. host.c, nameless.c, side.c ------ */

/* Which host each recording, channel and event is of (host.c). */
void hosts_settle(struct run *run);
/*
 * "node01-gpu.csv" and "node02-gpu.csv": the word before the number in which they differ, which may be empty, and that number, both of
 * `a`. False when they differ in anything else (host.c).
 */
bool names_differ_in_number(struct slice a, struct slice b, struct slice *word, struct slice *number);
/* The host of that name; NULL when there is none. */
const struct entity *run_host_called(const struct run *run, const char *name);
/* Rows of one name in two logs, on clocks alike: do they show at once what one GPU can't? (nameless.c) */
bool channels_show_two_gpus(const struct channel *a, const struct channel *b);
/* With clocks settled: of logs that name no GPU those that can't be of one get numbers (nameless.c). */
void nameless_number(struct run *run);
/* Around the settling of clocks: snapshots of limits are set aside before it, and come back for the span of the run (side.c). */
void sides_set_aside(struct run *run);
void sides_come_back(struct run *run);
bool is_side(const struct run *run, size_t source);

/* ------ clocks. clock.c, clock_date.c, clock_year.c, clock_zone.c, clock_skew.c ------ */

/* Those of which it gives NULL; the others can't be used, for the reason that it gives, and are listed so (clock.c). */
void clock_keep_those(struct run *run, const struct clock_request *request,
	const char *(*why_not)(struct run *run, struct recording *rec, const struct clock_request *request));
/* The year of logs that leave it out (clock_year.c). Those whose year nobody knows are left out, which is reported. */
void clock_settle_years(struct run *run, const struct clock_request *request);
#define ZONE_WEST_MOST (-12 * HOUR_MS) /* zones in use reach from UTC-12 to UTC+14 */
#define ZONE_EAST_MOST (14 * HOUR_MS)

/* What logs share of the shorter one's time where they were written side by side; loggers of one run start and stop within seconds. */
#define SIDE_BY_SIDE 0.8

struct span span_moved(struct span s, time_ms by);
/* Shared time as a share of the shorter one. */
double span_overlap(struct span a, struct span b);
/* Logs of a GPU by one tool on one host: a logger that is started anew, or begins a file each hour, writes several, by one clock. */
bool clock_is_of_one_logger(const struct recording *a, const struct recording *b);
/* All times of the recording are later by so much. */
void clock_shift(struct recording *rec, time_ms by);
/* "names no zone", or a word that tells none for sure: "names EST, which several zones are called". */
const char *zone_lack(struct arena *mem, const struct recording *rec);
/* The recording's times are `offset` east of UTC; from now on they are UTC. */
void clock_decide(struct recording *rec, time_ms offset, enum clock_decision by, const char *sentence);
bool clock_is_settled(const struct recording *rec);
/* --date, and what siblings say of dates (clock_date.c). */
void clock_apply_date(struct run *run, struct recording *rec, const struct clock_request *request);
void clock_settle_date(struct run *run, struct recording *rec);
/* As its times are written: does it share nearly all of its time with a sibling that is settled? */
bool clock_is_beside_a_sibling(const struct run *run, const struct recording *rec);
/*
 * How closely the clearest sign that a job is on the GPU (power, memory or busy) goes together with CPU busy, as both have it, with `a`
 * later by so much: the phi coefficient of up and down, from -1, they take turns, to 1; NAN where one of the two never changes, or neither
 * log is of a CPU (activity.c).
 */
double activity_goes_together(const struct recording *a, time_ms by, const struct recording *b);
/* The zone by the siblings that are settled (clock_zone.c). */
void clock_settle_by_sibling(struct run *run, struct recording *rec);
/* Clocks that differ by what no zone explains: found, told, and with `apply` taken out (clock_skew.c). */
void clock_find_skews(struct run *run, bool apply);
/* Does it tell of work going on, so that its clock can be confirmed by activity? A job's progress doesn't. */
bool clock_has_shape(const struct recording *rec);
/* By how much the recording's times, moved by `by`, are behind the other's; false when that can't be told. */
bool clock_lag(const struct recording *rec, time_ms by, const struct recording *other, time_ms *lag);
/* Is its clock apart from the others, and was not set right? */
bool recording_is_skewed(const struct run *run, const struct recording *rec);

/* ------ entities and tracks. evidence.c, gathering.c, choice.c, run.c, events.c, summarise.c ------ */

/* Entities and tracks out of settled recordings (evidence.c). */
void evidence_gather(struct run *run);
/* What the run has of each metric of each entity while its logs are gone through; those that go on in others become one (gathering.c). */
struct gathering *gathering_new(struct arena *scratch, struct run *run);
struct logged { /* a column of a recording, whose entity is in the run */
	size_t source;
	const struct entity *entity;
	const struct channel *channel;
	const struct column *column;
};
struct track logged_track(const struct logged *l); /* of all that the log has of it */
void gathering_offer(struct gathering *g, const struct logged *l);
/* All were offered: now the tracks of the run are whole. */
void gathering_end(struct gathering *g);
/* Then: of a column that is not used it is counted what was used instead (choice_count()). */
void gathering_count_choice(struct gathering *g, const struct logged *l);
/* Which of two sources of a series is used (choice.c). */
enum choice_reason { CHOICE_TIME, CHOICE_STEP, CHOICE_DECIMALS, CHOICE_FIRST, N_CHOICE_REASONS }; /* the strongest first */
struct choice {
	size_t used, left; /* indexes of recordings */
	enum choice_reason why;
};
struct merits { /* of a source */
	time_ms known; /* known_time_from() */
	time_ms step;
	int decimals;
};
bool merits_are_better(const struct merits *a, const struct merits *b, enum choice_reason *why);
/*
 * Time that the samples from `from` on stand for, but for the last one, for which a coarse log is said to hold longer; what holes and
 * missing cells take away.
 */
time_ms known_time_from(const struct track *t, size_t from);
/* With all tracks gathered: has the run another one that is used instead? */
bool choice_is_left(const struct run *run, const struct track *t);
/* One that was not used is counted for the one that was; then all are told, a sentence a log and reason. */
void choice_count(struct run *run, size_t used, const struct merits *of_used, size_t left, const struct merits *of_left);
void choices_tell(struct run *run);
struct roster { /* entities in the making */
	struct entity **at;
	size_t n;
};
/* The entity that is meant, which learns the names it lacked; a new one when there is none yet. */
struct entity *roster_find(struct run *run, struct roster *roster, const struct entity *e);
/* They become the run's, in display order, and know their hosts. */
void roster_enter(struct run *run, const struct roster *roster);
/* The track is copied; its times and values stay where they are. */
void run_add_track(struct run *run, const struct track *track);
/*
 * One number for the whole run, of the entity and from the log of `about`; none where the run has one already. `assumed`: where it
 * comes from when no log tells it, or NULL.
 */
void run_add_constant(struct run *run, const struct track *about, enum metric metric, fixed value, const char *assumed);
/* Of a track among run->tracks, from 1 on; 0: the logs don't have it. */
size_t track_number(const struct run *run, const struct entity *entity, enum metric metric);
/* In the place of the one that the run has of the same entity and metric. */
void run_put_track(struct run *run, const struct track *track);
/* Of each GPU the track that says best when a log had rows of it, or NULL. */
const struct track **rows_of_gpus(const struct run *run);
/* Chunks of those tracks that have none yet: once a run, for all who walk over them (summarise.c). */
void tracks_summarise(struct run *run);

/* ------ what follows from them. assume.c, events.c, unseen.c, silent.c, fact_steps.c ------ */

/* Limits that no log tells, from the table of cards; each is told (assume.c). */
void limits_assume(struct run *run);
/* Of all recordings, and what follows from them for GPUs (events.c). */
void events_gather(struct run *run);
/* Work that the GPUs' logs did not see the end of: the run is as long as that; of its begin it is noted. Then what is told of each log. */
void unseen_find(struct run *run);
void unseen_tell(struct run *run, const struct track *const *all_rows);
/* Is the GPU at work, or does it hold a job's memory where nobody logs that, in the last rows of its log? */
bool gpu_works_to_the_end(const struct run *run, const struct track *rows);
/* Of the GPU's log: how long the stretch is, in its time, where that is known; 0 before and after it. */
void stretch_tell(struct run *run, const struct track *rows, enum metric metric, struct span when, bool is_known);
/* Hosts that are heard of no more while others are (silent.c). */
void silent_tell(struct run *run, const struct track *const *all_rows);
/* A fact that changes, in the making: a step holds until the next one, the last until the end of the run (fact_steps.c). */
struct fact_steps {
	time_ms *times;
	fixed *values;
	size_t n;
};
struct fact_steps fact_steps_new(struct arena *mem, size_t most);
/* From then on, which is not before the step that was set last; one that was set for the same time is not. */
void fact_steps_set(struct fact_steps *s, time_ms from, fixed value);
void fact_steps_tell(struct run *run, const struct entity *e, enum metric metric, const struct fact_steps *s, size_t source);

/* ------ what there is to say of the logs. quality.c ------ */

/*
 * Within 10 s of each other: then no clock is off by more than that, whether or not what they show could be compared (quality.c). Of logs
 * of processes and of events alone, which begin when there is something to tell, it is false.
 */
bool logs_begin_and_end_together(const struct run *run);
/* What there is to say of the logs themselves (quality.c). */
void quality_note(struct run *run);

#endif
