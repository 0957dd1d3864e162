/* SPDX-License-Identifier: MIT */
/* Keeps the hosts busy. A run that fails is tried again on a new host: somebody may have killed the old one. */
#include "rw-loop.h"

#include "rw-divergence.h"
#include "rw-stop.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

/* A run is given up when its failures cost so much: a host that was killed from outside is cheap, a page that hangs is not. */
#define MAX_COST 5
#define COST_CRASH 1
#define COST_HANG 2
/* After so many hosts that did not even start there is no point in going on. */
#define MAX_FALSE_STARTS 5

typedef enum
{
  SEAT_EMPTY,
  SEAT_STARTING,
  SEAT_IDLE,
  SEAT_BUSY
} SeatState;

typedef struct
{
  RwSchedule *schedule;
  guint cost; /* of its failures so far */
  gboolean identity; /* the unchanged schedule, as a check: not the explorer's */
} Work;

typedef struct
{
  SeatState state;
  RwHost *host;
  Work *work;
} Seat;

typedef struct
{
  RwSession *session;
  const RwLoopOptions *options;
  RwLoopResult *result;
  RwExplore *explore;
  Seat *seats;
  GQueue *queue;         /* of Work *: to be run, again or for the first time */
  GHashTable *undecided; /* ticket -> key */
  guint false_starts;
  gboolean done; /* the explorer has nothing more to give out */
  gint64 started;
  GError *error;
} Loop;

static void
work_free (gpointer data)
{
  Work *work = data;
  rw_schedule_free (work->schedule);
  g_free (work);
}

void
rw_loop_result_clear (RwLoopResult *self)
{
  g_clear_pointer (&self->divergence, g_free);
  g_clear_pointer (&self->surprises, g_ptr_array_unref);
}

static void
report_progress (Loop *self)
{
  rw_explore_stats (self->explore, &self->result->stats);
  if (self->options->progress != NULL)
    self->options->progress (self->result, self->options->user_data);
}

/* ---- results ------------------------------------------------------------------------------------------------------- */

static void
decide_numbers (Loop *self)
{
  GHashTableIter iter;
  gpointer ticket, key;
  g_hash_table_iter_init (&iter, self->undecided);
  while (self->error == NULL && g_hash_table_iter_next (&iter, &ticket, &key))
    {
      guint number = rw_explore_number (self->explore, GPOINTER_TO_UINT (ticket));
      if (number == RW_RUN_UNDECIDED)
        continue;
      rw_recording_set_run_number (self->session->recording, key, number, &self->error);
      g_hash_table_iter_remove (&iter);
    }
}

static void
add_run (Loop *self, const RwSchedule *schedule, RwRun *run)
{
  gboolean usable = run->trace != NULL && (run->outcome == RW_OUTCOME_DONE || run->outcome == RW_OUTCOME_LIMIT);
  g_hash_table_insert (self->undecided, GUINT_TO_POINTER (schedule->ticket), g_strdup (run->key));
  rw_explore_add (self->explore, schedule, usable ? run->trace : NULL);
  decide_numbers (self);
  report_progress (self);
}

static void
note_identity (Loop *self, RwRun *run)
{
  g_autofree char *how = rw_divergence_describe (self->session->run0, run);
  self->result->diverged = how != NULL;
  self->result->divergence = g_steal_pointer (&how);
}

static void
finish_work (Loop *self, Work *work, RwLoaded *loaded)
{
  g_autoptr (RwRun) run = rw_session_run (self->session, work->schedule, loaded);
  self->result->executed++;
  if (work->identity)
    note_identity (self, run);
  else if (rw_recording_put_run (self->session->recording, run, &self->error))
    add_run (self, work->schedule, run);
  work_free (work);
}

/* ---- seats --------------------------------------------------------------------------------------------------------- */

static void
seat_clear (Seat *seat)
{
  g_clear_pointer (&seat->host, rw_host_stop);
  seat->state = SEAT_EMPTY;
}

static void
seat_start (Loop *self, Seat *seat)
{
  seat->host = rw_session_start_host (self->session, FALSE, &self->error);
  seat->state = seat->host == NULL ? SEAT_EMPTY : SEAT_STARTING;
}

/* The host has failed before it had anything to do. */
static void
seat_never_ready (Loop *self, Seat *seat, const char *why)
{
  seat_clear (seat);
  self->result->replaced++;
  if (++self->false_starts >= MAX_FALSE_STARTS)
    g_set_error (&self->error, G_IO_ERROR, G_IO_ERROR_FAILED, "no browser can be started: %s", why);
}

