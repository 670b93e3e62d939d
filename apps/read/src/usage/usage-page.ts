import { Html, html } from '#http';
import type { Suspension, Usage } from '#store';
import { quotaTitles, type QuotaUse } from '#workspaces';
import { count, moment, size } from '../page/format.ts';
import { shareOf, warningText } from './warning-text.ts';

/** The content of the usage page. */
export interface UsagePage {
  readonly uses: readonly QuotaUse[];
  readonly usage: Usage;
  readonly suspension: Suspension | null;
}

/** Every quota with its usage. */
export function usagePage({ uses, usage, suspension }: UsagePage): Html {
  return html`<h1>Usage</h1>
    ${suspension === null ? null : suspended(suspension)} ${warnings(uses)}
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Quota</th>
            <th class="number">Used</th>
            <th class="number">Of</th>
            <th class="number">Share</th>
          </tr>
        </thead>
        <tbody>
          ${uses.map(
            (use) =>
              html`<tr>
                <td class="title">${quotaTitles[use.name]}</td>
                <td class="number">${amount(use, use.used)}</td>
                <td class="number">${amount(use, use.limit)}</td>
                <td class="number">${shareOf(use)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p class="dim">
      Stored: ${size(usage.originalBytes)} of event files, ${size(usage.valueBytes)} of tensors and blobs extracted from
      them${usage.exportBytes > 0 ? html`, ${size(usage.exportBytes)} of export results` : null}${usage.deletingBytes > 0 ? html`, and ${size(usage.deletingBytes)} of data being deleted` : null}.
    </p>`;
}

/** One line for each quota that is nearly or fully used. */
export function warnings(uses: readonly QuotaUse[]): Html | null {
  const near = uses.filter(({ state }) => state !== 'ok');
  if (near.length === 0) return null;
  return html`${near.map((use) => html`<p class="bad">${warningText(use)}</p>`)}`;
}

function suspended({ mode, reason, since }: Suspension): Html {
  return html`<p>
    This workspace has been ${mode === 'read-only' ? 'read-only' : 'closed'} since ${moment(since.getTime() / 1_000)}: ${reason}
  </p>`;
}

function amount({ name }: QuotaUse, value: number): Html | string {
  return name === 'bytes' || name === 'pending_bytes' ? size(value) : count(value);
}
