import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import type { RunJson } from '../api/types.ts';
import { useNow } from '../app/use-now.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { runState } from '../runs/run-state.ts';
import { cellsOf, fieldOf, type RunColumn, stepColumn } from './table-columns.ts';
import type { TableRow } from './table-groups.ts';

/** Rows in the first request: enough to fill a screen, so that they appear quickly. */
const firstPage = 100;
/** Rows of later requests. */
const pageSize = 250;
/** Rows in later requests if all rows are needed. */
const largePage = 1_000;

/** Maximum values per run in one request. */
const maxValues = 50;

/** How often the states of runs are reevaluated. */
const clockMs = 15_000;

/** A run in the table. */
export interface RunRowData extends TableRow {
  readonly json: RunJson;
}

export interface TableRequest {
  readonly columns: readonly RunColumn[];
  readonly step: string | null;
  readonly filter: string;
  readonly order: string | null;
  /** Whether all rows are needed, not just those in view. */
  readonly all: boolean;
}

export interface TableRows {
  readonly rows: readonly RunRowData[];
  /** Number of rows that the filter selects. Undefined until known. */
  readonly total: number | undefined;
  readonly waiting: boolean;
  readonly error: Error | null;
  /** Requests the next rows if there are more and no request is in progress. */
  more(): void;
  /** Reads all rows, in the service's order. */
  readAll(): Promise<readonly RunRowData[]>;
  /** Reads the names of all rows. */
  readNames(): Promise<readonly string[]>;
  retry(): void;
}

interface Page {
  readonly runs: readonly RunJson[];
  readonly total?: number;
  readonly next_page_token?: string;
}

/** A page of rows, and where the next page starts: its experiment and its token. */
interface Part {
  readonly prefix: string;
  /** The columns with the requested values. */
  readonly fields: readonly string[];
  readonly page: Page;
  readonly next: Place | null;
}

interface Place {
  readonly part: number;
  readonly token: string;
}

const firstPlace: Place = { part: 0, token: '' };

/**
 * The runs of the page's experiments, in order. The service filters them, and they are read page by
 * page.
 */
export function useTableRows({ columns, step, filter: asked, order, all }: TableRequest): TableRows {
  const { api, id } = useWorld();
  const { compared, listed } = useContents();
  // If there is no service, the page filters the runs as in its run list
  const filter = api.isStored ? '' : asked;
  const passing = useCallback(
    (rows: readonly RunRowData[]) => (api.isStored ? rows.filter(({ run }) => listed.has(run)) : rows),
    [api, listed],
  );
  const fields = useMemo(() => fieldsOf(columns, step), [columns, step]);
  const values = useMemo(() => fields.map((column) => fieldOf(column, step)!), [fields, step]);
  const parts = useMemo(() => [{ id, prefix: '' }, ...compared], [id, compared]);
  const readPart = async (place: Place, size: number, signal?: AbortSignal, wanted = values): Promise<Part> => {
    const { id: experiment, prefix } = parts[place.part]!;
    const parameters = tableParameters({ filter, order, values: wanted, size, token: place.token });
    const page = await api.get<Page>(`/experiments/${experiment}/runs?${parameters.toString()}`, signal);
    return { prefix, fields: fields.map(({ key }) => key), page, next: nextPlace(place, page, parts.length) };
  };
  const readParts = async (wanted = values): Promise<readonly Part[]> => {
    const found: Part[] = [];
    for (let place: Place | null = firstPlace; place; place = found.at(-1)!.next)
      found.push(await readPart(place, largePage, undefined, wanted));
    return found;
  };
  const query = useInfiniteQuery({
    queryKey: ['table', id, parts, filter, order, values, all],
    queryFn: ({ pageParam, signal }) => readPart(pageParam, all ? largePage : pageParam.token === '' ? firstPage : pageSize, signal),
    initialPageParam: firstPlace,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage, isPlaceholderData } = query;
  const isAll = all || compared.length > 0;
  useEffect(() => {
    if (isAll && hasNextPage && !isFetchingNextPage && !query.isError) void fetchNextPage();
  }, [isAll, hasNextPage, isFetchingNextPage, fetchNextPage, query.isError, data]);
  const now = useNow(clockMs);
  const stalledAfter = useView((view) => view.stalledAfter);
  const rows = useMemo(
    () => passing((data?.pages ?? []).flatMap((part) => rowsOf(part, now, stalledAfter))),
    [data, now, stalledAfter, passing],
  );
  const totals = new Map(
    (data?.pages ?? []).flatMap(({ prefix, page }) => (page.total === undefined ? [] : [[prefix, page.total] as const])),
  );
  return {
    rows,
    total: api.isStored ? rows.length : totals.size < parts.length ? undefined : [...totals.values()].reduce((sum, one) => sum + one, 0),
    waiting: query.isPending || isPlaceholderData || (isAll && hasNextPage),
    error: query.error,
    more: () => {
      if (hasNextPage && !isFetchingNextPage && !query.isError) void fetchNextPage();
    },
    readAll: async () => passing((await readParts()).flatMap((part) => rowsOf(part, now, stalledAfter))),
    readNames: async () => {
      const known = hasNextPage || isPlaceholderData || data === undefined ? await readParts([]) : data.pages;
      return passing(known.flatMap((part) => rowsOf(part, now, stalledAfter))).map(({ run }) => run);
    },
    retry: () => void query.refetch(),
  };
}

/** The columns with values and, as far as possible, the steps of extremes for tooltips. */
function fieldsOf(columns: readonly RunColumn[], step: string | null): RunColumn[] {
  const shown = columns.filter((column) => fieldOf(column, step) !== null);
  const keys = new Set(shown.map(({ key }) => key));
  const steps = columns.flatMap((column) => stepColumn(column) ?? []).filter(({ key }) => !keys.has(key));
  return [...shown, ...steps.slice(0, Math.max(0, maxValues - shown.length))];
}

/**
 * Returns the same rows for the same page, so that they are not rendered again when another page
 * arrives.
 */
const rowsOfParts = new WeakMap<Part, { readonly now: number; readonly stalledAfter: number; readonly rows: readonly RunRowData[] }>();

function rowsOf(part: Part, now: number, stalledAfter: number): readonly RunRowData[] {
  const known = rowsOfParts.get(part);
  if (known?.now === now && known.stalledAfter === stalledAfter) return known.rows;
  const { prefix, fields, page } = part;
  const rows = page.runs.map((json): RunRowData => {
    const cells = cellsOf(json, fields);
    return { run: prefix + json.run, json, cells: cells.set('state', runState(json, now, stalledAfter)) };
  });
  rowsOfParts.set(part, { now, stalledAfter, rows });
  return rows;
}

/** The request for one page of rows. */
export function tableParameters(request: {
  readonly filter: string;
  readonly order: string | null;
  readonly values: readonly string[];
  readonly size: number;
  readonly token: string;
}): URLSearchParams {
  const parameters = new URLSearchParams({ page_size: String(request.size), order_by: request.order ?? 'start_time' });
  if (request.filter !== '') parameters.set('filter', request.filter);
  for (const value of request.values) parameters.append('value', value);
  if (request.token === '') parameters.set('total', 'true');
  else parameters.set('page_token', request.token);
  return parameters;
}

function nextPlace({ part }: Place, page: Page, parts: number): Place | null {
  if (page.next_page_token !== undefined) return { part, token: page.next_page_token };
  return part + 1 < parts ? { part: part + 1, token: '' } : null;
}
