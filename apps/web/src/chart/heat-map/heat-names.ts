import type { HeatScale, HeatValue } from '#charts';

/** The names of a heat map's options in its settings and its legend. */
export const valueNames: Readonly<Record<HeatValue, string>> = { max: 'Largest value', min: 'Smallest value', last: 'Last value' };
export const scaleNames: Readonly<Record<HeatScale, string>> = { linear: 'Linear', log: 'Log' };
