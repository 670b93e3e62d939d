import type { HeatScale, HeatValue } from '#charts';

/** The choices of a heat map, as its settings and its legend call them. */
export const valueNames: Readonly<Record<HeatValue, string>> = { max: 'Largest value', min: 'Smallest value', last: 'Last value' };
export const scaleNames: Readonly<Record<HeatScale, string>> = { linear: 'Linear', log: 'Log' };
