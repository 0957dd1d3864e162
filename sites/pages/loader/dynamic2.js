order.push("dynamic2");
