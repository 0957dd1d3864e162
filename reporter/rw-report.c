/* SPDX-License-Identifier: MIT */
/* Builds the report: a verdict for every run against its parent, equal ones grouped, the smallest witness first. */
#include "rw-report-private.h"

#include <string.h>

/* Parsed runs that are kept for their children; the recording itself is always kept. */
#define KEPT_RUNS 24

G_DEFINE_QUARK (rw - report - error - quark, rw_report_error)

typedef struct
{
  RwRun *run;
  RwState *state; /* NULL: there is none, or it is damaged */
} Loaded;

typedef struct
{
  RwRecording *recording;
  RwSpace *space;
  RwSources *sources;
  GHashTable *noise;
  GHashTable *loaded;   /* number -> Loaded */
  GQueue recent;        /* of numbers */
  GHashTable *by_print; /* fingerprint -> RwFinding */
  GHashTable *pictures; /* hash -> 1-based index */
  RwReport *report;
} Builder;

static void
loaded_free (Loaded *self)
{
  rw_run_free (self->run);
  rw_state_unref (self->state);
  g_free (self);
}

static void
finding_free (RwFinding *self)
{
  g_free (self->fingerprint);
  g_array_unref (self->runs);
  rw_verdict_free (self->verdict);
  g_free (self->mark);
  g_free (self->note);
  rw_source_free (self->first_source);
  rw_source_free (self->second_source);
  g_clear_pointer (&self->before, g_ptr_array_unref);
  g_clear_pointer (&self->after, g_ptr_array_unref);
  g_free (self);
}

void
rw_report_free (RwReport *self)
{
  if (self == NULL)
    return;
  g_free (self->path);
  g_free (self->url);
  g_free (self->scenario);
  g_ptr_array_unref (self->findings);
  g_ptr_array_unref (self->pictures);
  g_ptr_array_unref (self->limits);
  g_free (self);
}

const char *
rw_status_name (RwStatus status)
{
  static const char *const names[] = { "new", "known", "suppressed" };
  return names[status];
}

/* NULL without an error: there is no such run. */
static const Loaded *
load (Builder *self, guint number, GError **error)
{
  Loaded *found = g_hash_table_lookup (self->loaded, GUINT_TO_POINTER (number));
  if (found != NULL)
    return found;
  RwRun *run = rw_recording_run (self->recording, self->space, number, error);
  if (run == NULL)
    return NULL;
  found = g_new0 (Loaded, 1);
  found->run = run;
  found->state = run->state != NULL ? rw_state_new (run->state, NULL) : NULL;
  g_hash_table_insert (self->loaded, GUINT_TO_POINTER (number), found);
  if (number != 0)
    g_queue_push_tail (&self->recent, GUINT_TO_POINTER (number));
  return found;
}

/* Only between two verdicts: what load () gave out is in use until then. */
static void
forget_oldest (Builder *self)
{
  while (g_queue_get_length (&self->recent) > KEPT_RUNS)
    g_hash_table_remove (self->loaded, g_queue_pop_head (&self->recent));
}

static char *
fingerprint_of (Builder *self, const RwVerdict *v)
{
  g_autofree char *a = rw_sources_anchor (self->sources, v->first.place);
  g_autofree char *b = rw_sources_anchor (self->sources, v->second.place);
  guint aspects = 0;
  for (guint i = 0; i < RW_N_ASPECTS; i++)
    aspects |= v->differences->counts[i] > 0 ? 1u << i : 0;
  /* A pair has no order of its own. Where the source is not known, the events' labels stand in. */
  const char *x = *a != '\0' ? a : v->first.event, *y = *b != '\0' ? b : v->second.event;
  gboolean swap = strcmp (x, y) > 0;
  g_autofree char *text = g_strdup_printf ("%s\n%s\n%s\n%s\n%u", rw_class_name (v->class),
                                           v->location != NULL ? v->location : "", swap ? y : x, swap ? x : y, aspects);
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  return g_strndup (hash, 16);
}

static guint
picture (Builder *self, GBytes *png)
{
  if (png == NULL || g_bytes_get_size (png) == 0)
    return 0;
  g_autofree char *hash = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, png);
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (self->pictures, hash));
  if (index == 0)
    {
      g_ptr_array_add (self->report->pictures, g_bytes_ref (png));
      index = self->report->pictures->len;
      g_hash_table_insert (self->pictures, g_steal_pointer (&hash), GUINT_TO_POINTER (index));
    }
  return index;
}

