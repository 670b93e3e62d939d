/**
 * Maximum entries in a list to choose from: longer lists are unusable, and rendering thousands of
 * entries is slow.
 */
export const maxChoices = 500;
