/** Addresses that end in the secret of a link. */
const secretPath = /^(\/(?:sign-in|join|s|embed)\/).+/;

/** A path as it may stand in a log, or in another address: without the secret of a link. */
export function withoutSecret(path: string): string {
  return path.replace(secretPath, '$1…');
}
