/**
 * Maximum entries of a list to choose from: longer lists are unusable, and thousands of entries are
 * slow.
 */
export const maxChoices = 500;
