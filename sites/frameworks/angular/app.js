// A to-do list with two-way binding.
angular.module("todo", []).controller("Todo", ["$scope", function ($scope) {
  $scope.items = [];
  $scope.text = "";
  $scope.add = function (event) {
    if (event.key !== "Enter" || !$scope.text)
      return;
    $scope.items.push({ text: $scope.text, done: false });
    $scope.text = "";
  };
}]);
