import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { visibleText } from '#charts';
import type { Api } from '../api/api.ts';
import { problemText } from '../api/problem.ts';
import type { ReportJson } from '../api/types.ts';
import { ConfirmButton } from '../app/confirm-button.tsx';
import { Day } from '../app/day.tsx';
import { Frame } from '../app/frame.tsx';
import { NavLink } from '../app/nav-link.tsx';
import { usePage } from '../app/page-context.ts';
import { useMay } from '../app/use-may.ts';
import { ReportMissing } from './report-missing.tsx';
import { reportKey, reportsKey } from './report-key.ts';
import { ReportText } from './report-text.tsx';
import { ShareReport } from './share-report.tsx';
import { useReport } from './use-report.ts';

/** A report, to read. */
export default function ReportScreen() {
  const { api, report, error } = useReport();
  return (
    <Frame>
      {error && !report ? (
        <ReportMissing error={error} />
      ) : (
        <main className="page report" aria-busy={!report}>
          {report && <Content api={api} report={report} />}
        </main>
      )}
    </Frame>
  );
}

function Content({ api, report }: { readonly api: Api; readonly report: ReportJson }) {
  const { id, title, body, owner, updated, updated_by: by } = report;
  const { base } = usePage();
  const { history } = useRouter();
  const client = useQueryClient();
  const may = useMay();
  const mayWrite = may('report.write');
  const remove = useMutation({
    mutationFn: () => api.send('DELETE', `/reports/${id}`),
    onSuccess: async () => {
      history.push(`${base}/reports`);
      client.removeQueries({ queryKey: reportKey(id) });
      await client.invalidateQueries({ queryKey: reportsKey });
    },
  });
  return (
    <>
      <div className="page-head">
        <h1>{visibleText(title)}</h1>
        <div className="buttons">
          {mayWrite && (
            <NavLink className="button" to={`/reports/${id}/edit`}>
              Edit
            </NavLink>
          )}
          {may('report.share', owner?.id ?? null) && <ShareReport id={id} />}
          {may('report.delete', owner?.id ?? null) && (
            <ConfirmButton
              ask="Delete for everyone?"
              label={visibleText(title)}
              disabled={remove.isPending}
              onConfirm={() => remove.mutate()}
            >
              Delete
            </ConfirmButton>
          )}
        </div>
      </div>
      <p className="dim">
        {owner && <>By {visibleText(owner.name)}. </>}
        Changed <Day of={updated} />
        {by && by.id !== owner?.id && <> by {visibleText(by.name)}</>}
      </p>
      {remove.error && <p className="bad">{problemText(remove.error)}</p>}
      {body.trim() === '' ? (
        <p className="dim">This report is empty. {mayWrite && <NavLink to={`/reports/${id}/edit`}>Write it</NavLink>}</p>
      ) : (
        <ReportText text={body} />
      )}
    </>
  );
}
