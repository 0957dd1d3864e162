// The colour of the brand, through the CSSOM: the document does not show it, the picture does.
paint("gold");
