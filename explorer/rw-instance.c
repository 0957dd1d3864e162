/* SPDX-License-Identifier: MIT */
/* A trie for each event: a node is a run of reads whose versions were these, a branch another version at one of them.
 */
#include "rw-instance.h"

#include "rw-explore-break.h"
#include "rw-filter.h"
#include "rw-space-private.h"

#include <string.h>

typedef struct
{
  RwEffect *effect; /* its reads are valid for this node up to the end */
  guint first;      /* the read at which the node begins */
  RwInstance instance;
  RwInstance *versions; /* of the reads from @first on */
  GHashTable *branches; /* BranchKey -> Node; NULL: none */
} Node;

typedef struct
{
  guint32 at; /* the read */
  RwInstance version;
} BranchKey;

typedef struct
{
  RwEvent event; /* RW_EVENT_NONE: a version that several events made */
  RwEffect *effect;
  RwInstance base; /* of such a version */
  guint64 sum;
} Entry;

/* What the event at hand did to a location so far. */
typedef struct
{
  guint32 stamp; /* of that event */
  guint32 mode;
  RwValue last; /* after it; 0: not known */
  gboolean in_reads;
} Touch;

struct _RwInstances
{
  RwSpace *space;
  guint filters;
  GArray *roots;        /* of Node *, by event */
  GArray *entries;      /* of Entry, by instance */
  GHashTable *effects;  /* content -> RwEffect */
  GHashTable *compound; /* RwHash -> RwInstance: versions that several events made, and contradictions */
  GArray *start;        /* of RwValue, by location */
  GArray *touches;      /* of Touch, by location */
  GArray *touched;      /* of RwLocation, in order */
  GArray *reads;        /* of RwAccess */
  GArray *accesses;     /* of RwAccess */
  GArray *seen;         /* of RwInstance: the versions of @reads */
  GArray *values;       /* of RwValue, by location: what is there now; 0: not known */
  GArray *acts;         /* of RwAct */
  guint32 stamp;
};

/* --- effects --- */

static guint
effect_hash (gconstpointer data)
{
  const RwEffect *effect = data;
  guint64 hash = effect->n_reads * 31 + effect->n_accesses;
  for (guint i = 0; i < effect->n_reads; i++)
    hash = rw_mix64 (hash + effect->reads[i].location * 4ull + effect->reads[i].mode);
  for (guint i = 0; i < effect->n_accesses; i++)
    hash = rw_mix64 (hash + effect->accesses[i].location * 4ull + effect->accesses[i].mode);
  for (guint i = 0; i < effect->n_acts; i++)
    hash = rw_mix64 (hash + effect->acts[i].event * 2ull + (guint64)effect->acts[i].cancel);
  return (guint)hash;
}

static gboolean
same_bytes (gconstpointer a, gconstpointer b, gsize size)
{
  return size == 0 || memcmp (a, b, size) == 0;
}

static gboolean
effect_equal (gconstpointer a, gconstpointer b)
{
  const RwEffect *x = a, *y = b;
  return x->n_reads == y->n_reads && x->n_accesses == y->n_accesses && x->n_acts == y->n_acts
         && same_bytes (x->reads, y->reads, sizeof *x->reads * x->n_reads)
         && same_bytes (x->accesses, y->accesses, sizeof *x->accesses * x->n_accesses)
         && same_bytes (x->acts, y->acts, sizeof *x->acts * x->n_acts);
}

static void
effect_free (gpointer data)
{
  RwEffect *effect = data;
  g_free (effect->reads);
  g_free (effect->accesses);
  g_free (effect->acts);
  g_free (effect);
}

static RwEffect *
intern_effect (RwInstances *self, const RwEffect *effect)
{
  RwEffect *known = g_hash_table_lookup (self->effects, effect);
  if (known != NULL)
    return known;
  known = g_new (RwEffect, 1);
  *known = *effect;
  known->reads = g_memdup2 (effect->reads, sizeof *effect->reads * effect->n_reads);
  known->accesses = g_memdup2 (effect->accesses, sizeof *effect->accesses * effect->n_accesses);
  known->acts = g_memdup2 (effect->acts, sizeof *effect->acts * effect->n_acts);
  g_hash_table_add (self->effects, known);
  return known;
}

/* --- nodes --- */

