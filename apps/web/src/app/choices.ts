/** Entries of a list to choose from: nobody finds anything in more, and thousands are slow. */
export const mostChoices = 500;
