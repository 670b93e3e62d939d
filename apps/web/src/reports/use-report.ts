import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { use, useEffect, useMemo } from 'react';
import { visibleText } from '#charts';
import { Api } from '../api/api.ts';
import { ApiContext } from '../api/api-context.ts';
import type { ReportJson } from '../api/types.ts';
import { usePage } from '../app/page-context.ts';
import { reportKey } from './report-key.ts';

/** The report whose id is in the URL. */
export function useReport() {
  const { base } = usePage();
  const { reportId: id = '' } = useParams({ strict: false });
  const given = use(ApiContext);
  const api = useMemo(() => given ?? new Api(base), [given, base]);
  const { data, error } = useQuery({
    queryKey: reportKey(id),
    queryFn: ({ signal }) => api.get<ReportJson>(`/reports/${encodeURIComponent(id)}`, signal),
    staleTime: 0,
  });
  const title = data ? visibleText(data.title) : 'Report';
  useEffect(() => {
    document.title = `${title} · Plotline`;
  }, [title]);
  return { api, id, report: data, error };
}
