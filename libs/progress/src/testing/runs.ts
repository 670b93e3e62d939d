/** Random cases of each law: 500, or what PROPERTY_RUNS says (`npm run test:long`: 10,000). */
export const runs = Number(process.env.PROPERTY_RUNS ?? 500);
