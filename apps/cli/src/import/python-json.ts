/** Parses JSON as Python writes it, with NaN, Infinity and -Infinity. Throws if it is not JSON. */
export function parsePythonJson(text: string): unknown {
  if (!/NaN|Infinity/.test(text)) return JSON.parse(text) as unknown;
  // Strings are kept unchanged. A special number outside a string becomes an object that no writer
  // produces.
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g, (token) => (token.startsWith('"') ? token : `{"${marker}":"${token}"}`));
  return JSON.parse(marked, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || !(marker in value)) return value;
    return Number((value as Record<string, string>)[marker]);
  }) as unknown;
}

const marker = 'plotline not finite';
