/** Roles from the one that may do most, and what each is for (docs/security.md has all of it). */
export const roleTexts: readonly (readonly [string, string])[] = [
  ['owner', 'may do everything, also delete the workspace and make others owners'],
  ['admin', 'invites and removes people, and may delete and share what others made'],
  ['member', 'uploads, and deletes and shares what is theirs'],
  ['viewer', 'looks at everything'],
];

/** What somebody of this role may make others: no more than they are themselves. */
export function rolesUpTo(role: string): string[] {
  const names = roleTexts.map(([name]) => name);
  const at = names.indexOf(role);
  return at < 0 ? [] : names.slice(at);
}