static guint
branch_hash (gconstpointer key)
{
  const BranchKey *branch = key;
  return (guint)rw_mix64 ((guint64)branch->at << 32 | branch->version);
}

static gboolean
branch_equal (gconstpointer a, gconstpointer b)
{
  const BranchKey *x = a, *y = b;
  return x->at == y->at && x->version == y->version;
}

static void
node_free (gpointer data)
{
  Node *node = data;
  g_clear_pointer (&node->branches, g_hash_table_unref);
  g_free (node->versions);
  g_free (node);
}

static Node *
node_new (RwEffect *effect, guint first, const RwInstance *versions, RwInstance instance)
{
  Node *node = g_new0 (Node, 1);
  node->effect = effect;
  node->first = first;
  node->instance = instance;
  if (effect->n_reads > first)
    node->versions = g_memdup2 (versions + first, sizeof *versions * (effect->n_reads - first));
  return node;
}

RwInstances *
rw_instances_new (RwSpace *space, guint filters)
{
  RwInstances *self = g_new0 (RwInstances, 1);
  Entry none = { .event = RW_EVENT_NONE };
  self->space = rw_space_ref (space);
  self->filters = filters;
  self->roots = g_array_new (FALSE, TRUE, sizeof (Node *));
  self->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_array_append_val (self->entries, none);
  self->effects = g_hash_table_new_full (effect_hash, effect_equal, effect_free, NULL);
  self->compound = g_hash_table_new_full (rw_hash_hash, rw_hash_equal, g_free, NULL);
  self->start = g_array_new (FALSE, TRUE, sizeof (RwValue));
  self->touches = g_array_new (FALSE, TRUE, sizeof (Touch));
  self->touched = g_array_new (FALSE, FALSE, sizeof (RwLocation));
  self->reads = g_array_new (FALSE, FALSE, sizeof (RwAccess));
  self->accesses = g_array_new (FALSE, FALSE, sizeof (RwAccess));
  self->seen = g_array_new (FALSE, FALSE, sizeof (RwInstance));
  self->values = g_array_new (FALSE, TRUE, sizeof (RwValue));
  self->acts = g_array_new (FALSE, TRUE, sizeof (RwAct));
  return self;
}

void
rw_instances_free (RwInstances *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->roots->len; i++)
    g_clear_pointer (&g_array_index (self->roots, Node *, i), node_free);
  g_array_unref (self->roots);
  g_array_unref (self->entries);
  g_hash_table_unref (self->effects);
  g_hash_table_unref (self->compound);
  g_array_unref (self->start);
  g_array_unref (self->touches);
  g_array_unref (self->touched);
  g_array_unref (self->reads);
  g_array_unref (self->accesses);
  g_array_unref (self->seen);
  g_array_unref (self->values);
  g_array_unref (self->acts);
  rw_space_unref (self->space);
  g_free (self);
}

RwEvent
rw_instance_event (const RwInstances *self, RwInstance instance)
{
  return g_array_index (self->entries, Entry, instance).event;
}

const RwEffect *
rw_instance_effect (const RwInstances *self, RwInstance instance)
{
  return g_array_index (self->entries, Entry, instance).effect;
}

guint
rw_instances_count (const RwInstances *self)
{
  return self->entries->len - 1;
}

/* --- versions --- */

void
rw_versions_init (RwVersions *self)
{
  self->of = g_array_new (FALSE, TRUE, sizeof (RwInstance));
}

void
rw_versions_clear (RwVersions *self)
{
  g_clear_pointer (&self->of, g_array_unref);
}

void
rw_versions_reset (RwVersions *self, const RwSpace *space)
{
  g_array_set_size (self->of, 0);
  g_array_set_size (self->of, rw_space_n_locations (space));
}

static RwInstance
intern_compound (RwInstances *self, RwHash key, Entry entry)
{
  gpointer found;
  if (g_hash_table_lookup_extended (self->compound, &key, NULL, &found))
    return GPOINTER_TO_UINT (found);
  RwInstance instance = self->entries->len;
  g_array_append_val (self->entries, entry);
  g_hash_table_insert (self->compound, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (instance));
  return instance;
}

