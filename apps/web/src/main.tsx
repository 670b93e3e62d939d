import '@fontsource-variable/inter/wght.css';
import './theme/theme.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { searchWithRun } from '#charts';
import { mayRetry } from './api/problem.ts';
import { FirstPageContext } from './app/first-page.ts';
import { Header } from './app/frame.tsx';
import { keepFirst } from './app/keep-first.ts';
import { NavContext } from './app/nav-link.tsx';
import { PageContext } from './app/page-context.ts';
import { headerRootId, type PageData, pageDataId, pageRootId } from './app/page-data.ts';
import { makeRouter } from './app/router.tsx';
import { FirstCharts } from './chart/first-charts.ts';
import { askFirst } from './experiment/ask-first.ts';

/** The page in a browser: hydrates the server's HTML. */
const page = JSON.parse(document.getElementById(pageDataId)!.textContent) as PageData;
const element = document.getElementById(pageRootId)!;
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity, // the event stream reports when data is outdated
      gcTime: 120_000,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 3 && mayRetry(error),
    },
  },
});

/** Signals to outside observers, such as tests, that the script has rendered the page. */
function Drawn() {
  useEffect(() => element.setAttribute('data-drawn', ''), []);
  return null;
}

function render(root: HTMLElement, go: (path: string) => void, content: ReactNode): void {
  createRoot(root).render(
    <PageContext value={page}>
      <QueryClientProvider client={queries}>
        <NavContext value={go}>
          {content}
          <Drawn />
        </NavContext>
      </QueryClientProvider>
    </PageContext>,
  );
}

if (page.apart) {
  const load = (path: string): void => location.assign(page.base + path);
  render(document.getElementById(headerRootId)!, load, <Header />);
} else {
  const firstCharts = new FirstCharts(element);
  const router = makeRouter(page.base);
  keepFirst(queries, page);
  askFirst(queries, page, searchWithRun(location.pathname, location.search));
  // Not awaited at the module's top level, because lazily loaded parts wait for the module to
  // finish
  void router.load().then(() =>
    render(
      element,
      (path) => router.history.push(page.base + path),
      <FirstPageContext value={firstCharts}>
        <RouterProvider router={router} />
      </FirstPageContext>,
    ),
  );
}
