/**
 * Identifiers of the SPDX License List that authors of data and code commonly use. Other strings
 * are shown unchanged.
 */
const spdxIdentifiers = [
  'CC0-1.0',
  'CC-BY-4.0',
  'CC-BY-SA-4.0',
  'CC-BY-NC-4.0',
  'CC-BY-NC-SA-4.0',
  'CC-BY-ND-4.0',
  'CC-BY-NC-ND-4.0',
  'CC-BY-3.0',
  'CC-BY-SA-3.0',
  'ODbL-1.0',
  'ODC-By-1.0',
  'PDDL-1.0',
  'CDLA-Permissive-2.0',
  'CDLA-Sharing-1.0',
  'Apache-2.0',
  'MIT',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MPL-2.0',
  'GPL-2.0-only',
  'GPL-3.0-only',
  'GPL-3.0-or-later',
  'LGPL-3.0-only',
  'AGPL-3.0-only',
  'EUPL-1.2',
  'Unlicense',
] as const;

/** The string as an SPDX identifier, in the list's spelling; null if it is not in the list. */
export function spdxIdentifier(text: string): string | null {
  const wanted = text.trim().toLowerCase();
  return spdxIdentifiers.find((id) => id.toLowerCase() === wanted) ?? null;
}

/** The URL of a license text at SPDX. */
export function spdxUrl(identifier: string): string {
  return `https://spdx.org/licenses/${identifier}.html`;
}
