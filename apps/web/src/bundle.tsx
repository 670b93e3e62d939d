import '@fontsource-variable/inter/wght.css';
import './theme/theme.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createHashHistory, RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiContext } from './api/api-context.ts';
import { FirstPageContext } from './app/first-page.ts';
import { keepFirst } from './app/keep-first.ts';
import { NavContext } from './app/nav-link.tsx';
import { PageContext } from './app/page-context.ts';
import { pageRootId } from './app/page-data.ts';
import { makeRouter } from './app/router.tsx';
import { FirstCharts } from './chart/first-charts.ts';
import { StoredApi } from './stored/stored-api.ts';
import { type StoredIndex, StoredParts } from './stored/stored-data.ts';

/** The page of an experiment or a report that reads the files of a bundle instead of a service. */
async function start(): Promise<void> {
  const element = document.getElementById(pageRootId)!;
  const parts = new StoredParts();
  const index = await parts.load<StoredIndex>('index');
  const { page } = index;
  const home = 'report' in index ? `/reports/${index.report.id}` : `/e/${page.experiment!.experiment.id}`;
  const others = 'report' in index ? index.experiments.map((one) => `/e/${one.page.experiment!.experiment.id}`) : [];
  if (![home, ...others].some((path) => location.hash.startsWith(`#${path}`))) location.replace(`#${home}`);
  const queries = new QueryClient({
    defaultOptions: { queries: { staleTime: Infinity, gcTime: Infinity, retry: false, networkMode: 'always' } },
  });
  keepFirst(queries, page);
  const router = makeRouter('', createHashHistory());
  await router.load();
  function Drawn() {
    useEffect(() => element.setAttribute('data-drawn', ''), []);
    return null;
  }
  createRoot(element).render(
    <PageContext value={page}>
      <ApiContext value={new StoredApi(index, parts)}>
        <QueryClientProvider client={queries}>
          <NavContext value={(path) => router.history.push(path)}>
            <FirstPageContext value={new FirstCharts(null)}>
              <RouterProvider router={router} />
            </FirstPageContext>
            <Drawn />
          </NavContext>
        </QueryClientProvider>
      </ApiContext>
    </PageContext>,
  );
}

start().catch((error: unknown) => {
  document.getElementById(pageRootId)!.textContent =
    `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}.`;
});
