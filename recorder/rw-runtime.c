/* SPDX-License-Identifier: MIT */
/* Puts the runtime's files together: one function, one lexical name, nothing on the window. */
#include "rw-runtime.h"

static const char *const parts[] = {
  rw_runtime_natives,  rw_runtime_access,  rw_runtime_state,  rw_runtime_disguise, rw_runtime_frames,
  rw_runtime_scheduler,
  rw_runtime_clock,    rw_runtime_listeners, rw_runtime_dom, rw_runtime_domaccess,
  rw_runtime_dommethods, rw_runtime_document, rw_runtime_timers, rw_runtime_network,
  rw_runtime_messages, rw_runtime_completions, rw_runtime_arrivals, rw_runtime_measured, rw_runtime_workers, rw_runtime_observed, rw_runtime_input,  rw_runtime_steps,  rw_runtime_start,
};

char *
rw_runtime_config_script (const char *config)
{
  /* After document.open () user scripts run a second time in the same window, where the runtime is already. */
  return g_strdup_printf ("if (typeof $rw$ === \"undefined\") globalThis.__rwConfig = %s;\n", config);
}

char *
rw_runtime_script (void)
{
  /* A runtime that fails to start says so: otherwise nobody would hear of it. */
  GString *script = g_string_new ("const $rw$ = (($rwConfig, $rwNative) => { \"use strict\"; try {\n"
                                  "delete globalThis.__rwConfig;\n"
                                  "const $rwRoot = ($rwNative.root && $rwNative.root()) || null;\n"
                                  "const nativeRewrite = $rwNative.rewrite;\n");
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    g_string_append (script, parts[i]);
  g_string_append (script, "\n} catch (error) {\nif ($rwNative.listen) $rwNative.say(\"broken\", JSON.stringify({ why: "
                           "String(error), where: String(error.stack) }));\nthrow error;\n"
                           "} })(globalThis.__rwConfig, globalThis.__rwNative);\n");
  return g_string_free (script, FALSE);
}

char *
rw_runtime_worker (void)
{
  return g_strconcat ("(() => { \"use strict\";\n", rw_runtime_natives, rw_runtime_access,
                      "\nObjectDefineProperty(globalThis, \"$rw$\", { value: accessHooks });\n"
                      "const load = self.importScripts, tell = self.postMessage.bind(self), base = self.location.href, Address = URL;\n"
                      "if (load) self.importScripts = function importScripts() {\n"
                      "  tell({ $rwImports: ArrayMap(ArraySlice(arguments), (url) => new Address(url, base).href) });\n"
                      "  return ReflectApply(load, self, arguments);\n"
                      "};\n})();\n",
                      NULL);
}