static RwFinding *
make_finding (Builder *self, const Loaded *parent, const Loaded *child, RwVerdict *take_verdict, char *take_fingerprint)
{
  RwFinding *finding = g_new0 (RwFinding, 1);
  const RwRun *run = child->run;
  finding->fingerprint = take_fingerprint;
  finding->verdict = take_verdict;
  finding->harm = take_verdict->harm;
  finding->run = run->number;
  finding->parent = run->parent;
  finding->depth = run->depth;
  finding->runs = g_array_new (FALSE, FALSE, sizeof (guint));
  finding->first_source = rw_sources_find (self->sources, take_verdict->first.place);
  finding->second_source = rw_sources_find (self->sources, take_verdict->second.place);
  finding->before = rw_timeline (parent->run, run, &run->reversal, self->space);
  finding->after = rw_timeline (run, parent->run, &run->reversal, self->space);
  /* A picture shows something only where there is something to see. */
  if (take_verdict->grade == RW_GRADE_DIFFERENT)
    {
      finding->picture_before = picture (self, parent->run->screenshot);
      finding->picture_after = picture (self, run->screenshot);
    }
  return finding;
}

static gboolean
add_run (Builder *self, guint number, GError **error)
{
  const Loaded *child = load (self, number, error);
  if (child == NULL)
    return FALSE;
  RwReport *report = self->report;
  report->n_runs++;
  report->max_depth = MAX (report->max_depth, child->run->depth);
  if (child->run->outcome == RW_OUTCOME_LIMIT)
    g_ptr_array_add (report->limits,
                     g_strdup_printf ("run %u: %s", number, child->run->note != NULL ? child->run->note : "a limit"));
  if (child->run->parent == RW_RUN_NONE)
    return TRUE;
  g_autoptr (GError) local = NULL;
  const Loaded *parent = load (self, child->run->parent, &local);
  if (parent == NULL)
    {
      g_set_error (error, RW_RECORDING_ERROR, RW_RECORDING_ERROR_FORMAT, "%s: %s", report->path,
                   local != NULL ? local->message : "a run's parent is missing; explore the page again");
      return FALSE;
    }
  RwVerdict *verdict
      = rw_verdict_of_states (parent->run, parent->state, child->run, child->state, self->space, self->noise);
  g_autofree char *print = fingerprint_of (self, verdict);
  RwFinding *finding = g_hash_table_lookup (self->by_print, print);
  report->grades[verdict->grade]++;
  if (finding == NULL)
    {
      finding = make_finding (self, parent, child, verdict, g_strdup (print));
      g_ptr_array_add (report->findings, finding);
      g_hash_table_insert (self->by_print, finding->fingerprint, finding);
    }
  else
    rw_verdict_free (verdict);
  g_array_append_val (finding->runs, number);
  forget_oldest (self);
  return TRUE;
}

static int
by_weight (gconstpointer a, gconstpointer b)
{
  const RwFinding *x = *(RwFinding *const *)a, *y = *(RwFinding *const *)b;
  if (x->harm != y->harm)
    return (int)y->harm - (int)x->harm;
  if (x->verdict->grade != y->verdict->grade)
    return (int)y->verdict->grade - (int)x->verdict->grade;
  if (x->verdict->likelihood != y->verdict->likelihood)
    return (int)y->verdict->likelihood - (int)x->verdict->likelihood;
  if (x->depth != y->depth)
    return x->depth < y->depth ? -1 : 1;
  return x->run < y->run ? -1 : x->run > y->run;
}

static void
apply_marks (RwReport *self, GPtrArray *marks)
{
  for (guint i = 0; i < marks->len; i++)
    {
      const RwMark *mark = marks->pdata[i];
      for (guint k = 0; k < self->findings->len; k++)
        {
          RwFinding *finding = self->findings->pdata[k];
          if (strcmp (finding->fingerprint, mark->target) != 0)
            continue;
          finding->mark = g_strdup (mark->verdict);
          finding->note = g_strdup (mark->note);
          finding->harm = strcmp (mark->verdict, "harmful") == 0 ? RW_HARM_HARMFUL : RW_HARM_HARMLESS;
        }
    }
}

