/** Roles, the most powerful first, with the purpose of each (docs/security.md has the details). */
export const roleTexts: readonly (readonly [string, string])[] = [
  ['owner', 'can do everything, including deleting the workspace and transferring ownership'],
  ['admin', 'can invite and remove people, and delete and share anything'],
  ['member', 'can upload, and delete and share their own experiments'],
  ['viewer', 'can view everything'],
];

/** The roles that a member with this role may assign: none above the member's own. */
export function rolesUpTo(role: string): string[] {
  const names = roleTexts.map(([name]) => name);
  const at = names.indexOf(role);
  return at < 0 ? [] : names.slice(at);
}
