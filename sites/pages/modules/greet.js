export const greet = name => `Hello ${name}, from ${new URL(import.meta.url).pathname}`;
