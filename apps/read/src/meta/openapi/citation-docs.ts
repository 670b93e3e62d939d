import { z } from 'zod';
import { citationBibtex, type Citation, citationDataCite, citationText } from '#citations';
import { citationJson } from '../../citations/citation-json.ts';
import { examples } from './examples.ts';
import { json, type RouteDoc } from './route-doc.ts';

const source = 'aR7vT9qLmX2bN8cRz5WfYh';
const digest = '5b'.repeat(32);
const citation: Citation = {
  id: examples.id,
  url: `https://plotline.example/e/${examples.id}/citation`,
  title: 'Learning rates of ResNet-50',
  authors: ['Doe, Jane'],
  license: 'CC-BY-4.0',
  published: '2026-11-27',
  publisher: 'Plotline (plotline.example)',
  digest,
};
const path = '/api/v1/experiments/:experimentId/citation';
const problems = ['experiment-not-found', 'forbidden', 'citation-not-found'] as const;
const forWhom = 'Visitors need a public snapshot, or a link to the whole snapshot; the link must not be anonymous.';

export const citationDocs: readonly RouteDoc[] = [
  {
    method: 'GET',
    path,
    tag: 'experiments',
    summary: 'Get the citation of a snapshot',
    about: `A snapshot has a citation if it was created with one. The service computes the digest of its content in the background. ${forWhom}`,
    responses: [
      json(citationJson, 'The citation.', {
        id: citation.id,
        url: citation.url,
        title: citation.title,
        authors: [...citation.authors],
        license: citation.license,
        spdx: 'CC-BY-4.0',
        published: citation.published,
        snapshot: { of: source, epoch: 12, taken: '2026-11-27T00:00:00.000Z' },
        digest: `sha256:${digest}`,
        series: 8,
        scalars: 60_000,
        tensors: 0,
        blob_sequences: 12,
        text: citationText(citation),
        bibtex: citationBibtex(citation),
      }),
    ],
    problems,
  },
  {
    method: 'GET',
    path: `${path}/bibtex`,
    tag: 'experiments',
    summary: 'Get the citation of a snapshot as BibTeX',
    about: forWhom,
    responses: [{ status: 200, about: 'A BibTeX file with one entry.', content: { 'application/x-bibtex': null } }],
    problems,
  },
  {
    method: 'GET',
    path: `${path}/datacite`,
    tag: 'experiments',
    summary: 'Get the metadata of a DOI for a snapshot',
    about: `The body of a request that creates a DOI at DataCite (metadata schema 4), without the DOI. ${forWhom}`,
    responses: [
      json(
        z.object({ data: z.object({ type: z.literal('dois'), attributes: z.record(z.string(), z.unknown()) }) }),
        'The metadata.',
        citationDataCite(citation, { url: `https://plotline.example/e/${source}`, values: 60_012 }),
      ),
    ],
    problems,
  },
  {
    method: 'GET',
    path: '/e/:experimentId/citation',
    tag: 'pages',
    summary: 'Show the citation page',
    about: 'How to cite a snapshot, the experiment that it copies, and the digest of its content. The page has no scripts.',
    responses: [{ status: 200, about: 'A page.', content: { 'text/html': null } }],
    problems,
  },
];