/* The version after @instance added something: the same whatever the order of the additions. */
static RwInstance
version_added (RwInstances *self, RwInstance old, RwInstance instance)
{
  const Entry *entry = &g_array_index (self->entries, Entry, old);
  gboolean sum = old != 0 && entry->event == RW_EVENT_NONE && entry->sum != 0;
  Entry next = { .event = RW_EVENT_NONE, .base = sum ? entry->base : old };
  next.sum = (sum ? entry->sum : 0) + (rw_mix64 (instance) | 1);
  RwHash key = rw_hash_mix (rw_hash_mix (rw_hash_mix ((RwHash){ 0 }, 1), next.base), next.sum);
  return intern_compound (self, key, next);
}

/* The version that everybody sees who asks for @value to be put where nothing is: whoever came first. */
static RwInstance
version_inited (RwInstances *self, RwInstance old, RwValue value)
{
  Entry next = { .event = RW_EVENT_NONE, .base = value, .effect = NULL };
  const Entry *entry = &g_array_index (self->entries, Entry, old);
  RwHash key = rw_hash_mix (rw_hash_mix (rw_hash_mix ((RwHash){ 0 }, 2), old), value);
  if (old != 0 && entry->event == RW_EVENT_NONE && entry->sum == 0 && entry->base == value)
    return old;
  return intern_compound (self, key, next);
}

void
rw_instances_apply (RwInstances *self, RwInstance instance, RwVersions *versions)
{
  const RwEffect *effect = rw_instance_effect (self, instance);
  for (guint i = 0; i < effect->n_accesses; i++)
    {
      const RwAccess *access = &effect->accesses[i];
      if (access->mode == RW_MODE_READ)
        continue;
      if (versions->of->len <= access->location)
        g_array_set_size (versions->of, access->location + 1);
      RwInstance *at = &g_array_index (versions->of, RwInstance, access->location);
      if (access->mode == RW_MODE_WRITE)
        *at = instance;
      else if (access->mode == RW_MODE_ADD)
        *at = version_added (self, *at, instance);
      else
        *at = version_inited (self, *at, access->mode - RW_MODE_INIT);
    }
}

/* What @read sees. */
static RwInstance
seen_by (RwInstances *self, const RwAccess *read, const RwVersions *versions)
{
  RwInstance raw = read->location < versions->of->len ? g_array_index (versions->of, RwInstance, read->location) : 0;
  return read->mode < RW_MODE_INIT ? raw : version_inited (self, raw, read->mode - RW_MODE_INIT);
}

gboolean
rw_instances_knows (const RwInstances *self, RwEvent event)
{
  return event < self->roots->len && g_array_index (self->roots, Node *, event) != NULL;
}

RwInstance
rw_instances_find (RwInstances *self, RwEvent event, const RwVersions *versions)
{
  const Node *node = rw_instances_knows (self, event) ? g_array_index (self->roots, Node *, event) : NULL;

  for (guint at = 0; node != NULL && at < node->effect->n_reads; at++)
    {
      RwInstance seen = seen_by (self, &node->effect->reads[at], versions);
      if (seen != node->versions[at - node->first] && !rw_explore_breaks (RW_BREAK_VERSIONS))
        {
          BranchKey key = { at, seen };
          node = node->branches == NULL ? NULL : g_hash_table_lookup (node->branches, &key);
        }
    }
  return node == NULL ? 0 : node->instance;
}

/* --- from a trace: the ops of one event, merged --- */

static Touch *
touch (RwInstances *self, RwLocation location, gboolean *first)
{
  if (self->touches->len <= location)
    g_array_set_size (self->touches, location + 1);
  Touch *touch = &g_array_index (self->touches, Touch, location);
  *first = touch->stamp != self->stamp;
  if (*first)
    {
      *touch = (Touch){ .stamp = self->stamp };
      g_array_append_val (self->touched, location);
    }
  return touch;
}

static void
add_read (RwInstances *self, Touch *at, RwLocation location, guint32 mode)
{
  RwAccess read = { location, mode };
  if (!at->in_reads)
    g_array_append_val (self->reads, read);
  at->in_reads = TRUE;
}

static void
merge_read (RwInstances *self, RwLocation location)
{
  gboolean first;
  Touch *at = touch (self, location, &first);
  if (first || (at->mode == RW_MODE_ADD && !rw_explore_breaks (RW_BREAK_COUNTER)))
    {
      add_read (self, at, location, RW_MODE_READ);
      at->mode = first ? RW_MODE_READ : RW_MODE_WRITE;
    }
}

