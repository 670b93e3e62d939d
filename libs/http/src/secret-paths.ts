/** URLs that end in a link's secret. */
const secretPath = /^(\/(?:sign-in|join|s|embed)\/).+/;

/** A path for use in a log or in another URL: without a link's secret. */
export function withoutSecret(path: string): string {
  return path.replace(secretPath, '$1…');
}
