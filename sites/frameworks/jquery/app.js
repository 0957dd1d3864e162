// A to-do list in the old style.
$(function () {
  $("#new").on("keydown", function (event) {
    if (event.key !== "Enter" || !this.value)
      return;
    $("<li>").text(this.value).appendTo("#list");
    $(this).val("");
  });
  $("#list").on("click", "li", function () {
    $(this).toggleClass("done");
  });
});
