/** Maximum number of experiments with a stored view; the least recently used one is dropped. */
const maxKept = 200;

/**
 * For each experiment, its last view as URL parameters, and when the reader left it (ms since
 * 1970).
 */
type Kept = Readonly<Record<string, readonly [text: string, at: number]>>;

/** Views are stored in this browser, separately for each person who uses it. */
function keyOf(person: string): string {
  return `plotline views ${person}`;
}

function read(person: string): Kept {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(person)) ?? '{}');
    return typeof kept === 'object' && kept !== null ? (kept as Kept) : {};
  } catch {
    return {}; // written by another version, or the browser stores nothing
  }
}

/** The parameters of an experiment's last view; empty if there is none. */
export function lastView(person: string, experiment: string): string {
  const kept = read(person)[experiment];
  return Array.isArray(kept) && typeof kept[0] === 'string' ? kept[0] : '';
}

/**
 * The path of an experiment, with the view that the person last left, or otherwise with its default
 * saved view.
 */
export function experimentPath(
  person: string | undefined,
  { id, default_view: opening }: { id: string; default_view: string | null },
): string {
  const kept = person === undefined ? '' : lastView(person, id);
  const text = kept || (opening ?? '');
  return `/e/${id}${text === '' ? '' : `?${text}`}`;
}

/** Stores an experiment's view; an empty string removes it. */
export function keepView(person: string, experiment: string, text: string): void {
  const { [experiment]: _, ...others } = read(person);
  const newest = Object.entries(others)
    .toSorted(([, [, a]], [, [, b]]) => b - a)
    .slice(0, maxKept - 1);
  const kept = Object.fromEntries(text === '' ? newest : [...newest, [experiment, [text, Date.now()] as const]]);
  try {
    localStorage.setItem(keyOf(person), JSON.stringify(kept));
  } catch {
    // The storage is full or disabled: the view is not stored
  }
}
