importScripts("lib.js");
onmessage = event => { postMessage(twice(event.data)); };
postMessage("ready");
