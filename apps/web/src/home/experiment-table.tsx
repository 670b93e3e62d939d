import { formatCount, formatShort, visibleText } from '#charts';
import type { ExperimentJson } from '../api/types.ts';
import { NavLink } from '../app/nav-link.tsx';
import { titleOf } from '../experiment/experiment-head.tsx';
import type { HomeField, HomeView } from './home-view.ts';

interface ExperimentTableProps {
  readonly experiments: readonly ExperimentJson[];
  readonly view: HomeView;
  readonly onView: (view: HomeView) => void;
}

/** A line for each experiment. */
export function ExperimentTable({ experiments, view, onView }: ExperimentTableProps) {
  const head = (field: HomeField, name: string, className?: string) => {
    const isChosen = view.order === field;
    const direction = view.descending ? 'descending' : 'ascending';
    return (
      <th className={className} aria-sort={isChosen ? direction : 'none'}>
        <button
          type="button"
          onClick={() => onView({ ...view, order: field, descending: isChosen ? !view.descending : field === 'created' })}
        >
          {name} <span aria-hidden="true">{isChosen ? (view.descending ? '↓' : '↑') : ''}</span>
        </button>
      </th>
    );
  };
  return (
    <div className="scroll" role="region" aria-label="Experiments" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head('name', 'Name')}
            {head('owner', 'Owner', 'wide')}
            {head('created', 'Created')}
            <th className="number">Runs</th>
            <th className="number">Points</th>
            <th className="wide">State</th>
          </tr>
        </thead>
        <tbody>
          {experiments.map((experiment) => (
            <tr key={experiment.id}>
              <td className="title">
                <NavLink to={`/e/${experiment.id}`}>{titleOf(experiment)}</NavLink>
                {experiment.archived && <span className="label archived">archived</span>}
                {experiment.labels.map((label) => (
                  <button
                    key={label}
                    type="button"
                    className="label"
                    title={`Only those with the label ${visibleText(label)}`}
                    onClick={() => onView({ ...view, label })}
                  >
                    {visibleText(label)}
                  </button>
                ))}
                {experiment.description !== '' && <span className="dim cut about">{visibleText(experiment.description)}</span>}
              </td>
              <td className="wide">{visibleText(experiment.owner?.name ?? '')}</td>
              <td>
                <time dateTime={experiment.created} title={experiment.created}>
                  {experiment.created.slice(0, 10)} <span className="dim wide">{experiment.created.slice(11, 16)}</span>
                </time>
              </td>
              <td className="number">{formatCount(experiment.runs)}</td>
              <td className="number" title={formatCount(experiment.points ?? 0)}>
                {formatShort(Number(experiment.points))}
              </td>
              <td className="wide">{!experiment.frontier.visible && <span className="live on">receiving</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
