import { formatCount, formatShort, toggled, visibleText } from '#charts';
import type { ExperimentJson } from '../api/types.ts';
import { experimentPath } from '../app/last-view.ts';
import { NavLink } from '../app/nav-link.tsx';
import { usePage } from '../app/page-context.ts';
import { titleOf } from '../experiment/experiment-title-text.ts';
import type { ExperimentsPage } from './experiments-key.ts';
import { Icon } from '../app/icons.tsx';
import { useStars } from '../app/stars.ts';
import { stateNames } from '../runs/run-state.ts';
import { type HomeColumn, type HomeField, homeFields, type HomeView, usualColumns } from './home-view.ts';
import { MetricCell } from './metric-cell.tsx';
import { type RowActions, RowMenu } from './row-menu.tsx';
import { StateBadge } from './state-badge.tsx';

/** The column headings. */
export const columnNames: Readonly<Record<HomeColumn, string>> = {
  owner: 'Owner',
  created: 'Created',
  received: 'Last data',
  runs: 'Runs',
  points: 'Points',
  metric: 'Metric',
  state: 'State',
};

/** Columns hidden on a phone, unless the reader selects them there. */
const wideColumns: ReadonlySet<HomeColumn> = new Set(['owner', 'created', 'runs', 'metric']);
const numberColumns: ReadonlySet<HomeColumn> = new Set(['runs', 'points']);
/** Columns sorted newest first. */
const timeFields: ReadonlySet<HomeField> = new Set(['created', 'received']);

/** The default columns. `narrow`: on a phone. */
export function columnsWithRoom(narrow: boolean): readonly HomeColumn[] {
  return narrow ? usualColumns.filter((column) => !wideColumns.has(column)) : usualColumns;
}

interface ExperimentTableProps {
  readonly pages: readonly ExperimentsPage[];
  readonly view: HomeView;
  readonly onView: (view: HomeView) => void;
  /** The ids of the selected experiments. */
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (ids: ReadonlySet<string>) => void;
  readonly actions: RowActions;
}

