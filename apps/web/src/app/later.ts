import { type ComponentType, lazy, type LazyExoticComponent } from 'react';

/**
 * A part of the program that failed to load, for example because an update removed the old
 * version's files.
 */
export class PartMissing extends Error {
  override readonly name = 'PartMissing';
}

/**
 * A component that is loaded when it is first rendered. Throws {@link PartMissing} for the boundary
 * around it to catch.
 */
export function later<Props>(load: () => Promise<{ readonly default: ComponentType<Props> }>): LazyExoticComponent<ComponentType<Props>> {
  return lazy(() => loadPart(load));
}

/** Loads a part of the program. Throws {@link PartMissing}. */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (cause) {
    throw new PartMissing('part of the page cannot be loaded', { cause });
  }
}
