/** A citable snapshot, as every form of its citation shows it. */
export interface Citation {
  /** The id of the experiment that is the snapshot; never changes. */
  readonly id: string;
  /** The citation's page. */
  readonly url: string;
  readonly title: string;
  /** In the form that the authors use: "Jane Doe", "Doe, Jane" or an organization. May be empty. */
  readonly authors: readonly string[];
  /** An SPDX identifier, or text. Null if none was given. */
  readonly license: string | null;
  /** YYYY-MM-DD. */
  readonly published: string;
  /** The service that keeps the snapshot. */
  readonly publisher: string;
  /** SHA-256 of the content, 64 hexadecimal digits. Null if it is not computed yet. */
  readonly digest: string | null;
}

/** Limits for user input. */
export const citationLimits = { maxTitleCharacters: 300, maxAuthors: 100, maxAuthorCharacters: 200, maxLicenseCharacters: 200 } as const;

/** The content digest with the name of its algorithm. */
export function digestText(digest: string): string {
  return `sha256:${digest}`;
}

/** Plain text on one line: control characters and bidirectional controls become spaces. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]+/g, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}
