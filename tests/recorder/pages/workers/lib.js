const extra = { by: 2 }; function twice(n) { return n * 2 + extra.by; }
