/** Keys of cached reports. */
export const reportsKey = ['reports'] as const;

export function reportKey(id: string): readonly ['report', string] {
  return ['report', id];
}
