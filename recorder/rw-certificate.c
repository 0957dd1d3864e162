/* SPDX-License-Identifier: MIT */
/* Makes a self-signed certificate with GnuTLS and hands it to GLib as PEM; nothing is written to disk. */
#include "rw-certificate.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <string.h>
#include <time.h>

#include "rw-proxy.h"

#define DAY (24 * 60 * 60)

static gboolean
check (int result, const char *what, GError **error)
{
  if (result >= 0)
    return TRUE;
  g_set_error (error, RW_PROXY_ERROR, RW_PROXY_ERROR_CERTIFICATE, "no certificate could be made: %s: %s", what,
               gnutls_strerror (result));
  return FALSE;
}

static gboolean
fill (gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key, GError **error)
{
  guint8 serial[16];
  time_t now = time (NULL);
  const char *name = "Racewalk recording proxy";
  return check (gnutls_rnd (GNUTLS_RND_NONCE, serial, sizeof serial), "serial number", error)
         && (serial[0] &= 0x7f, TRUE) && check (gnutls_x509_crt_set_version (certificate, 3), "version", error)
         && check (gnutls_x509_crt_set_serial (certificate, serial, sizeof serial), "serial number", error)
         && check (gnutls_x509_crt_set_activation_time (certificate, now - DAY), "time", error)
         && check (gnutls_x509_crt_set_expiration_time (certificate, now + 30 * DAY), "time", error)
         && check (gnutls_x509_crt_set_dn_by_oid (certificate, GNUTLS_OID_X520_COMMON_NAME, 0, name, strlen (name)),
                   "name", error)
         && check (gnutls_x509_crt_set_key (certificate, key), "key", error)
         && check (gnutls_x509_crt_sign2 (certificate, certificate, key, GNUTLS_DIG_SHA256, 0), "signature", error);
}

static char *
export_pem (gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key, GError **error)
{
  gnutls_datum_t certificate_pem = { 0 };
  gnutls_datum_t key_pem = { 0 };
  char *pem = NULL;
  if (check (gnutls_x509_crt_export2 (certificate, GNUTLS_X509_FMT_PEM, &certificate_pem), "export", error)
      && check (gnutls_x509_privkey_export2_pkcs8 (key, GNUTLS_X509_FMT_PEM, NULL, GNUTLS_PKCS_PLAIN, &key_pem),
                "export", error))
    pem = g_strdup_printf ("%.*s%.*s", (int)certificate_pem.size, certificate_pem.data, (int)key_pem.size,
                           key_pem.data);
  gnutls_free (certificate_pem.data);
  gnutls_free (key_pem.data);
  return pem;
}

GTlsCertificate *
rw_certificate_new (GError **error)
{
  gnutls_x509_crt_t certificate = NULL;
  gnutls_x509_privkey_t key = NULL;
  g_autofree char *pem = NULL;
  if (check (gnutls_x509_crt_init (&certificate), "start", error)
      && check (gnutls_x509_privkey_init (&key), "start", error)
      && check (gnutls_x509_privkey_generate (key, GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS (GNUTLS_ECC_CURVE_SECP256R1),
                                              0),
                "key", error)
      && fill (certificate, key, error))
    pem = export_pem (certificate, key, error);
  if (key != NULL)
    gnutls_x509_privkey_deinit (key);
  if (certificate != NULL)
    gnutls_x509_crt_deinit (certificate);
  return pem != NULL ? g_tls_certificate_new_from_pem (pem, -1, error) : NULL;
}
