/** Random cases per property: 500, or PROPERTY_RUNS (`npm run test:long`: 10,000). */
export const runs = Number(process.env.PROPERTY_RUNS ?? 500);
