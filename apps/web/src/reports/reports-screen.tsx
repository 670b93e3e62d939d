import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { visibleText } from '#charts';
import { Api } from '../api/api.ts';
import { problemText } from '../api/problem.ts';
import type { ReportJson, ReportSummaryJson } from '../api/types.ts';
import { Day } from '../app/day.tsx';
import { Frame } from '../app/frame.tsx';
import { NavLink } from '../app/nav-link.tsx';
import { usePage } from '../app/page-context.ts';
import { useMay } from '../app/use-may.ts';
import { reportsKey } from './report-key.ts';

/** The workspace's reports, last changed first. */
export default function ReportsScreen() {
  const { base } = usePage();
  const { history } = useRouter();
  const api = useMemo(() => new Api(base), [base]);
  const client = useQueryClient();
  const mayWrite = useMay()('report.write');
  const { data, error } = useQuery({
    queryKey: reportsKey,
    queryFn: ({ signal }) => api.list<ReportSummaryJson>('/reports?page_size=1000', 'reports', signal),
    staleTime: 0,
  });
  const create = useMutation({
    mutationFn: () => api.send<ReportJson>('POST', '/reports', { title: 'Untitled report' }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: reportsKey });
      history.push(`${base}/reports/${id}/edit`);
    },
  });
  useEffect(() => {
    document.title = 'Reports · Plotline';
  }, []);
  const failed = create.error ?? error;
  return (
    <Frame>
      <main className="page narrow" aria-busy={!data && !error}>
        <div className="page-head">
          <h1>Reports</h1>
          {mayWrite && (
            <button type="button" className="primary" disabled={create.isPending} onClick={() => create.mutate()}>
              New report
            </button>
          )}
        </div>
        <p className="dim">Reports explain results: Markdown with charts, tables and images of your experiments.</p>
        {failed && <p className="bad">{problemText(failed)}</p>}
        {data?.length === 0 && <p className="dim">No reports yet.</p>}
        {data && data.length > 0 && <Reports reports={data} />}
      </main>
    </Frame>
  );
}

function Reports({ reports }: { readonly reports: readonly ReportSummaryJson[] }) {
  return (
    <div className="scroll" role="region" aria-label="Reports" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th>Title</th>
            <th className="wide">Created by</th>
            <th>Last change</th>
          </tr>
        </thead>
        <tbody>
          {reports.map(({ id, title, owner, updated, updated_by: by }) => (
            <tr key={id}>
              <td className="title">
                <NavLink to={`/reports/${id}`}>{visibleText(title)}</NavLink>
              </td>
              <td className="wide">{owner ? visibleText(owner.name) : <span className="dim">former member</span>}</td>
              <td>
                <Day of={updated} />
                {by && by.id !== owner?.id && <span className="dim"> by {visibleText(by.name)}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
