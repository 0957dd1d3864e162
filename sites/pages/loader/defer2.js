order.push("defer2");
