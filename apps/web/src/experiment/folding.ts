import type { View } from '#charts';

/** Which groups of tags are collapsed. */
export type Folding = Pick<View, 'folded' | 'unfolded'>;

/** Stands for all groups, because no group name starts with a slash. */
const all = '/all';

/** Whether a group is collapsed. `byDefault`: its state unless the view overrides it. */
export function isFolded({ folded, unfolded }: Folding, group: string, byDefault: boolean): boolean {
  if (folded.includes(group)) return true;
  if (unfolded.includes(group)) return false;
  if (folded.includes(all)) return true;
  return byDefault && !unfolded.includes(all);
}

/** Collapses or expands a group. */
export function toggleGroup({ folded, unfolded }: Folding, group: string, byDefault: boolean): Folding {
  const others = { folded: folded.filter((one) => one !== group), unfolded: unfolded.filter((one) => one !== group) };
  const wanted = !isFolded({ folded, unfolded }, group, byDefault);
  if (isFolded(others, group, byDefault) === wanted) return others;
  return wanted ? { ...others, folded: [...others.folded, group] } : { ...others, unfolded: [...others.unfolded, group] };
}

/** Collapses or expands all groups. */
export function foldAll(fold: boolean): Folding {
  return fold ? { folded: [all], unfolded: [] } : { folded: [], unfolded: [all] };
}
