import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { formatCount, formatShort, formatValue, naturally, rankTag, visibleText } from '#charts';
import type { RunJson } from '../api/types.ts';
import { homeOf } from '../compare/compared-run.ts';
import { useContents, useWorld } from '../experiment/experiment-context.ts';
import { type SeriesStats, withoutWriters } from '../runs/use-series.ts';
import { quoted } from '../runs-table/quoted.ts';
import { numberOf } from '../runs-table/table-columns.ts';

/** Rows before "Show all". */
const firstMetrics = 12;

interface MetricsProps {
  /** The run's name on the page. */
  readonly run: string;
  readonly series: readonly SeriesStats[];
}

/**
 * The last, smallest and largest values of a run's tags, with their steps. The most informative
 * tags come first.
 */
export function Metrics({ run, series }: MetricsProps) {
  const [all, setAll] = useState(false);
  const rows = useMemo(
    () => withoutWriters(series).toSorted((a, b) => rankTag(a.tag) - rankTag(b.tag) || naturally(a.tag, b.tag)),
    [series],
  );
  const seen = rows.slice(0, all ? rows.length : firstMetrics);
  const steps = useExtremeSteps(run, seen);
  return (
    <section aria-label="Summary">
      <h3>Summary</h3>
      <table className="run-metrics">
        <thead>
          <tr>
            <th scope="col">Tag</th>
            <th scope="col">Last</th>
            <th scope="col">Min</th>
            <th scope="col">Max</th>
          </tr>
        </thead>
        <tbody>
          {seen.map(({ tag, last, min, max }) => (
            <tr key={tag}>
              <th scope="row" className="cut" title={visibleText(tag)}>
                {visibleText(tag)}
              </th>
              <Value value={last} />
              <Value value={min} step={steps.get(tag)?.min} />
              <Value value={max} step={steps.get(tag)?.max} />
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > firstMetrics && (
        <button type="button" className="quiet" onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${formatCount(rows.length)}`}
        </button>
      )}
    </section>
  );
}

/** `step`: the step at which the value was logged. */
function Value({ value, step }: { readonly value: number | string | null; readonly step?: number | undefined }) {
  if (value === null) return <td className="number">–</td>;
  const number = Number(value);
  return (
    <td className="number" title={step === undefined ? String(number) : `${number} at step ${formatCount(step)}`}>
      {formatValue(Number(number.toPrecision(4)))}
      {step !== undefined && <span className="at-step">step {formatShort(step)}</span>}
    </td>
  );
}

/** The steps of a tag's smallest and largest value. */
interface ExtremeSteps {
  readonly min: number | undefined;
  readonly max: number | undefined;
}

/**
 * Maximum tags per request, with two steps each: a list has at most 50 values per run, and the
 * length of a URL is limited.
 */
const maxTags = 12;

/** The steps of the extremes, by tag. Only loaded tags have an entry; a bundle has no steps. */
function useExtremeSteps(run: string, rows: readonly SeriesStats[]): ReadonlyMap<string, ExtremeSteps> {
  const { api, id } = useWorld();
  const { compared } = useContents();
  const home = homeOf(run, compared, id);
  const { data } = useQuery({
    queryKey: ['series', home.id, 'extremes', home.run, rows.map(({ tag, min, max }) => [tag, min, max])],
    queryFn: async ({ signal }) => {
      const steps = new Map<string, ExtremeSteps>();
      for (let at = 0; at < rows.length; at += maxTags) {
        const tags = rows.slice(at, at + maxTags).map(({ tag }) => tag);
        const asked = new URLSearchParams({ filter: `name = ${quoted(home.run)}` });
        for (const tag of tags) for (const field of ['min_step', 'max_step']) asked.append('value', `${field}(${quoted(tag)})`);
        const { runs } = await api.get<{ runs: readonly RunJson[] }>(`/experiments/${home.id}/runs?${asked.toString()}`, signal);
        const stepAt = (i: number): number | undefined => numberOf(runs[0]?.values?.[i] ?? null) ?? undefined;
        tags.forEach((tag, i) => steps.set(tag, { min: stepAt(2 * i), max: stepAt(2 * i + 1) }));
      }
      return steps;
    },
    enabled: !api.isStored,
    placeholderData: (known) => known,
  });
  return data ?? none;
}

const none: ReadonlyMap<string, ExtremeSteps> = new Map();
