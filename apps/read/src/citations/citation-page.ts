import { countText } from '#charts';
import { type Citation, citationBibtex, citationText, digestText, spdxIdentifier, spdxUrl } from '#citations';
import { type Html, html } from '#http';
import type { StoredCitation } from '#store';
import { count, moment } from '../page/format.ts';
import { command } from '../page/shell.ts';

/** The page of a citation: the cited data, how to cite it, and how to check it. */
export function citationPage(citation: Citation, stored: StoredCitation, basePath: string): Html {
  const { id, title, authors, published } = citation;
  const api = `${basePath}/api/v1/experiments/${id}/citation`;
  return html`<h1>${title}</h1>
    ${authors.length === 0 ? null : html`<p class="about">${authors.join('; ')}</p>`}
    <p class="facts">
      <span>Published ${published}</span>${license(citation)}
      <span>A snapshot: its content never changes</span>
    </p>
    <div class="row">
      <a class="button primary" href="${basePath}/e/${id}">Open the snapshot</a>
    </div>
    <h2>Cite as</h2>
    ${command(citationText(citation))}
    <h2>BibTeX</h2>
    ${command(citationBibtex(citation))}
    <p><a href="${api}/bibtex">Download BibTeX</a> · <a href="${api}/datacite">Metadata for a DOI (DataCite JSON)</a></p>
    <h2>Content</h2>
    <table>
      <tbody>
        <tr>
          <th scope="row">Snapshot</th>
          <td class="name">${id}</td>
        </tr>
        <tr>
          <th scope="row">Copy of</th>
          <td class="name">experiment ${stored.copyOf}, epoch ${count(stored.epoch)}</td>
        </tr>
        <tr>
          <th scope="row">Taken (UTC)</th>
          <td>${moment(stored.copiedAt.getTime() / 1000)}</td>
        </tr>
        ${contentRows(stored)}
      </tbody>
    </table>
    <h2>Verify</h2>
    <p>The CLI computes the digest from the content. The second command needs no server:</p>
    ${command(`plotline verify ${id} --snapshot`)}
    ${command(`plotline export ${id} --format events --outdir ${id}\nplotline verify --snapshot --logdir ${id}`)}`;
}

function license({ license: text }: Citation): Html | null {
  if (text === null) return null;
  const id = spdxIdentifier(text);
  return id === null ? html`<span>License: ${text}</span>` : html`<span>License: <a rel="license" href="${spdxUrl(id)}">${id}</a></span>`;
}

function contentRows({ digest, series, scalars, tensors, blobSequences }: StoredCitation): Html {
  if (digest === null)
    return html`<tr>
      <th scope="row">Content digest</th>
      <td class="dim">In progress. Reload this page in a moment.</td>
    </tr>`;
  return html`<tr>
      <th scope="row">Values</th>
      <td class="title">
        ${countText(scalars, 'scalar')}, ${countText(tensors, 'tensor')} and ${countText(blobSequences, 'blob sequence')} in
        ${countText(series, 'series', 'series')}
      </td>
    </tr>
    <tr>
      <th scope="row">Content digest</th>
      <td class="name">${digestText(digest)}</td>
    </tr>`;
}
