/** A property of the view in the address. */
export interface Field<T> {
  /** The property's value in an address without parameters. */
  readonly plain: T;
  /** Ignores invalid parameters. */
  readonly read: (parameters: URLSearchParams) => T;
  /** Appends the values that differ from `plain`. */
  readonly write: (value: T, parameters: URLSearchParams) => void;
}

/** A field for each property of a part of the view. */
export type Fields<Part> = { readonly [Name in keyof Part]: Field<Part[Name]> };

/**
 * One parameter. `read` gets null if the address does not have the parameter. `write`: equal
 * strings mean equal values.
 */
export function single<T>(name: string, plain: T, read: (text: string | null) => T, write: (value: T) => string = String): Field<T> {
  return {
    plain,
    read: (parameters) => read(parameters.get(name)),
    write: (value, parameters) => {
      if (write(value) !== write(plain)) parameters.append(name, write(value));
    },
  };
}

/** Any string; empty without the parameter. */
export function text(name: string): Field<string> {
  return single(name, '', (value) => value ?? '');
}

/** True for the string `true`, otherwise false. */
export function flag(name: string): Field<boolean> {
  return single(name, false, (value) => value === 'true');
}

/** One of several values; anything else means the first one. */
export function oneOf<T extends string>(name: string, values: readonly T[]): Field<T> {
  return single(name, values[0]!, (value) => values.find((one) => one === value) ?? values[0]!);
}

/** One optional parameter; null if it is missing. `read` returns null if it is invalid. */
export function optional<T>(name: string, read: (text: string) => T | null, write: (value: T) => string): Field<T | null> {
  return {
    plain: null,
    read: (parameters) => {
      const value = parameters.get(name);
      return value === null ? null : read(value);
    },
    write: (value, parameters) => {
      if (value !== null) parameters.append(name, write(value));
    },
  };
}

/** A name; null without the parameter. */
export function nameOrNull(name: string): Field<string | null> {
  return optional<string>(
    name,
    (value) => value,
    (value) => value,
  );
}

/** A list with one parameter per item. */
export function repeated<T>(
  name: string,
  read: (texts: readonly string[]) => readonly T[],
  write: (one: T) => string,
): Field<readonly T[]> {
  const plain: readonly T[] = [];
  return {
    plain,
    read: (parameters) => {
      const list = read(parameters.getAll(name));
      return list.length === 0 ? plain : list; // the same list: charts that depend on it are not drawn again
    },
    write: (list, parameters) => {
      for (const one of list) parameters.append(name, write(one));
    },
  };
}

/** Names in order, without duplicates; only the first `max`. */
export function names(name: string, max = Infinity): Field<readonly string[]> {
  return repeated<string>(
    name,
    (texts) => unique(texts).slice(0, max),
    (one) => one,
  );
}

/** A list of names. One empty parameter means an empty list; without the parameter, it is null. */
export function namesOrNull(name: string): Field<readonly string[] | null> {
  return {
    plain: null,
    read: (parameters) => (parameters.has(name) ? unique(parameters.getAll(name)).filter((one) => one !== '') : null),
    write: (list, parameters) => {
      for (const one of list?.length === 0 ? [''] : (list ?? [])) parameters.append(name, one);
    },
  };
}

/** Parses a finite number; returns null for anything else. */
export function readNumber(value: string | null): number | null {
  const number = Number(value);
  return value === null || value.trim() === '' || !Number.isFinite(number) ? null : number;
}

/** Parses a JSON list; returns an empty list for anything else. */
export function readList(value: string): readonly unknown[] {
  if (value === '') return [];
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/** The list without duplicates. */
export function unique(list: readonly string[]): string[] {
  return [...new Set(list)];
}
