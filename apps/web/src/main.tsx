import '@fontsource-variable/inter/wght.css';
import './theme/theme.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { mayRetry } from './api/problem.ts';
import { FirstPageContext } from './app/first-page.ts';
import { keepFirst } from './app/keep-first.ts';
import { NavContext } from './app/nav-link.tsx';
import { PageContext } from './app/page-context.ts';
import { type PageData, pageDataId, pageRootId } from './app/page-data.ts';
import { makeRouter } from './app/router.tsx';
import { FirstCharts } from './chart/first-charts.ts';
import { askFirst } from './experiment/ask-first.ts';

/** The page in a browser: takes over the server's HTML. */
const page = JSON.parse(document.getElementById(pageDataId)!.textContent) as PageData;
const element = document.getElementById(pageRootId)!;
const firstCharts = new FirstCharts(element);
const router = makeRouter(page.base);
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

keepFirst(queries, page);
askFirst(queries, page, location.search);

/** Marks for outside observers that the page was drawn by the script. */
function Drawn() {
  useEffect(() => element.setAttribute('data-drawn', ''), []);
  return null;
}

// Not awaited at the top level of the module: lazily loaded parts wait for it to finish
void router.load().then(() =>
  createRoot(element).render(
    <PageContext value={page}>
      <FirstPageContext value={firstCharts}>
        <QueryClientProvider client={queries}>
          <NavContext value={(path) => router.history.push(page.base + path)}>
            <RouterProvider router={router} />
            <Drawn />
          </NavContext>
        </QueryClientProvider>
      </FirstPageContext>
    </PageContext>,
  ),
);