static void
merge_write (RwInstances *self, RwLocation location, RwValue value)
{
  gboolean first;
  Touch *at = touch (self, location, &first);
  at->mode = RW_MODE_WRITE;
  at->last = value;
  /* Whether the write changes anything depends on what was there. */
  if ((self->filters & RW_FILTER_SAME_VALUE) != 0)
    add_read (self, at, location, RW_MODE_READ);
}

static void
merge_add (RwInstances *self, RwLocation location)
{
  gboolean first, commutes = (self->filters & RW_FILTER_COUNTER) != 0;
  Touch *at = touch (self, location, &first);
  if (commutes && (first || at->mode == RW_MODE_ADD))
    at->mode = RW_MODE_ADD;
  else
    {
      if (first)
        add_read (self, at, location, RW_MODE_READ);
      at->mode = RW_MODE_WRITE;
      at->last = 0;
    }
}

static void
merge_init (RwInstances *self, const RwOp *op)
{
  gboolean first, commutes = (self->filters & RW_FILTER_LAZY_INIT) != 0 && op->value != 0;
  Touch *at = touch (self, op->target, &first);
  guint32 mode = RW_MODE_INIT + (rw_explore_breaks (RW_BREAK_LAZY_INIT) ? 1 : op->value);
  if (commutes && first)
    {
      at->mode = mode;
      at->last = (op->flags & RW_OP_FAILED) != 0 ? op->value : 0;
      add_read (self, at, op->target, mode);
      return;
    }
  if (at->mode == mode)
    return;
  if (first)
    add_read (self, at, op->target, RW_MODE_READ);
  if (at->mode == RW_MODE_ADD)
    merge_read (self, op->target);
  if ((op->flags & RW_OP_FAILED) != 0)
    merge_write (self, op->target, op->value);
}

static void
merge_op (RwInstances *self, const RwOp *op)
{
  RwAct act = { op->target, op->kind == RW_OP_CANCEL };
  if (op->kind == RW_OP_POST || op->kind == RW_OP_CANCEL)
    g_array_append_val (self->acts, act);
  else if (op->kind == RW_OP_READ)
    merge_read (self, op->target);
  else if ((op->flags & RW_OP_ADD) != 0)
    merge_add (self, op->target);
  else if ((op->flags & RW_OP_INIT) != 0)
    merge_init (self, op);
  else
    merge_write (self, op->target, op->value);
}

static RwValue *
value_at (GArray *values, RwLocation location)
{
  if (values->len <= location)
    g_array_set_size (values, location + 1);
  return &g_array_index (values, RwValue, location);
}

/* Into the mode that counts, and the values as they are after the event. */
static void
settle (RwInstances *self, RwLocation location)
{
  Touch *at = &g_array_index (self->touches, Touch, location);
  RwValue *value = value_at (self->values, location);
  gboolean same = at->last == *value || rw_explore_breaks (RW_BREAK_SAME_VALUE);
  if (at->mode == RW_MODE_WRITE && at->last != 0 && same && (self->filters & RW_FILTER_SAME_VALUE) != 0)
    at->mode = RW_MODE_READ;
  else if (at->mode == RW_MODE_WRITE || (at->mode >= RW_MODE_INIT && at->last != 0))
    *value = at->last;
  else if (at->mode == RW_MODE_ADD)
    *value = 0;
  RwAccess access = { location, at->mode };
  g_array_append_val (self->accesses, access);
}

static RwEffect *
effect_of (RwInstances *self, const RwOp *ops, guint n)
{
  self->stamp++;
  g_array_set_size (self->touched, 0);
  g_array_set_size (self->reads, 0);
  g_array_set_size (self->accesses, 0);
  g_array_set_size (self->acts, 0);
  for (guint i = 0; i < n; i++)
    merge_op (self, &ops[i]);
  for (guint i = 0; i < self->touched->len; i++)
    settle (self, g_array_index (self->touched, RwLocation, i));
  RwEffect effect = { self->reads->len,
                      self->accesses->len,
                      self->acts->len,
                      (RwAccess *)(gpointer)self->reads->data,
                      (RwAccess *)(gpointer)self->accesses->data,
                      (RwAct *)(gpointer)self->acts->data };
  return intern_effect (self, &effect);
}

/* --- learning --- */

