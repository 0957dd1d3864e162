/* SPDX-License-Identifier: MIT */
/* 128-bit hashes that can be summed, so that what they describe has no order. Not meant against an attacker. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 a, b;
} RwHash;

static inline guint64
rw_mix64 (guint64 x)
{
  x ^= x >> 30;
  x *= G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  x ^= x >> 27;
  x *= G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return x ^ (x >> 31);
}

/* @hash followed by @value; order matters. */
static inline RwHash
rw_hash_mix (RwHash hash, guint64 value)
{
  return (RwHash){ rw_mix64 (hash.a + value * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) + 1),
                   rw_mix64 ((hash.b ^ rw_mix64 (value + G_GUINT64_CONSTANT (0xd1342543de82ef95))) + 0x632be5ab) };
}

static inline RwHash
rw_hash_join (RwHash hash, RwHash other)
{
  return rw_hash_mix (rw_hash_mix (hash, other.a), other.b);
}

/* Order does not matter. */
static inline RwHash
rw_hash_sum (RwHash hash, RwHash other)
{
  return (RwHash){ hash.a + other.a, hash.b + other.b };
}

static inline guint
rw_hash_hash (gconstpointer hash)
{
  return (guint)((const RwHash *)hash)->a;
}

static inline gboolean
rw_hash_equal (gconstpointer a, gconstpointer b)
{
  const RwHash *x = a, *y = b;
  return x->a == y->a && x->b == y->b;
}

G_END_DECLS
