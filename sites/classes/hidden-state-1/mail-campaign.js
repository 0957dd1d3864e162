// Notes where the visitor comes from.
window.campaign = "mail";
