import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { formatCount, visibleText } from '#charts';
import { Api } from '../api/api.ts';
import { problemText } from '../api/problem.ts';
import type { QuotaJson, UsageJson } from '../api/types.ts';
import { formatBytes } from '../app/bytes.ts';
import { Frame } from '../app/frame.tsx';
import { usePage } from '../app/page-context.ts';

/** The names of the quotas, the most important first. */
const names: Readonly<Record<keyof UsageJson['quotas'], string>> = {
  points: 'Points',
  bytes: 'Bytes stored',
  experiments: 'Experiments',
  series: 'Series',
  files: 'Event files',
  pending_bytes: 'Pending ingestion',
  requests_per_minute: 'Requests this minute',
};

/** The workspace's usage and its quotas. */
export default function UsageScreen() {
  const { base, usage: given } = usePage();
  const api = useMemo(() => new Api(base), [base]);
  const { data, error } = useQuery({
    queryKey: ['usage'],
    queryFn: ({ signal }) => api.get<UsageJson>('/usage', signal),
    initialData: given,
    initialDataUpdatedAt: 0,
    refetchInterval: 10_000,
  });
  useEffect(() => {
    document.title = 'Usage · Plotline';
  }, []);
  return (
    <Frame>
      <main className="page narrow" aria-busy={!data && !error}>
        <h1>Usage</h1>
        {error && !data && <p className="bad">{problemText(error)}</p>}
        {data && <Content usage={data} />}
      </main>
    </Frame>
  );
}

function Content({ usage: { quotas, bytes, suspension } }: { readonly usage: UsageJson }) {
  return (
    <>
      {suspension && (
        <p className="bad">
          This workspace has been {suspension.mode === 'read-only' ? 'read-only' : 'closed'} since {suspension.since.slice(0, 10)}:{' '}
          {visibleText(suspension.reason)}
        </p>
      )}
      <div className="scroll" role="region" aria-label="Quotas" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>Quota</th>
              <th className="number">Used</th>
              <th className="number">Limit</th>
              <th className="number">Used %</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(names).map(([name, title]) => (
              <Line key={name} name={name} title={title} quota={quotas[name as keyof typeof quotas]} />
            ))}
          </tbody>
        </table>
      </div>
      <p className="dim">
        Stored: {formatBytes(bytes.originals)} of event files and {formatBytes(bytes.values)} of tensors and media extracted from them
        {bytes.being_deleted > 0 && <>; {formatBytes(bytes.being_deleted)} are being deleted</>}. The operator of this service sets the
        limits.
      </p>
    </>
  );
}

function Line({ name, title, quota }: { readonly name: string; readonly title: string; readonly quota: QuotaJson }) {
  const { used, limit, state } = quota;
  const show = name.endsWith('bytes') ? formatBytes : formatCount;
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  return (
    <tr>
      <th scope="row">{title}</th>
      <td className="number" title={formatCount(used)}>
        {show(used)}
      </td>
      <td className="number" title={formatCount(limit)}>
        {show(limit)}
      </td>
      <td className="number">
        <span className="share">
          <svg className={`share-bar ${state}`} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
            <rect className="all" width="100" height="6" />
            <rect width={100 * share} height="6" />
          </svg>
          <span className={state === 'ok' ? undefined : 'bad'}>{shareText(used, limit)}</span>
        </span>
      </td>
    </tr>
  );
}

/** Whole percent, rounded down. Only a full quota shows 100 %, and only an unused one shows 0 %. */
function shareText(used: number, limit: number): string {
  if (limit === 0) return '–';
  const percent = Math.floor((used / limit) * 100);
  return percent === 0 && used > 0 ? '< 1 %' : `${percent} %`;
}
