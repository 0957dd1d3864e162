order.push("dynamic1");
