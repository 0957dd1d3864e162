// The search field is ready: put the cursor there.
document.getElementById("search").focus();
