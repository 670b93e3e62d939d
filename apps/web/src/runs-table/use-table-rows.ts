import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { RunJson } from '../api/types.ts';
import { useNow } from '../app/use-now.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { runState } from '../runs/run-state.ts';
import { cellsOf, fieldOf, type RunColumn } from './table-columns.ts';
import type { TableRow } from './table-groups.ts';

/** Rows of one request. */
const pageSize = 250;
/** The same if all rows are needed. */
const largePage = 1_000;

/** Interval at which the states of runs are judged again. */
const clockMs = 15_000;

/** A run of the table. */
export interface RunRowData extends TableRow {
  readonly json: RunJson;
}

export interface TableRequest {
  readonly columns: readonly RunColumn[];
  readonly step: string | null;
  readonly filter: string;
  readonly order: string | null;
  /** Whether all rows are needed, not only those in view. */
  readonly all: boolean;
}

export interface TableRows {
  readonly rows: readonly RunRowData[];
  /** Rows that the filter selects; undefined until it is known. */
  readonly total: number | undefined;
  readonly waiting: boolean;
  readonly error: Error | null;
  /** Requests the next rows, if there are more and none are under way. */
  more(): void;
  /** Reads all rows, in the order of the service. */
  readAll(): Promise<readonly RunRowData[]>;
  retry(): void;
}

interface Page {
  readonly runs: readonly RunJson[];
  readonly total?: number;
  readonly next_page_token?: string;
}

/** A page of the rows, and where the next one starts: an experiment, and its token. */
interface Part {
  readonly prefix: string;
  /** The columns of its values. */
  readonly fields: readonly string[];
  readonly page: Page;
  readonly next: Place | null;
}

interface Place {
  readonly part: number;
  readonly token: string;
}

const firstPlace: Place = { part: 0, token: '' };

/** The runs of the page's experiments, in order, filtered by the service and read page by page. */
export function useTableRows({ columns, step, filter, order, all }: TableRequest): TableRows {
  const { api, id } = useWorld();
  const { compared } = useContents();
  const fields = useMemo(() => columns.filter((column) => fieldOf(column, step) !== null), [columns, step]);
  const values = useMemo(() => fields.map((column) => fieldOf(column, step)!), [fields, step]);
  const parts = useMemo(() => [{ id, prefix: '' }, ...compared], [id, compared]);
  const readPart = async (place: Place, size: number, signal?: AbortSignal): Promise<Part> => {
    const { id: experiment, prefix } = parts[place.part]!;
    const parameters = tableParameters({ filter, order, values, size, token: place.token });
    const page = await api.get<Page>(`/experiments/${experiment}/runs?${parameters.toString()}`, signal);
    return { prefix, fields: fields.map(({ key }) => key), page, next: nextPlace(place, page, parts.length) };
  };
  const query = useInfiniteQuery({
    queryKey: ['table', id, parts, filter, order, values, all],
    queryFn: ({ pageParam, signal }) => readPart(pageParam, all ? largePage : pageSize, signal),
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
  const rows = useMemo(() => (data?.pages ?? []).flatMap((part) => rowsOf(part, now, stalledAfter)), [data, now, stalledAfter]);
  const totals = new Map(
    (data?.pages ?? []).flatMap(({ prefix, page }) => (page.total === undefined ? [] : [[prefix, page.total] as const])),
  );
  return {
    rows,
    total: totals.size < parts.length ? undefined : [...totals.values()].reduce((sum, one) => sum + one, 0),
    waiting: query.isPending || isPlaceholderData || (isAll && hasNextPage),
    error: query.error,
    more: () => {
      if (hasNextPage && !isFetchingNextPage && !query.isError) void fetchNextPage();
    },
    readAll: async () => {
      const found: RunRowData[] = [];
      for (let place: Place | null = firstPlace; place;) {
        const part: Part = await readPart(place, largePage);
        found.push(...rowsOf(part, now, stalledAfter));
        place = part.next;
      }
      return found;
    },
    retry: () => void query.refetch(),
  };
}

function rowsOf({ prefix, fields, page }: Part, now: number, stalledAfter: number): RunRowData[] {
  return page.runs.map((json) => {
    const cells = cellsOf(json, fields);
    return { run: prefix + json.run, json, cells: cells.set('state', runState(json, now, stalledAfter)) };
  });
}

/** The query of one page of rows. */
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
