import { setTimeout as delay } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from '#testing';

/** Window size: twelve or more charts are in view, both in Plotline's page and in TensorBoard's. */
const viewport = { width: 1600, height: 2600 };

/** Starts the benches' browser, without background work that competes with the page. */
export async function startBrowser(): Promise<Browser> {
  const part = await findChromium();
  if ('missing' in part) throw new Error(part.missing);
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
  return chromium.launch({ executablePath: part.found, args });
}

/** Opens a window with an empty cache. `state`: the session of the signed-in user. */
export async function freshPage(
  browser: Browser,
  state?: Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['storageState']>>,
): Promise<Page> {
  const context = await browser.newContext({ viewport, ...(state && { storageState: state }) });
  return context.newPage();
}

/**
 * Opens a URL and returns the milliseconds until each condition was first true, checked in every
 * frame. Conditions are expressions in the page.
 */
export async function timeUntil<Name extends string>(
  page: Page,
  url: string,
  conditions: Readonly<Record<Name, string>>,
  timeoutMs = 120_000,
): Promise<Record<Name, number>> {
  const script = `
    globalThis.plotlineSeen = {};
    const look = () => {
      for (const name of Object.keys(checks)) {
        if (name in plotlineSeen) continue;
        let holds = false;
        try { holds = checks[name](); } catch {}
        if (holds) plotlineSeen[name] = performance.now();
      }
      requestAnimationFrame(look);
    };
    const checks = { ${Object.entries<string>(conditions)
      .map(([name, text]) => `${JSON.stringify(name)}: () => (${text})`)
      .join(', ')} };
    requestAnimationFrame(look);`;
  await page.addInitScript(script);
  await page.goto(url, { waitUntil: 'commit' });
  await untilHolds(page, `Object.keys(globalThis.plotlineSeen ?? {}).length === ${Object.keys(conditions).length}`, timeoutMs);
  return page.evaluate('plotlineSeen');
}

/**
 * Waits until an expression in the page is true. Each check is a new evaluation, because the page's
 * policy forbids evaluating text from within the page.
 */
export async function untilHolds(page: Page, expression: string, timeoutMs = 120_000): Promise<void> {
  for (const end = performance.now() + timeoutMs; performance.now() < end; await delay(25))
    if (await page.evaluate<boolean>(expression)) return;
  throw new Error(`after ${timeoutMs / 1000} s this still did not hold: ${expression}`);
}

/**
 * Returns the milliseconds from each event of a kind to the end of the frame that shows its effect,
 * while `act` runs.
 */
export async function framesAfter(page: Page, kind: string, act: () => Promise<void>): Promise<number[]> {
  await page.evaluate(`
    globalThis.plotlineFrames = [];
    const listen = (event) => requestAnimationFrame(() => {
      const channel = new MessageChannel(); // its message comes once the frame is drawn
      channel.port1.onmessage = () => plotlineFrames.push(performance.now() - event.timeStamp);
      channel.port2.postMessage(null);
    });
    document.addEventListener(${JSON.stringify(kind)}, listen, true);
    globalThis.plotlineStop = () => document.removeEventListener(${JSON.stringify(kind)}, listen, true);`);
  await act();
  return page.evaluate(`new Promise((resolve) => setTimeout(() => { plotlineStop(); resolve(plotlineFrames); }, 200))`);
}

/** Returns the size of the script heap in bytes after a garbage collection. */
export async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}