/** One row per experiment. */
export function ExperimentTable({ pages, view, onView, selected, onSelect, actions }: ExperimentTableProps) {
  const columns = view.columns ?? usualColumns;
  const lines = linesOf(pages);
  const { stars, toggle } = useStars();
  const isAll = lines.length > 0 && lines.every(({ experiment }) => selected.has(experiment.id));
  const classOf = (column: HomeColumn): string | undefined => {
    const names = [numberColumns.has(column) && 'number', view.columns === null && wideColumns.has(column) && 'wide'];
    return names.filter(Boolean).join(' ') || undefined;
  };
  return (
    <div className="scroll" role="region" aria-label="Experiments" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <td className="pick">
              <input
                type="checkbox"
                aria-label="Select all"
                checked={isAll}
                onChange={() => onSelect(new Set(isAll ? [] : lines.map(({ experiment }) => experiment.id)))}
              />
            </td>
            <SortedHead field="name" name="Name" view={view} onView={onView} />
            {columns.map((column) => {
              const field = homeFields.find((one) => one === column);
              const [name, className] = [columnNames[column], classOf(column)];
              if (field) return <SortedHead key={column} {...{ field, name, className, view, onView }} />;
              return (
                <th key={column} className={className}>
                  {name}
                </th>
              );
            })}
            <td />
          </tr>
        </thead>
        <tbody>
          {lines.map(({ experiment, ahead }) => (
            <tr key={experiment.id} className={selected.has(experiment.id) ? 'selected' : undefined}>
              <td className="pick">
                <input
                  type="checkbox"
                  aria-label={`Select ${titleOf(experiment)}`}
                  checked={selected.has(experiment.id)}
                  onChange={() => onSelect(new Set(toggled([...selected], experiment.id)))}
                />
              </td>
              <Title
                experiment={experiment}
                onLabel={(label) => onView({ ...view, label })}
                starred={stars.includes(experiment.id)}
                onStar={() => toggle(experiment.id)}
              />
              {columns.map((column) => (
                <td key={column} className={classOf(column)}>
                  {contents[column](experiment, ahead)}
                </td>
              ))}
              <td className="row-menu">
                <RowMenu experiment={experiment} {...actions} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface Line {
  readonly experiment: ExperimentJson;
  /** By how many ms the server's clock is ahead. */
  readonly ahead: number;
}

/**
 * Removes duplicates: an experiment that receives data between two requests may be on both pages.
 */
function linesOf(pages: readonly ExperimentsPage[]): Line[] {
  const lines = pages.flatMap(({ experiments, ahead }) => experiments.map((experiment) => ({ experiment, ahead })));
  return [...new Map(lines.map((line) => [line.experiment.id, line])).values()];
}

/** The content of a column. `ahead`: by how many ms the server's clock is ahead. */
const contents: Readonly<Record<HomeColumn, (experiment: ExperimentJson, ahead: number) => React.ReactNode>> = {
  owner: ({ owner }) => visibleText(owner?.name ?? ''),
  created: ({ created }) => <Moment of={created} />,
  received: ({ received }) => (received === null ? <span className="dim">–</span> : <Moment of={received} />),
  runs: ({ runs }) => formatCount(runs),
  points: ({ points }) => <span title={formatCount(points ?? 0)}>{formatShort(Number(points))}</span>,
  metric: ({ newest_run: run }) => (run?.metric ? <MetricCell metric={run.metric} /> : <span className="dim">–</span>),
  state: (experiment, ahead) => (
    <span className="states">
      <NewestState experiment={experiment} />
      <StateBadge experiment={experiment} ahead={ahead} />
    </span>
  ),
};

/** The state of the run that started last. Renders nothing if there is no run. */
function NewestState({ experiment: { newest_run: run } }: { readonly experiment: ExperimentJson }) {
  if (!run || run.state === 'unknown') return null;
  return (
    <span className={`run-state ${run.state}`} title={`Newest run: ${visibleText(run.display_name ?? run.run)}`}>
      <i /> {stateNames[run.state]}
    </span>
  );
}

function Moment({ of }: { readonly of: string }) {
  return (
    <time dateTime={of} title={of}>
      {of.slice(0, 10)} <span className="dim wide">{of.slice(11, 16)}</span>
    </time>
  );
}

interface SortedHeadProps {
  readonly field: HomeField;
  readonly name: string;
  readonly className?: string | undefined;
  readonly view: HomeView;
  readonly onView: (view: HomeView) => void;
}

function SortedHead({ field, name, className, view, onView }: SortedHeadProps) {
  const isChosen = view.order === field;
  const direction = view.descending ? 'descending' : 'ascending';
  return (
    <th className={className} aria-sort={isChosen ? direction : 'none'}>
      <button
        type="button"
        onClick={() => onView({ ...view, order: field, descending: isChosen ? !view.descending : timeFields.has(field) })}
      >
        {name} <span aria-hidden="true">{isChosen ? (view.descending ? '↓' : '↑') : ''}</span>
      </button>
    </th>
  );
}

interface TitleProps {
  readonly experiment: ExperimentJson;
  readonly onLabel: (label: string) => void;
  readonly starred: boolean;
  readonly onStar: () => void;
}

function Title({ experiment, onLabel, starred, onStar }: TitleProps) {
  const { reader } = usePage();
  return (
    <td className="title">
      <button
        type="button"
        className="star"
        aria-pressed={starred}
        aria-label={`Star ${titleOf(experiment)}`}
        title={starred ? 'Remove the star' : 'Star'}
        onClick={onStar}
      >
        <Icon name="star" />
      </button>
      <NavLink to={experimentPath(reader?.id, experiment)}>{titleOf(experiment)}</NavLink>
      {experiment.archived && <span className="label archived">archived</span>}
      {experiment.labels.map((label) => (
        <button
          key={label}
          type="button"
          className="label"
          title={`Show only experiments with the label ${visibleText(label)}`}
          onClick={() => onLabel(label)}
        >
          {visibleText(label)}
        </button>
      ))}
      {experiment.description !== '' && <span className="dim cut about">{visibleText(experiment.description)}</span>}
    </td>
  );
}
