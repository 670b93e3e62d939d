/** URLs that end in the secret of a link. */
const secretPath = /^(\/(?:sign-in|join|s|embed)\/).+/;

/** A path for use in a log or in another URL: without the secret of a link. */
export function withoutSecret(path: string): string {
  return path.replace(secretPath, '$1…');
}
