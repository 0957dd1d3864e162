// Notes the theme for a style sheet that is still to come.
document.getElementById("article").setAttribute("data-theme", "light");
