export { citationBibtex } from './bibtex.ts';
export { type Citation, citationLimits, digestText } from './citation.ts';
export { citationText } from './citation-text.ts';
export { ContentDigest, type DigestedContent } from './content-digest.ts';
export { citationDataCite } from './datacite.ts';
export { spdxIdentifier, spdxUrl } from './licenses.ts';
export { SeriesDigest } from './series-digest.ts';
