import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';
import { Cli, Service, type ServiceOptions, type Uploaded } from '../e2e/service.ts';

/**
 * Root needs the first flag, which is acceptable because the browser renders only our pages. The
 * other flags prevent the browser from sending its own requests and from resolving other hosts.
 */
const browserArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1',
  '--force-color-profile=srgb',
];

/** How long a busy machine may need for actions that a page normally does immediately. */
const timeLimitMs = 60_000;

/** A real service with a real browser. */
export class Site {
  readonly service: Service;
  readonly browser: Browser;
  readonly #folder: string;
  readonly #contexts = new Set<BrowserContext>();
  #signedIn: Awaited<ReturnType<BrowserContext['storageState']>> | undefined;

  private constructor(service: Service, browser: Browser, folder: string) {
    this.service = service;
    this.browser = browser;
    this.#folder = folder;
  }

  /**
   * `executable` is the browser, by default the tests' browser. `options` are the service's
   * options.
   */
  static async start(executable = chromiumPath(), options: ServiceOptions = {}): Promise<Site> {
    const folder = await mkdtemp(join(tmpdir(), 'plotline-web-'));
    const env = { PLOTLINE_PRINT_SIGN_IN_LINK: 'always', ...options.env };
    const service = await Service.start({ ...options, processes: 'embedded', env });
    const browser = await chromium.launch({ executablePath: executable, args: browserArguments });
    const site = new Site(service, browser, folder);
    await site.#signIn();
    return site;
  }

  /**
   * Uses the link that the service printed, as a member would. Afterward, the cookie applies to all
   * windows.
   */
  async #signIn(): Promise<void> {
    const [, link] = /^.*(http:\/\/\S+\/sign-in\/\S+)$/m.exec(this.service.output)!;
    const context = await this.browser.newContext();
    context.setDefaultTimeout(timeLimitMs);
    await (await context.newPage()).goto(link!);
    this.#signedIn = await context.storageState();
    await context.close();
  }

  /** Creates a folder below the site's. */
  folder(name: string): string {
    return join(this.#folder, name);
  }

  /** Uploads a log directory with the real CLI, and waits until everything is visible. */
  upload(logdir: string, ...args: string[]): Promise<Uploaded> {
    return new Cli(this.service, this.folder('state')).json<Uploaded>('upload', '--logdir', logdir, '--one-shot', ...args);
  }

  /**
   * Opens a browser window for the signed-in owner, or for a visitor, until the test ends. Collects
   * the window's faults.
   */
  async visit(options: VisitOptions = {}): Promise<Visit> {
    const { width = 1280, height = 800, dark = false, scripts = true, held = false, scale = 1, stranger = false, token } = options;
    const context = await this.browser.newContext({
      baseURL: this.service.url,
      viewport: { width, height },
      colorScheme: dark ? 'dark' : 'light',
      javaScriptEnabled: scripts,
      deviceScaleFactor: scale,
      hasTouch: width < 700,
      locale: 'en-GB',
      timezoneId: 'Europe/Zurich',
      ...(!stranger && { storageState: this.#signedIn }),
      ...(token !== undefined && { extraHTTPHeaders: { Authorization: `Bearer ${token}` } }),
    });
    this.#contexts.add(context);
    // Otherwise, an unused page would still follow its experiment.
    if (expect.getState().currentTestName !== undefined) onTestFinished(() => context.close());
    context.setDefaultTimeout(timeLimitMs);
    // The page requests this script, but the server never responds.
    if (held) await context.route(/\.js$/, () => undefined);
    return Visit.begin(await context.newPage(), this.service.url);
  }

  async close(): Promise<void> {
    for (const context of this.#contexts) await context.close();
    await this.browser.close();
    await this.service.dispose();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** The tests' browser. */
export function chromiumPath(): string {
  const { chromium: part } = inject('parts');
  if ('missing' in part) throw new Error(part.missing);
  return part.found;
}

export interface VisitOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  readonly scripts?: boolean;
  /** The page remains as the server sent it; its script never loads. */
  readonly held?: boolean;
  readonly scale?: number;
  /** Nobody is signed in in this browser. */
  readonly stranger?: boolean;
  /** Sent with every request, instead of the cookie. */
  readonly token?: string;
}

/** A window and its faults: errors, console warnings, requests to other hosts. */
export class Visit {
  readonly page: Page;
  readonly faults: string[] = [];
  readonly requests: string[] = [];

  private constructor(page: Page) {
    this.page = page;
  }

  static begin(page: Page, origin: string): Visit {
    const visit = new Visit(page);
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) visit.faults.push(`${message.type()}: ${message.text()}`);
    });
    page.on('dialog', (dialog) => {
      visit.faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('pageerror', (error) => visit.faults.push(`thrown: ${error.message}`));
    page.on('request', (request) => {
      const url = new URL(request.url());
      visit.requests.push(`${request.method()} ${url.pathname}${url.search}`);
      if (url.origin !== origin && url.protocol !== 'blob:') visit.faults.push(`asked elsewhere: ${request.url()}`);
    });
    return visit;
  }

  /** Opens a URL and waits until the script has drawn everything in view. */
  async open(path: string): Promise<void> {
    await this.page.goto(path);
    await this.settled();
  }

  /** Waits until every chart in view is drawn and nothing is loading. */
  async settled(): Promise<void> {
    while (!(await this.page.evaluate<boolean>(drawn))) await this.page.evaluate('new Promise(requestAnimationFrame)');
  }

  /** Hides or shows the window, as if behind another window. */
  async hide(hidden: boolean): Promise<void> {
    await this.page.evaluate(`
      Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
      Object.defineProperty(document, 'visibilityState', { value: '${hidden ? 'hidden' : 'visible'}', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));`);
  }

  /** Returns the card of a tag. */
  card(tag: string) {
    return this.page.locator(`article[aria-label=${JSON.stringify(tag)}]`).first();
  }
}

/**
 * Evaluated in the page: true if the page is hydrated, nothing is loading, and every chart shows
 * its canvas or an error.
 */
const drawn = `
  document.querySelector('#page[data-drawn]') !== null &&
  document.querySelector('[aria-busy=true], .first-chart') === null &&
  [...document.querySelectorAll('.card .chart')].every((chart) => chart.querySelector('.uplot, .chart-message'))`;
