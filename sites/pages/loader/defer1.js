order.push("defer1");
