import { useSyncExternalStore } from 'react';

/**
 * An observable value for components, canvases and the URL. Listeners read the new value
 * themselves.
 */
export class Store<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** Does not notify listeners if the value is unchanged. */
  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of Array.from(this.#listeners)) listener(); // a copy, because a listener may unsubscribe itself
  }

  /** Calls the listener after each change. Returns a function that unsubscribes. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}

/**
 * The result of applying `select` to the store. The component is rendered again when the result
 * changes.
 */
export function useStore<T, S>(store: Store<T>, select: (value: T) => S): S {
  const read = (): S => select(store.value);
  return useSyncExternalStore(store.subscribe, read, read);
}
