import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formatCount, formatShort, visibleText } from '#charts';
import type { ExperimentJson } from '../api/types.ts';
import { usePage } from '../app/page-context.ts';
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
        <Problems id={id} />
        <Labels labels={labels} archived={archived} />
      </p>
      <div className="head-actions">{children}</div>
    </section>
  );
}

/** So many are counted. */
const maxProblems = 1_000;

/** That not all of its files could be read; the page without a script says what. */
function Problems({ id }: { readonly id: string }) {
  const { base, experiment, still } = usePage();
  const { api } = useWorld();
  const { data = 0 } = useQuery({
    queryKey: ['problems', id],
    queryFn: async ({ signal }) =>
      (await api.get<{ problems: readonly unknown[] }>(`/experiments/${id}/problems?page_size=${maxProblems}`, signal)).problems.length,
    initialData: experiment?.experiment.id === id ? experiment.problems : undefined,
  });
  if (still || data === 0) return null;
  return (
    <a className="bad" href={`${base}/e/${id}?plain`}>
      {data < maxProblems ? formatCount(data) : 'many'} {data === 1 ? 'problem' : 'problems'} in its files
    </a>
  );
}
