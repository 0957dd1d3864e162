order.push("blocking");