/* What is known is left out, what is suppressed stays and says so. */
static gboolean
apply_lists (RwReport *self, const RwReportOptions *options, GError **error)
{
  g_autoptr (GHashTable) suppressed = rw_suppressions_read (options->suppressions, error);
  g_autoptr (GHashTable) known = suppressed != NULL ? rw_baseline_read (options->baseline, error) : NULL;
  if (known == NULL)
    return FALSE;
  for (guint i = 0; i < self->findings->len;)
    {
      RwFinding *finding = self->findings->pdata[i];
      if (g_hash_table_contains (known, finding->fingerprint))
        {
          self->n_known++;
          g_ptr_array_remove_index (self->findings, i);
          continue;
        }
      if (g_hash_table_contains (suppressed, finding->fingerprint))
        {
          finding->status = RW_STATUS_SUPPRESSED;
          finding->harm = RW_HARM_HARMLESS;
          if (finding->note == NULL || *finding->note == '\0')
            {
              g_free (finding->note);
              finding->note = g_strdup (g_hash_table_lookup (suppressed, finding->fingerprint));
            }
        }
      i++;
    }
  return TRUE;
}

static gboolean
build (Builder *self, const RwReportOptions *options, GError **error)
{
  g_autoptr (GArray) numbers = rw_recording_run_numbers (self->recording, error);
  g_autoptr (GPtrArray) marks = numbers != NULL ? rw_recording_marks (self->recording, error) : NULL;
  if (marks == NULL || (self->sources = rw_sources_new (self->recording, error)) == NULL)
    return FALSE;
  if (numbers->len == 0)
    {
      g_set_error (error, RW_REPORT_ERROR, RW_REPORT_ERROR_EMPTY, "%s has no runs yet; racewalk explore makes them",
                   self->report->path);
      return FALSE;
    }
  for (guint i = 0; i < numbers->len; i++)
    if (!add_run (self, g_array_index (numbers, guint, i), error))
      return FALSE;
  apply_marks (self->report, marks);
  if (!apply_lists (self->report, options, error))
    return FALSE;
  g_ptr_array_sort (self->report->findings, by_weight);
  return TRUE;
}

RwReport *
rw_report_new (RwRecording *recording, const RwReportOptions *options, GError **error)
{
  static const RwReportOptions none = { NULL };
  g_autoptr (RwReport) report = g_new0 (RwReport, 1);
  g_autofree char *noise = rw_recording_get (recording, "noise");
  Builder self = { .recording = recording,
                   .report = report,
                   .space = rw_space_new (),
                   .noise = rw_noise_from_text (noise),
                   .recent = G_QUEUE_INIT };
  report->path = g_strdup (rw_recording_path (recording));
  report->url = rw_recording_get (recording, "url");
  report->scenario = rw_recording_get (recording, "scenario");
  report->findings = g_ptr_array_new_with_free_func ((GDestroyNotify)finding_free);
  report->pictures = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  report->limits = g_ptr_array_new_with_free_func (g_free);
  report->served = options != NULL && options->served;
  self.loaded = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)loaded_free);
  self.by_print = g_hash_table_new (g_str_hash, g_str_equal);
  self.pictures = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gboolean ok = build (&self, options != NULL ? options : &none, error);
  g_hash_table_unref (self.by_print);
  g_hash_table_unref (self.loaded);
  g_hash_table_unref (self.pictures);
  g_hash_table_unref (self.noise);
  g_queue_clear (&self.recent);
  rw_sources_free (self.sources);
  rw_space_unref (self.space);
  return ok ? g_steal_pointer (&report) : NULL;
}

guint
rw_report_count (const RwReport *self, RwHarm harm)
{
  guint n = 0;
  for (guint i = 0; i < self->findings->len; i++)
    {
      const RwFinding *finding = self->findings->pdata[i];
      n += finding->status == RW_STATUS_NEW && finding->harm == harm;
    }
  return n;
}

gboolean
rw_report_fails (const RwReport *self, RwFailOn fail_on)
{
  guint harmful = rw_report_count (self, RW_HARM_HARMFUL), suspicious = rw_report_count (self, RW_HARM_SUSPICIOUS);
  switch (fail_on)
    {
    case RW_FAIL_ON_HARMFUL:
      return harmful > 0;
    case RW_FAIL_ON_SUSPICIOUS:
      return harmful + suspicious > 0;
    case RW_FAIL_ON_ANY:
      for (guint i = 0; i < self->findings->len; i++)
        {
          const RwFinding *finding = self->findings->pdata[i];
          if (finding->status == RW_STATUS_NEW && finding->verdict->grade != RW_GRADE_EQUIVALENT)
            return TRUE;
        }
      return FALSE;
    default:
      return FALSE;
    }
}
