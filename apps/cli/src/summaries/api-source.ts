import type { Query, Source } from '#summaries';
import type { Api } from '../http/api.ts';

/**
 * The REST API as the source of summaries. `headers` are the credentials of a link. `linked` is the
 * only experiment that the link shows, or null for a token.
 */
export function apiSource(api: Api, headers: Readonly<Record<string, string>> = {}, linked: string | null = null): Source {
  const get = (path: string, what: string, query: Query = {}) => api.get(`${path}${textOf(query)}`, what, { headers });
  const of = (id: string): string => `/experiments/${encodeURIComponent(id)}`;
  return {
    experiments: async (query) =>
      linked === null
        ? get('/experiments', 'Listing experiments', query)
        : { experiments: [await get(of(linked), `Experiment ${linked}`)] },
    experiment: (id) => get(of(id), `Experiment ${id}`),
    runs: (id, query) => get(`${of(id)}/runs`, 'Listing runs', query),
    series: (id, query) => get(`${of(id)}/series`, 'Listing series', query),
    problems: (id, query) => get(`${of(id)}/problems`, 'Reading the problems', query),
    scalars: (id, body) => api.read(`${of(id)}/scalars/query`, 'Reading scalars', body, headers),
  };
}

function textOf(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) parameters.append(name, one);
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}
