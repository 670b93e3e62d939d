/**
 * The 97.5th percentiles of Student's t distribution with 1 to 30 degrees of freedom
 * (scipy.stats.t.ppf(0.975, df)).
 */
const few = [
  12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139, 2.200985, 2.178813, 2.160369,
  2.144787, 2.13145, 2.119905, 2.109816, 2.100922, 2.093024, 2.085963, 2.079614, 2.073873, 2.068658, 2.063899, 2.059539, 2.055529, 2.051831,
  2.048407, 2.04523, 2.042272,
] as const;

/**
 * Half-width of the 95 % confidence interval of a mean, in standard errors, if the deviation is
 * estimated from `freedom` + 1 values (1 or more): the 97.5th percentile of Student's t. Beyond 30,
 * uses the expansion of Abramowitz and Stegun 26.7.5, which is accurate to six digits there.
 */
export function t95(freedom: number): number {
  const known = few[freedom - 1];
  if (known !== undefined) return known;
  const z = 1.959963984540054;
  const [one, two, three] = [
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
  ];
  return z + one / freedom + two / freedom ** 2 + three / freedom ** 3;
}
