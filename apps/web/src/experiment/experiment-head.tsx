import type { ReactNode } from 'react';
import { formatCount, formatShort, visibleText } from '#charts';
import type { ExperimentJson } from '../api/types.ts';
import { Labels } from '../notes/labels.tsx';
import { useWorld } from './experiment-context.ts';

/** What an experiment is called when its name is empty: the id never is. */
export function titleOf({ name, id }: Pick<ExperimentJson, 'name' | 'id'>): string {
  return name.trim() === '' ? `Experiment ${id}` : visibleText(name);
}

/** Name, and in one line who, what and how much. `children`: what can be done with it. */
export function ExperimentHead({ experiment, children }: { readonly experiment: ExperimentJson; readonly children: ReactNode }) {
  const { api, id } = useWorld();
  const { description, owner, runs, points, labels, archived } = experiment;
  return (
    <section className="experiment-head" aria-label="Experiment">
      <h1>{titleOf(experiment)}</h1>
      {description !== '' && (
        <p className="about cut" title={visibleText(description)}>
          {visibleText(description)}
        </p>
      )}
      <p className="facts">
        {owner && <span>{visibleText(owner.name)}</span>}
        <span>{new Date(experiment.created).toISOString().slice(0, 10)}</span>
        <span>
          {formatCount(runs)} {runs === 1 ? 'run' : 'runs'}
        </span>
        {points !== null && <span title={`${formatCount(points)} points`}>{formatShort(Number(points))} points</span>}
        {points !== null && owner && <a href={api.at(`/experiments/${id}/receipt`)}>receipt</a>}
        <Labels labels={labels} archived={archived} />
      </p>
      <div className="head-actions">{children}</div>
    </section>
  );
}
