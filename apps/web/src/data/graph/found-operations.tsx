import { useMemo } from 'react';
import { countText, formatCount, visibleText } from '#charts';
import type { LoadedGraph } from './load-graph.ts';

const maxListed = 100;

interface FoundProps {
  readonly graph: LoadedGraph;
  readonly search: string;
  readonly onSelect: (name: string) => void;
}

/** The operations that have this text in their name, or that have this type. */
export function FoundOperations({ graph: { nodes }, search, onSelect }: FoundProps) {
  const found = useMemo(() => {
    const wanted = search.trim().toLowerCase();
    return [...nodes.values()].filter(({ name, op }) => name.toLowerCase().includes(wanted) || op.toLowerCase() === wanted);
  }, [search, nodes]);
  return (
    <section aria-label="Found">
      <p className="dim">
        {formatCount(found.length)} of {countText(nodes.size, 'operation')}
      </p>
      <ul className="found">
        {found.slice(0, maxListed).map(({ name, op }) => (
          <li key={name}>
            <button type="button" className="quiet" onClick={() => onSelect(name)}>
              {visibleText(name)} <span className="dim">{visibleText(op)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
