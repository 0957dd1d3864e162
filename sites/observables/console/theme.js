// Light is also what is used without settings.
if (!window.settings)
  console.warn("no settings, using the light theme");