/* It happened every time. So it is what this order does to the page; unless not even the recorded order can be run. */
static void
give_up (Loop *self, Work *work, RwLoaded *lost)
{
  if (work->identity)
    {
      g_set_error (&self->error, G_IO_ERROR, G_IO_ERROR_FAILED,
                   "%s: the recorded order itself can't be replayed: %s; record the page again, or try racewalk replay",
                   rw_recording_path (self->session->recording), lost->note);
      work_free (work);
      return;
    }
  self->result->crashed++;
  finish_work (self, work, lost);
}

/* The page or its host has failed under its work; takes @lost if there is one. */
static void
seat_failed (Loop *self, Seat *seat, RwOutcome outcome, const char *why, RwLoaded *lost)
{
  g_autoptr (RwLoaded) nothing = g_new0 (RwLoaded, 1);
  Work *work = g_steal_pointer (&seat->work);
  seat_clear (seat);
  self->result->replaced++;
  if (work == NULL)
    return;
  work->cost += outcome == RW_OUTCOME_HANG ? COST_HANG : COST_CRASH;
  if (work->cost < MAX_COST)
    {
      g_queue_push_head (self->queue, work);
      return;
    }
  nothing->outcome = outcome;
  nothing->note = g_strdup (why);
  nothing->skipped = g_ptr_array_new ();
  nothing->holes = g_ptr_array_new ();
  nothing->missing = g_ptr_array_new ();
  give_up (self, work, lost != NULL ? lost : nothing);
}

static void
seat_loaded (Loop *self, Seat *seat, RwLoaded *loaded)
{
  if (loaded->outcome == RW_OUTCOME_DONE || loaded->outcome == RW_OUTCOME_LIMIT)
    {
      seat->state = SEAT_IDLE;
      finish_work (self, g_steal_pointer (&seat->work), loaded);
    }
  else
    seat_failed (self, seat, loaded->outcome, loaded->note == NULL ? "the page failed" : loaded->note, loaded);
}

/* The host's own words, or silence, in place of an answer. */
static void
seat_broken (Loop *self, Seat *seat, RwOutcome outcome, const char *why)
{
  if (seat->state == SEAT_STARTING)
    seat_never_ready (self, seat, why);
  else
    seat_failed (self, seat, outcome, why, NULL);
}

static void
seat_receive (Loop *self, Seat *seat)
{
  g_autoptr (RwLoaded) loaded = NULL;
  g_autoptr (GError) error = NULL;
  switch (rw_host_receive (seat->host, self->session->space, &loaded, &error))
    {
    case RW_HOST_READY:
      seat->state = SEAT_IDLE;
      self->false_starts = 0;
      break;
    case RW_HOST_LOADED:
      seat_loaded (self, seat, loaded);
      break;
    case RW_HOST_FAILED:
      seat_broken (self, seat, RW_OUTCOME_CRASH, error->message);
      break;
    case RW_HOST_GONE:
      seat_broken (self, seat, RW_OUTCOME_CRASH, "the browser host ended");
      break;
    }
}

static void
seat_give (Loop *self, Seat *seat, Work *work)
{
  g_autofree char *config = rw_session_config (self->session, work->schedule->events);
  seat->work = work;
  seat->state = SEAT_BUSY;
  if (!rw_host_load (seat->host, config))
    seat_broken (self, seat, RW_OUTCOME_CRASH, "the browser host ended");
}

/* ---- the loop ------------------------------------------------------------------------------------------------------ */

/* TRUE: @schedule was run before, in this exploration or an earlier one, and has been answered from the recording. */
static gboolean
answer_from_recording (Loop *self, RwSchedule *schedule)
{
  g_autofree char *key = rw_schedule_key (schedule, self->session->space);
  g_autoptr (RwRun) run = rw_recording_run_by_key (self->session->recording, self->session->space, key, &self->error);
  if (run == NULL)
    return FALSE;
  self->result->reused++;
  add_run (self, schedule, run);
  rw_schedule_free (schedule);
  return TRUE;
}

static Work *
next_work (Loop *self)
{
  Work *waiting = g_queue_pop_head (self->queue);
  if (waiting != NULL)
    return waiting;
  while (!self->done && self->error == NULL)
    {
      RwSchedule *schedule = NULL;
      RwNext next = rw_explore_next (self->explore, &schedule);
      if (next == RW_NEXT_WAIT)
        return NULL;
      if (next != RW_NEXT_RUN)
        {
          self->done = TRUE;
          self->result->end = next == RW_NEXT_LIMIT ? RW_LOOP_LIMIT : RW_LOOP_FINISHED;
          return NULL;
        }
      if (answer_from_recording (self, schedule))
        continue;
      Work *work = g_new0 (Work, 1);
      work->schedule = schedule;
      return work;
    }
  return NULL;
}

