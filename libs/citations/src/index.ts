export { citationBibtex } from './bibtex.ts';
export { type Citation, citationLimits, digestText } from './citation.ts';
export { citationText } from './citation-text.ts';
export { ContentDigest, type DigestedContent } from './content-digest.ts';
export { citationDataCite, type CitedSource } from './datacite.ts';
export { spdxIdentifier, spdxUrl } from './licenses.ts';
export { type DigestedBlob, SeriesDigest, StepsNotRising } from './series-digest.ts';
