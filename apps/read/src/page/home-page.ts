import { Html, html } from '#http';
import type { ExperimentSummary } from '#store';
import type { QuotaUse } from '#workspaces';
import { titleOf } from './experiment-page.ts';
import { count, moment, size } from './format.ts';
import { warnings } from '../usage/usage-page.ts';
import { command } from './shell.ts';

/** The content of the home page. */
export interface HomePage {
  readonly experiments: readonly ExperimentSummary[];
  /** Public URL of the service. */
  readonly base: string;
  readonly basePath: string;
  readonly next: string | null;
  /** Quotas that are nearly used up. */
  readonly near: readonly QuotaUse[];
}

/** The experiments of the workspace, newest first. */
export function homePage(page: HomePage): Html {
  const upload = command(`PLOTLINE_SERVER=${page.base} npm run -s plotline -- upload --logdir ./logs`);
  if (page.experiments.length === 0) {
    return html`<h1>Experiments</h1>
      ${warnings(page.near)}
      <p>No experiments yet. To upload one, run this in a Plotline checkout:</p>
      ${upload}
      <p class="dim">The command watches the directory and uploads new data until you press Ctrl-C.</p>`;
  }
  return html`<h1>Experiments</h1>
    ${warnings(page.near)}
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Name</th>
            <th class="wide">Owner</th>
            <th>Created (UTC)</th>
            <th class="number">Runs</th>
            <th class="number">Points</th>
            <th class="number wide">Size</th>
          </tr>
        </thead>
        <tbody>
          ${page.experiments.map(
            (experiment) =>
              html`<tr>
                <td class="title"><a href="${page.basePath}/e/${experiment.experimentId}">${titleOf(experiment)}</a></td>
                <td class="wide">${experiment.ownerName}</td>
                <td>${moment(experiment.createdAt.getTime() / 1000)}</td>
                <td class="number">${count(experiment.runs)}</td>
                <td class="number">${count(experiment.points)}</td>
                <td class="number wide">${size(experiment.acknowledgedBytes)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${page.next === null ? null : html`<p><a href="${page.basePath}/?plain&amp;page_token=${page.next}">Older</a></p>`}
    <h2>Upload another</h2>
    ${upload}
    <p class="dim"><a href="${page.basePath}/usage">Usage of this workspace</a></p>`;
}