static Seat *
find_seat (Loop *self, SeatState state)
{
  for (guint i = 0; i < self->options->jobs; i++)
    if (self->seats[i].state == state)
      return &self->seats[i];
  return NULL;
}

/* Gives out what there is; starts hosts only as far as there is work for them. */
static void
give_out (Loop *self)
{
  while (self->error == NULL)
    {
      Seat *idle = find_seat (self, SEAT_IDLE);
      Seat *empty = find_seat (self, SEAT_EMPTY);
      if (idle == NULL && (empty == NULL || find_seat (self, SEAT_STARTING) != NULL))
        return;
      Work *work = next_work (self);
      if (work == NULL)
        return;
      if (idle != NULL)
        seat_give (self, idle, work);
      else
        {
          g_queue_push_head (self->queue, work);
          seat_start (self, empty);
        }
    }
}

static void
wait_for_hosts (Loop *self)
{
  g_autofree struct pollfd *fds = g_new0 (struct pollfd, self->options->jobs);
  for (guint i = 0; i < self->options->jobs; i++)
    {
      fds[i].fd = self->seats[i].host == NULL ? -1 : rw_host_fd (self->seats[i].host);
      fds[i].events = POLLIN;
    }
  if (poll (fds, self->options->jobs, 200) < 0)
    return;
  for (guint i = 0; i < self->options->jobs && self->error == NULL; i++)
    if (fds[i].fd >= 0 && fds[i].revents != 0)
      seat_receive (self, &self->seats[i]);
    else if (fds[i].fd >= 0 && rw_host_is_overdue (self->seats[i].host))
      seat_broken (self, &self->seats[i], RW_OUTCOME_HANG, "the browser host does not answer");
}

static gboolean
is_busy (Loop *self)
{
  return g_queue_get_length (self->queue) > 0 || find_seat (self, SEAT_BUSY) != NULL;
}

static gboolean
should_stop (Loop *self)
{
  if (rw_stop_asked ())
    self->result->end = RW_LOOP_STOPPED;
  else if (self->options->budget_ms > 0
           && (g_get_monotonic_time () - self->started) / 1000 > self->options->budget_ms)
    self->result->end = RW_LOOP_BUDGET;
  else
    return FALSE;
  return TRUE;
}

static void
queue_identity (Loop *self)
{
  Work *work = g_new0 (Work, 1);
  work->identity = TRUE;
  work->schedule = g_new0 (RwSchedule, 1);
  work->schedule->parent = 0;
  work->schedule->events = g_array_new (FALSE, FALSE, sizeof (RwEvent));
  const RwTrace *trace = self->session->run0->trace;
  for (guint i = 0; i < rw_trace_length (trace); i++)
    {
      RwEvent event = rw_trace_event (trace, i);
      g_array_append_val (work->schedule->events, event);
    }
  g_queue_push_tail (self->queue, work);
}

static void
collect_surprises (Loop *self)
{
  guint n;
  const RwSurprise *surprises = rw_explore_surprises (self->explore, &n);
  self->result->surprises = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (self->result->surprises, g_strdup (surprises[i].what));
}

gboolean
rw_loop (RwSession *session, const RwLoopOptions *options, RwLoopResult *result, GError **error)
{
  Loop self = { .session = session, .options = options, .result = result };
  memset (result, 0, sizeof *result);
  self.explore = rw_explore_new (session->space, &options->explore);
  self.seats = g_new0 (Seat, options->jobs);
  self.queue = g_queue_new ();
  self.undecided = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self.started = g_get_monotonic_time ();
  if (options->check)
    queue_identity (&self);
  for (gboolean go_on = TRUE; go_on && self.error == NULL && !should_stop (&self);)
    {
      give_out (&self);
      go_on = !self.done || is_busy (&self);
      if (go_on && self.error == NULL)
        wait_for_hosts (&self);
    }
  report_progress (&self);
  collect_surprises (&self);
  for (guint i = 0; i < options->jobs; i++)
    {
      g_clear_pointer (&self.seats[i].work, work_free);
      seat_clear (&self.seats[i]);
    }
  g_queue_free_full (self.queue, work_free);
  g_hash_table_unref (self.undecided);
  g_free (self.seats);
  rw_explore_free (self.explore);
  if (self.error == NULL)
    return TRUE;
  g_propagate_error (error, self.error);
  return FALSE;
}
