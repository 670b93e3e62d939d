/** Roles, most powerful first, and the purpose of each (docs/security.md has the details). */
export const roleTexts: readonly (readonly [string, string])[] = [
  ['owner', 'can do everything, including deleting the workspace and transferring ownership'],
  ['admin', 'invites and removes people; deletes and shares anything'],
  ['member', 'uploads; deletes and shares their own experiments'],
  ['viewer', 'reads everything'],
];

/** The roles that a member with this role may assign: none above their own. */
export function rolesUpTo(role: string): string[] {
  const names = roleTexts.map(([name]) => name);
  const at = names.indexOf(role);
  return at < 0 ? [] : names.slice(at);
}
