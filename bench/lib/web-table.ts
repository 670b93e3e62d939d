import type { Page } from 'playwright-core';
import type { Row } from './report.ts';
import { median, quantile } from './stats.ts';
import { untilHolds } from './web-browser.ts';

/** Whether the rows match the chosen order and filter. */
const settled = `document.querySelector('.runs-table tbody th') !== null && document.querySelector('.runs-table').getAttribute('aria-busy') !== 'true'`;

/** Columns to sort by, one after another, first in one direction, then in the other. */
const columns = ['Run', 'Started', 'Duration', 'Last step', 'val/accuracy', 'train/loss', 'lr', 'batch', 'optimizer', 'State'];
/** Names to type into the filter, and conditions on two columns. */
const names = ['run-01', 'run-.*77$', '[13579]$', ''];
const conditions = [
  ['val/accuracy', '> 0.8'],
  ['lr', '0.001..0.01'],
  ['optimizer', 'adam'],
] as const;

/** Values at steps, by key and name. No run ends at these steps. */
const atSteps = [
  ['at:55:val/accuracy', 'val/accuracy (at step 55)'],
  ['at:80:train/loss', 'train/loss (at step 80)'],
  ['at_min:["val/accuracy","train/loss"]', 'val/accuracy (at min of train/loss)'],
] as const;
const clicksAtSteps = 6;

const plotIsDrawn = `document.querySelector('.scatter[aria-busy=false] canvas') !== null`;
/** A part of the plot that changes with the axes and the colors. */
const picture = `[...document.querySelectorAll('.scatter-plot text, .scatter-foot, .scatter-legend')].map((one) => one.textContent).join()`;
/** The choices, in order. */
const plots = [
  ['X-axis scale', 'log'],
  ['Point color', 'h:optimizer'],
  ['Y-axis column', 'm:train/loss'],
  ['X-axis column', 'h:batch'],
  ['Point color', 'm:val/accuracy'],
  ['X-axis column', 'h:optimizer'],
  ['Y-axis column', 'min:train/loss'],
  ['X-axis column', 'duration'],
  ['X-axis column', 'started'],
  ['Y-axis column', 'step'],
] as const;

/**
 * A desktop screen. The window for charts is taller than any screen, and would show 80 rows of a
 * table.
 */
const screen = { width: 1600, height: 1200 };

/**
 * Measures the runs table at `url`, which shows `runs` runs of a generated sweep: the time from a
 * click or a typed character until the rows in the new order or with the new filter, or the points
 * on other axes, are drawn.
 */
export async function tableRows(page: Page, url: string, runs: number): Promise<{ rows: Row[]; samples: Record<string, unknown> }> {
  await page.setViewportSize(screen);
  await page.goto(`${url}?tab=runs`);
  await untilHolds(page, settled);
  const head = (name: string): string =>
    `[...document.querySelectorAll('.runs-table thead button.sort')].find((one) => one.textContent.replace(/[↑↓]/, '') === ${JSON.stringify(name)})`;
  const sorted: Record<string, number[]> = {};
  for (const name of columns) {
    sorted[name] = [];
    for (const _ of ['one direction', 'the other'])
      sorted[name].push(
        await after(
          page,
          `${head(name)}.click()`,
          `${head(name)}.closest('th').ariaSort !== before`,
          `${head(name)}.closest('th').ariaSort`,
        ),
      );
  }
  const filtered: number[] = [];
  const shown = `document.querySelector('.table-toolbar [role=status]').textContent`;
  const type = async (label: string, text: string): Promise<void> => {
    const act = `(() => {
      const input = document.querySelector('[aria-label=${JSON.stringify(label)}]');
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, ${JSON.stringify(text)});
      input.dispatchEvent(new Event('input', { bubbles: true }));
    })()`;
    filtered.push(await after(page, act, `${shown} !== before`, shown));
  };
  for (const text of names) await type('Filter runs by regular expression', text);
  await page.getByRole('button', { name: /^Filters/ }).click();
  for (const [column, text] of conditions) await type(`Filter by ${column}`, text);
  const keys = atSteps.map(([key]) => `column=${encodeURIComponent(key)}`);
  await page.goto(`${url}?tab=runs&${keys.join('&')}`);
  await untilHolds(page, `${settled} && ${head(atSteps[0][1])} !== undefined`);
  const sortedAtSteps: Record<string, number[]> = {};
  for (const [, name] of atSteps) {
    sortedAtSteps[name] = [];
    for (let click = 0; click < clicksAtSteps; click++)
      sortedAtSteps[name].push(
        await after(
          page,
          `${head(name)}.click()`,
          `${head(name)}.closest('th').ariaSort !== before`,
          `${head(name)}.closest('th').ariaSort`,
        ),
      );
  }
  const plotted: number[] = [];
  await page.goto(`${url}?tab=runs&plotX=h:lr&plotY=m:val/accuracy`);
  await untilHolds(page, `${plotIsDrawn} && ${settled}`);
  for (const [label, key] of plots) {
    const act = `(() => {
      const select = document.querySelector('[aria-label=${JSON.stringify(label)}]');
      select.value = ${JSON.stringify(key)};
      select.dispatchEvent(new Event('change', { bubbles: true }));
    })()`;
    plotted.push(await after(page, act, `${picture} !== before && ${plotIsDrawn}`, picture));
  }
  const sorts = Object.values(sorted).flat();
  const count = runs.toLocaleString('en-US');
  return {
    rows: [
      {
        measure: `${count} rows sorted, p95`,
        value: quantile(sorts, 0.95),
        unit: 'ms',
        atMost: 150,
        note: 'from the click to the new rows',
      },
      {
        measure: `${count} rows filtered, p95`,
        value: quantile(filtered, 0.95),
        unit: 'ms',
        atMost: 150,
        note: 'from the key to the new rows',
      },
      {
        measure: `${count} rows first sorted by a value at a step, median`,
        value: median(Object.values(sortedAtSteps).map(([first]) => first!)),
        unit: 'ms',
        note: 'decodes a chunk of each run',
      },
      {
        measure: `${count} rows sorted by a value at a step again, p95`,
        value: quantile(
          Object.values(sortedAtSteps).flatMap(([, ...again]) => again),
          0.95,
        ),
        unit: 'ms',
        atMost: 150,
        note: 'from the click to the new rows',
      },
      {
        measure: `${count} runs plotted, p95`,
        value: quantile(plotted, 0.95),
        unit: 'ms',
        atMost: 300,
        note: 'from another axis, scale or color to the new points',
      },
    ],
    samples: { sorted_ms: sorted, filtered_ms: filtered, sorted_at_steps_ms: sortedAtSteps, plotted_ms: plotted },
  };
}

/**
 * Returns the milliseconds from an action on the page to the end of the first frame with its
 * result. `result` can refer to `before`, the value of the expression of this name before the
 * action.
 */
async function after(page: Page, act: string, result: string, before: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve, reject) => {
    const before = ${before};
    const started = performance.now();
    ${act};
    const look = () => {
      if (performance.now() - started > 30_000) reject(new Error('nothing changed in 30 s'));
      else if (${result} && ${settled}) {
        const channel = new MessageChannel(); // its message comes once the frame is drawn
        channel.port1.onmessage = () => resolve(performance.now() - started);
        channel.port2.postMessage(null);
      } else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  })`);
}
