function lib() { return "lib"; }
