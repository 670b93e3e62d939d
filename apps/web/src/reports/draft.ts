/** Unsaved changes to a report, and the version on which they are based. */
export interface Draft {
  readonly title: string;
  readonly body: string;
  readonly version: number;
}

/** Drafts are stored in this browser, separately for each person who uses it. */
function keyOf(person: string, report: string): string {
  return `plotline report ${person} ${report}`;
}

/** A report's draft; null if there is none. */
export function readDraft(person: string, report: string): Draft | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(person, report)) ?? 'null');
    return isDraft(kept) ? kept : null;
  } catch {
    return null; // written by another version, or the browser stores nothing
  }
}

function isDraft(value: unknown): value is Draft {
  if (typeof value !== 'object' || value === null) return false;
  const { title, body, version } = value as Record<string, unknown>;
  return typeof title === 'string' && typeof body === 'string' && typeof version === 'number';
}

/** Stores a draft. Null removes it. Returns false if the browser stores nothing. */
export function keepDraft(person: string, report: string, draft: Draft | null): boolean {
  try {
    if (draft === null) localStorage.removeItem(keyOf(person, report));
    else localStorage.setItem(keyOf(person, report), JSON.stringify(draft));
    return true;
  } catch {
    return false; // the storage is full or disabled
  }
}
