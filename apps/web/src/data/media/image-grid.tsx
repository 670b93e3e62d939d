import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { formatCount, visibleText } from '#charts';
import { narrowQuery, useMedia } from '../../app/theme.ts';
import { runText } from '../../compare/compared-run.ts';
import { changeView } from '../../experiment/change-view.ts';
import { useView, useWorld } from '../../experiment/experiment-context.ts';
import { RunCaption } from '../run-caption.tsx';
import { type BlobSeries, indexAt } from '../values.ts';
import { type ImagePoint, Picture, picturesOf } from './pictures.tsx';

/** The gap between columns and the width of the run column, in pixels, as in the style sheet. */
const gap = 8;
const runsWidth = { wide: 184, narrow: 104 } as const;

/** Number of rows rendered at first: a grid of thousands of rows would be slow. */
const firstRows = 25;

interface ImageGridProps {
  readonly tag: string;
  readonly series: readonly BlobSeries[];
  /** All steps of these series, in ascending order. */
  readonly steps: readonly number[];
  /** Image size, in pixels. */
  readonly width: number;
  readonly onOpen: (run: string, index: number) => void;
  readonly onShape: (shape: number) => void;
}

/**
 * The images of a tag: a row for each run, a column for each step. Columns are rendered when they
 * come near the view. The page's step is marked and kept in view.
 */
export function ImageGrid({ tag, series, steps, width, onOpen, onShape }: ImageGridProps) {
  const { view } = useWorld();
  const step = useView((all) => all.step);
  const [limit, setLimit] = useState(firstRows);
  const scroller = useRef<HTMLDivElement>(null);
  const headWidth = runsWidth[useMedia(narrowQuery) ? 'narrow' : 'wide'];
  const current = indexAt(steps, step);
  const virtual = useVirtualizer({
    count: steps.length,
    horizontal: true,
    getScrollElement: () => scroller.current,
    estimateSize: () => width + gap,
    paddingStart: headWidth,
    scrollPaddingStart: headWidth,
    overscan: 2,
  });
  useEffect(() => virtual.measure(), [width, headWidth, virtual]);
  useEffect(() => {
    if (current >= 0) virtual.scrollToIndex(current, { align: 'auto' });
  }, [current, width, virtual]);
  const pointsByStep = useMemo(
    () => series.slice(0, limit).map(({ points }) => new Map(points.map((point) => [Number(point.step), point]))),
    [series, limit],
  );
  const columns = virtual.getVirtualItems();
  const before = (columns[0]?.start ?? headWidth) - headWidth;
  const after = virtual.getTotalSize() - (columns.at(-1)?.end ?? headWidth);
  return (
    <>
      <div className="image-grid" ref={scroller}>
        <table aria-colcount={steps.length + 1}>
          <caption>{visibleText(tag)}: a row for each run, a column for each step</caption>
          <thead>
            <tr>
              <th scope="col" aria-colindex={1}>
                Run
              </th>
              <Space width={before} />
              {columns.map(({ index }) => (
                <th
                  key={steps[index]}
                  scope="col"
                  aria-colindex={index + 2}
                  aria-current={index === current ? 'step' : undefined}
                  className={index === current ? 'at' : undefined}
                >
                  <button
                    type="button"
                    className="quiet"
                    onClick={() => changeView(view, { step: index === steps.length - 1 ? null : steps[index]! })}
                  >
                    step {formatCount(steps[index]!)}
                  </button>
                </th>
              ))}
              <Space width={after} />
            </tr>
          </thead>
          <tbody>
            {series.slice(0, limit).map((one, row) => {
              const points = pointsByStep[row]!;
              return (
                <tr key={one.run}>
                  <th scope="row">
                    <RunCaption run={one.run} />
                  </th>
                  <Space width={before} />
                  {columns.map(({ index }) => (
                    <td key={steps[index]} aria-colindex={index + 2} className={index === current ? 'at' : undefined}>
                      <Cell
                        point={points.get(steps[index]!)}
                        label={`${runText(one.run)}, step ${formatCount(steps[index]!)}`}
                        onOpen={() => {
                          changeView(view, { step: index === steps.length - 1 ? null : steps[index]! });
                          onOpen(one.run, 0);
                        }}
                        onShape={onShape}
                      />
                    </td>
                  ))}
                  <Space width={after} />
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {series.length > limit && (
        <p className="more">
          <button type="button" onClick={() => setLimit(limit * 2)}>
            Show more of {formatCount(series.length)} runs
          </button>
        </p>
      )}
    </>
  );
}

/** Columns that are not drawn. */
function Space({ width }: { readonly width: number }) {
  return width > 0 ? <td aria-hidden="true" className="space" style={{ width, minWidth: width }} /> : null;
}

interface CellProps {
  readonly point: ImagePoint | undefined;
  readonly label: string;
  readonly onOpen: () => void;
  readonly onShape: (shape: number) => void;
}

function Cell({ point, label, onOpen, onShape }: CellProps) {
  const pictures = point ? picturesOf(point) : [];
  const [first] = pictures;
  if (!first)
    return (
      <div className="no-picture dim">
        <span aria-hidden="true">–</span>
        <span className="unseen">No image</span>
      </div>
    );
  const count = pictures.length > 1 ? `1 of ${pictures.length}` : null;
  return (
    <button type="button" className="picture" aria-label={`Enlarge ${label}${count === null ? '' : `, ${count}`}`} onClick={onOpen}>
      <Picture blob={first} alt="" onShape={onShape} />
      {count !== null && <span className="picture-count">{count}</span>}
    </button>
  );
}
