import { useSyncExternalStore } from 'react';

/** A value that is watched: by components, by canvases, by the address. Who is told reads it anew. */
export class Store<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** Tells nobody when it is the same value. */
  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of Array.from(this.#listeners)) listener(); // a copy: a listener may end itself
  }

  /** Calls the listener after each change. Returns what ends that. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}

/** What `select` takes out of the store; the component is drawn again when that is another value. */
export function useStore<T, S>(store: Store<T>, select: (value: T) => S): S {
  const read = (): S => select(store.value);
  return useSyncExternalStore(store.subscribe, read, read);
}
