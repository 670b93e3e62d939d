import { problemText } from '../api/problem.ts';

/** Shown while values are loading, or if there are none. */
export function StateNote({
  pending,
  error,
  empty,
  retry,
}: {
  readonly pending: boolean;
  readonly error: Error | null;
  readonly empty: boolean;
  readonly retry: () => void;
}) {
  if (error)
    return (
      <p className="dim">
        {problemText(error)}{' '}
        <button type="button" className="quiet" onClick={retry}>
          Try again
        </button>
      </p>
    );
  if (pending) return <p className="dim" aria-busy="true" />;
  return empty ? <p className="dim">No data for the selected runs.</p> : null;
}
