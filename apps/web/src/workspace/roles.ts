/** Roles from the one that may do most, and what each is for (docs/security.md has all of it). */
export const roleTexts: readonly (readonly [string, string])[] = [
  ['owner', 'can do everything, including deleting the workspace and transferring ownership'],
  ['admin', 'invites and removes people; deletes and shares anything'],
  ['member', 'uploads; deletes and shares their own experiments'],
  ['viewer', 'reads everything'],
];

/** What somebody of this role may make others: no more than they are themselves. */
export function rolesUpTo(role: string): string[] {
  const names = roleTexts.map(([name]) => name);
  const at = names.indexOf(role);
  return at < 0 ? [] : names.slice(at);
}
