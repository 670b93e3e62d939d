import { z } from 'zod';
import { type Citation, citationBibtex, citationLimits, citationText, digestText, spdxIdentifier } from '#citations';
import type { PublicUrl } from '#http';
import type { ExperimentId } from '#model';
import type { StoredCitation } from '#store';
import { integerJson } from '../experiments/integer-json.ts';
import { exactInteger } from '../json.ts';
import { textUpTo } from '../query-schemas.ts';

/** Citation metadata from the authors of a snapshot. */
export const citationBody = z.strictObject({
  title: textUpTo(citationLimits.maxTitleCharacters, 1).optional().meta({ description: 'Default: the name of the copy.' }),
  authors: z
    .array(textUpTo(citationLimits.maxAuthorCharacters, 1))
    .max(citationLimits.maxAuthors)
    .optional()
    .meta({ description: 'Each as "Jane Doe", "Doe, Jane", or an organization.' }),
  license: textUpTo(citationLimits.maxLicenseCharacters, 1).optional().meta({ description: 'An SPDX identifier, or text.' }),
  published: z.iso
    .date()
    .max(10)
    .refine((date) => date >= '1900-01-01', 'should not be before 1900')
    .optional()
    .meta({ description: 'The date that the citation shows. Default: today (UTC).' }),
});

/** A citation in responses. */
export const citationJson = z.object({
  id: z.string().meta({ description: 'The snapshot. It never changes.' }),
  url: z.url().meta({ description: 'The page of the citation.' }),
  title: z.string(),
  authors: z.array(z.string()),
  license: z.string().nullable(),
  spdx: z
    .string()
    .nullable()
    .meta({ description: 'The license as an SPDX identifier. Null if the license is other text, or if none was given.' }),
  published: z.iso.date(),
  snapshot: z.object({ of: z.string(), epoch: integerJson, taken: z.iso.datetime() }).meta({
    description: 'The source experiment, its frontier at the time of the copy, and that time.',
  }),
  digest: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/)
    .nullable()
    .meta({ description: 'Digest of the content, in the canonical form of docs/snapshots.md. Null until it is computed.' }),
  series: integerJson.meta({
    description: 'Number of series with values. This and the following counts are 0 until the digest is computed.',
  }),
  scalars: integerJson.meta({ description: 'Effective values.' }),
  tensors: integerJson,
  blob_sequences: integerJson,
  text: z.string().meta({ description: 'The citation on one line.' }),
  bibtex: z.string(),
});

/** The path of a citation's page. */
export function citationPath(experimentId: ExperimentId): string {
  return `/e/${experimentId}/citation`;
}

/** A citation with the addresses of this service. */
export function toCitation(experimentId: ExperimentId, stored: StoredCitation, publicUrl: PublicUrl): Citation {
  const { title, authors, license, published, digest } = stored;
  const publisher = `Plotline (${new URL(publicUrl.base).host})`;
  return { id: experimentId, url: publicUrl.at(citationPath(experimentId)), title, authors, license, published, publisher, digest };
}

/** A citation as the API shows it. */
export function toCitationJson(experimentId: ExperimentId, stored: StoredCitation, publicUrl: PublicUrl): z.input<typeof citationJson> {
  const citation = toCitation(experimentId, stored, publicUrl);
  const { id, url, title, authors, license, published, digest } = citation;
  return {
    id,
    url,
    title,
    authors: [...authors],
    license,
    spdx: license === null ? null : spdxIdentifier(license),
    published,
    snapshot: { of: stored.copyOf, epoch: exactInteger(stored.epoch)!, taken: stored.copiedAt.toISOString() },
    digest: digest === null ? null : digestText(digest),
    series: exactInteger(stored.series)!,
    scalars: exactInteger(stored.scalars)!,
    tensors: exactInteger(stored.tensors)!,
    blob_sequences: exactInteger(stored.blobSequences)!,
    text: citationText(citation),
    bibtex: citationBibtex(citation),
  };
}
