// Starts with the data that the page has fetched.
window.data = JSON.parse(document.getElementById("data").textContent);
