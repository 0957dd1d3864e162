// SPDX-License-Identifier: MIT
// The end of the runtime: what rewritten code may call, and the first event.
const hooksForPage = Object.freeze({ ...accessHooks, script: documents.inlineScript });
captureState.ready();
if ($rwRoot === null) {
  scheduler.open();
  scheduler.startWith(documents.first);
}
return hooksForPage;
