import { jsonBytes, shortened } from './safe-json.ts';
import { type Json, pageLink, type Query, rowsOf, type Source } from './source.ts';

/** Default and maximum number of entries per page. */
export const defaultEntries = 20;
export const maxEntries = 50;
/** Maximum bytes of a result: a page with long entries has fewer entries. */
export const maxResultBytes = 32 * 1024;

/** A list request: a filter and an order as in the API, and the position at which to continue. */
export interface ListRequest {
  readonly filter?: string;
  readonly order_by?: string;
  readonly page_size?: number;
  readonly page_token?: string;
}

/** Lists the experiments that the caller can see, newest first unless an order is requested. */
export async function listExperiments(source: Source, request: ListRequest): Promise<Json> {
  return pageThatFits(request, async (query) => {
    const page = await source.experiments(query);
    return {
      experiments: rowsOf<Json>(page, 'experiments').map((one) => ({
        id: one['id'],
        name: one['name'],
        runs: one['runs'],
        points: one['points'],
        created: one['created'],
        received: one['received'],
        labels: one['labels'],
        ...(one['archived'] === true && { archived: true }),
        link: one['url'],
      })),
      ...token(page),
    };
  });
}

/** Maximum number of characters of a configuration value in a list. */
const maxConfigCharacters = 100;
const maxConfigKeys = 30;

/** Lists the runs of an experiment with state, configuration and the requested values. */
export async function listRuns(
  source: Source,
  experimentId: string,
  request: ListRequest & { readonly values?: readonly string[] },
): Promise<Json> {
  const { url } = await source.experiment(experimentId);
  return pageThatFits(request, async (query) => {
    const page = await source.runs(experimentId, { ...query, total: 'true', ...(request.values?.length && { value: request.values }) });
    return {
      ...(page['total'] !== undefined && { total: page['total'] }),
      runs: rowsOf<Json>(page, 'runs').map((run) => ({
        run: run['run'],
        ...present(run, ['display_name', 'group', 'job_type']),
        state: run['state'],
        start_time: run['start_time'],
        last_time: run['last_time'],
        ...configOf(run['config']),
        ...present(run, ['labels', 'values']),
        link: pageLink(url, [String(run['run'])]),
      })),
      ...token(page),
    };
  });
}

/** Requests fewer entries until the result is at most {@link maxResultBytes}. */
async function pageThatFits(
  { filter, order_by, page_token, page_size }: ListRequest,
  read: (query: Query) => Promise<Json>,
): Promise<Json> {
  for (let size = Math.min(page_size ?? defaultEntries, maxEntries); ; size = Math.floor(size / 2)) {
    const query = {
      ...(filter !== undefined && { filter }),
      ...(order_by !== undefined && { order_by }),
      ...(page_token !== undefined && { page_token }),
      page_size: String(size),
    };
    const result = await read(query);
    if (size === 1 || jsonBytes(result) <= maxResultBytes) return result;
  }
}

function token(page: Json): Json {
  return typeof page['next_page_token'] === 'string' ? { next_page_token: page['next_page_token'] } : {};
}

/** Fields that have a value. */
function present(row: Json, fields: readonly string[]): Json {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = row[field];
      return value === null || value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [[field, value]];
    }),
  );
}

function configOf(config: unknown): Json {
  const entries = Object.entries((config ?? {}) as Json);
  if (entries.length === 0) return {};
  const shown = entries
    .slice(0, maxConfigKeys)
    .map(([key, value]) => [
      shortened(key, maxConfigCharacters),
      typeof value === 'string' ? shortened(value, maxConfigCharacters) : value,
    ]);
  return {
    config: Object.fromEntries(shown) as Json,
    ...(entries.length > maxConfigKeys && { config_keys_omitted: entries.length - maxConfigKeys }),
  };
}
