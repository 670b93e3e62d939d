import { useQuery } from '@tanstack/react-query';
import { ApiProblem } from '../api/problem.ts';
import type { CitationJson } from '../api/types.ts';
import { usePage } from '../app/page-context.ts';
import { useContents, useWorld } from '../experiment/experiment-context.ts';

/** A link to the citation of a citable snapshot. Renders nothing on other pages. */
export function CiteLink() {
  const { base, experiment: first } = usePage();
  const { api, id, firstCharts } = useWorld();
  const { experiment } = useContents();
  const isFirst = first?.experiment.id === id;
  const { data: isCited = false } = useQuery({
    queryKey: ['citation', id],
    queryFn: async ({ signal }) => {
      try {
        return (await api.get<CitationJson>(`/experiments/${id}/citation`, signal)).id === id;
      } catch (error) {
        if (error instanceof ApiProblem && error.status < 500) return false;
        throw error;
      }
    },
    ...(isFirst && { initialData: first.cited }),
    staleTime: Infinity,
    enabled: experiment.snapshot !== null && firstCharts !== 'server',
  });
  if (!isCited) return null;
  return (
    <a className="button small" href={`${base}/e/${id}/citation`}>
      Cite
    </a>
  );
}