static RwInstance
new_instance (RwInstances *self, RwEvent event, RwEffect *effect)
{
  Entry entry = { .event = event, .effect = effect };
  g_array_append_val (self->entries, entry);
  return self->entries->len - 1;
}

/* The event did something else than before on the same versions: kept apart, and never used to predict. */
static RwInstance
rival (RwInstances *self, RwEvent event, RwEffect *effect)
{
  RwHash key = rw_hash_mix (rw_hash_mix (rw_hash_mix ((RwHash){ 0 }, 3), event), (guintptr)effect);
  for (guint i = 0; i < self->seen->len; i++)
    key = rw_hash_mix (key, g_array_index (self->seen, RwInstance, i));
  return intern_compound (self, key, (Entry){ .event = event, .effect = effect });
}

static RwInstance
add_branch (RwInstances *self, Node *node, guint at, RwEvent event, RwEffect *effect)
{
  const RwInstance *seen = (const RwInstance *)(gpointer)self->seen->data;
  BranchKey key = { at, seen[at] };
  Node *branch = node_new (effect, at + 1, seen, new_instance (self, event, effect));
  if (node->branches == NULL)
    node->branches = g_hash_table_new_full (branch_hash, branch_equal, g_free, node_free);
  g_hash_table_insert (node->branches, g_memdup2 (&key, sizeof key), branch);
  return branch->instance;
}

static RwInstance
learn_event (RwInstances *self, RwEvent event, RwEffect *effect, guint *contradictions)
{
  const RwInstance *seen = (const RwInstance *)(gpointer)self->seen->data;
  if (self->roots->len <= event)
    g_array_set_size (self->roots, event + 1);
  Node **root = &g_array_index (self->roots, Node *, event), *node = *root;
  if (node == NULL)
    {
      *root = node_new (effect, 0, seen, new_instance (self, event, effect));
      return (*root)->instance;
    }
  guint at = 0;
  for (; at < node->effect->n_reads && at < effect->n_reads; at++)
    {
      if (memcmp (&node->effect->reads[at], &effect->reads[at], sizeof (RwAccess)) != 0)
        break;
      if (seen[at] == node->versions[at - node->first])
        continue;
      BranchKey key = { at, seen[at] };
      Node *branch = node->branches == NULL ? NULL : g_hash_table_lookup (node->branches, &key);
      if (branch == NULL)
        return add_branch (self, node, at, event, effect);
      node = branch;
    }
  if (at == effect->n_reads && node->effect == effect)
    return node->instance;
  ++*contradictions;
  return rival (self, event, effect);
}

void
rw_instances_set_start (RwInstances *self, const RwTrace *trace)
{
  g_autoptr (GHashTable) met = g_hash_table_new (NULL, NULL);
  for (guint i = 0, n; i < rw_trace_length (trace); i++)
    {
      const RwOp *ops = rw_trace_ops (trace, i, &n);
      for (guint j = 0; j < n; j++)
        if (ops[j].kind <= RW_OP_WRITE && g_hash_table_add (met, GUINT_TO_POINTER (ops[j].target + 1))
            && ops[j].kind == RW_OP_READ)
          *value_at (self->start, ops[j].target) = ops[j].value;
    }
}

GArray *
rw_instances_learn (RwInstances *self, const RwTrace *trace, guint *contradictions)
{
  GArray *instances = g_array_sized_new (FALSE, FALSE, sizeof (RwInstance), rw_trace_length (trace));
  guint ignored = 0;
  RwVersions versions;

  rw_versions_init (&versions);
  rw_versions_reset (&versions, self->space);
  g_array_set_size (self->values, 0);
  if (self->start->len > 0)
    g_array_append_vals (self->values, self->start->data, self->start->len);
  for (guint i = 0, n; i < rw_trace_length (trace); i++)
    {
      const RwOp *ops = rw_trace_ops (trace, i, &n);
      RwEffect *effect = effect_of (self, ops, n);
      g_array_set_size (self->seen, effect->n_reads);
      for (guint j = 0; j < effect->n_reads; j++)
        g_array_index (self->seen, RwInstance, j) = seen_by (self, &effect->reads[j], &versions);
      RwInstance instance
          = learn_event (self, rw_trace_event (trace, i), effect, contradictions != NULL ? contradictions : &ignored);
      rw_instances_apply (self, instance, &versions);
      g_array_append_val (instances, instance);
    }
  rw_versions_clear (&versions);
  return instances;
}
