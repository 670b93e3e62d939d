import { parse, type ParsedUrlQuery } from 'node:querystring';
import { Problem } from '#model';

/**
 * The parameters of an address. Escapes that are not UTF-8 are refused: with a stand-in character in their place, something of another
 * name would be found. Any number of parameters is read (the address itself is bounded); none is passed over in silence.
 */
export function parseQuery(text: string): ParsedUrlQuery {
  let undecodable: string | null = null;
  const query = parse(text, '&', '=', {
    maxKeys: 0,
    decodeURIComponent: (part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        undecodable ??= part; // refused below, in one sentence for all
        return part;
      }
    },
  });
  if (undecodable !== null)
    throw new Problem('bad-request', `The query has escapes that are not UTF-8: ${JSON.stringify(String(undecodable).slice(0, 80))}.`);
  return query;
}
