order.push("async");
