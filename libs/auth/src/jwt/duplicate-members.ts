/**
 * Whether any object in a JSON text has a duplicate member. Parsers differ in which of the two
 * members they use, so two checks might see different values (RFC 8725, 2.4 and 3.2). `json` must
 * be valid for JSON.parse.
 */
export function hasDuplicateMembers(json: string): boolean {
  const open: (Set<string> | null)[] = []; // the names of each open object; null: an array
  // Matches strings, with the colon that makes them names, and brackets; nothing else matters here.
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[{}[\]]/gs)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') open.pop();
    else if (token.endsWith(':')) {
      const names = open.at(-1);
      const name = JSON.parse(token.slice(0, -1)) as string; // two spellings of one name are the same name
      if (names?.has(name)) return true;
      names?.add(name);
    }
  }
  return false;
}
