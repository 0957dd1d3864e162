export const word = "word";
