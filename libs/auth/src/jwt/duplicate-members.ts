/**
 * Whether some object in a JSON text names a member twice. Readers differ in which of the two they take, so that one check might see another value than
 * the next (RFC 8725, 2.4 and 3.2). `json` is a text that JSON.parse takes.
 */
export function hasDuplicateMembers(json: string): boolean {
  const open: (Set<string> | null)[] = []; // the names of each object that is open; null: an array
  // Strings, with the colon that makes them names, and brackets: all that matters here.
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[{}[\]]/gs)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') open.pop();
    else if (token.endsWith(':')) {
      const names = open.at(-1);
      const name = JSON.parse(token.slice(0, -1)) as string; // two spellings of one name are one name
      if (names?.has(name)) return true;
      names?.add(name);
    }
  }
  return false;
}
