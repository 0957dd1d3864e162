// Counts visits; has nothing to do with the slide show, and no conflict with it.
var statistics = { page: location.pathname, width: window.innerWidth, visits: 1 };
