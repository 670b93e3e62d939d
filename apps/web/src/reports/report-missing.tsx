import { ApiProblem, problemText } from '../api/problem.ts';
import { NavLink } from '../app/nav-link.tsx';
import { usePage } from '../app/page-context.ts';
import { Note } from '../app/note.tsx';

/** Replaces a report that cannot be read. */
export function ReportMissing({ error }: { readonly error: Error }) {
  const { reader } = usePage();
  const isMissing = error instanceof ApiProblem && (error.status === 401 || error.status === 403 || error.status === 404);
  return (
    <Note title={isMissing ? 'Report not found' : 'Something went wrong'}>
      <p>{isMissing ? "It may have been deleted, or you don't have access to it." : problemText(error)}</p>
      {reader && (
        <p>
          <NavLink to="/reports">Go to reports</NavLink>
        </p>
      )}
    </Note>
  );
}
