import type { MouseEvent } from 'react';

/**
 * For buttons that create something on each click: ignores the second click of a double click (UI
 * Events, `detail` counts clicks).
 */
export function firstClickOnly(event: MouseEvent): void {
  if (event.detail > 1) event.preventDefault();
}
