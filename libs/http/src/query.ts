import { parse, type ParsedUrlQuery } from 'node:querystring';
import { Problem } from '#model';

/**
 * Parses the parameters of a URL. Rejects escapes that are not UTF-8: a replacement character would
 * cause the lookup of a different name. Reads any number of parameters (the URL itself is bounded)
 * and ignores none.
 */
export function parseQuery(text: string): ParsedUrlQuery {
  let undecodable: string | null = null;
  const query = parse(text, '&', '=', {
    maxKeys: 0,
    decodeURIComponent: (part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        undecodable ??= part; // rejected below, with one message for all
        return part;
      }
    },
  });
  if (undecodable !== null)
    throw new Problem('bad-request', `The query has escapes that are not UTF-8: ${JSON.stringify(String(undecodable).slice(0, 80))}.`);
  return query;
}
