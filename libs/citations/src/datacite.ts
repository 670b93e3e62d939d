import { type Citation, digestText, oneLine } from './citation.ts';
import { spdxIdentifier, spdxUrl } from './licenses.ts';

/** The experiment that a snapshot copies, and the content of the snapshot. */
export interface CitedSource {
  /** The experiment's page; null if not shown. */
  readonly url: string | null;
  readonly values: number;
}

/**
 * The metadata of a DOI for the snapshot: the body of a request that creates a DOI at DataCite
 * (metadata schema 4). The party that registers the DOI adds `prefix` or `doi`.
 */
export function citationDataCite(citation: Citation, source: CitedSource): object {
  const { id, url, title, authors, license, published, publisher, digest } = citation;
  const spdx = license === null ? null : spdxIdentifier(license);
  const names = authors.map(oneLine).filter((name) => name !== '');
  return {
    data: {
      type: 'dois',
      attributes: {
        url,
        // DataCite requires a creator; this is DataCite's code for an unknown value
        creators: names.length > 0 ? names.map(creator) : [{ name: ':unav' }],
        titles: [{ title: oneLine(title) }],
        publisher: { name: oneLine(publisher) },
        publicationYear: Number(published.slice(0, 4)),
        types: { resourceTypeGeneral: 'Dataset', resourceType: 'Training logs' },
        dates: [{ date: published, dateType: 'Issued' }],
        alternateIdentifiers: [
          { alternateIdentifier: id, alternateIdentifierType: 'Plotline snapshot' },
          ...(digest === null ? [] : [{ alternateIdentifier: digestText(digest), alternateIdentifierType: 'Content digest' }]),
        ],
        rightsList:
          license === null
            ? []
            : spdx === null
              ? [{ rights: oneLine(license) }]
              : [
                  {
                    rights: spdx,
                    rightsUri: spdxUrl(spdx),
                    rightsIdentifier: spdx,
                    rightsIdentifierScheme: 'SPDX',
                    schemeUri: 'https://spdx.org/licenses/',
                  },
                ],
        relatedIdentifiers:
          source.url === null ? [] : [{ relatedIdentifier: source.url, relatedIdentifierType: 'URL', relationType: 'IsVersionOf' }],
        sizes: [`${source.values} values`],
        version: '1',
        schemaVersion: 'http://datacite.org/schema/kernel-4',
      },
    },
  };
}

function creator(name: string): object {
  const [familyName, givenName, ...more] = name.split(',').map((part) => part.trim());
  return familyName && givenName && more.length === 0 ? { name, nameType: 'Personal', familyName, givenName } : { name };
}
