import type { MouseEvent } from 'react';

/** For buttons that make something each time: the second click of a double click makes nothing (UI Events, `detail` counts clicks). */
export function firstClickOnly(event: MouseEvent): void {
  if (event.detail > 1) event.preventDefault();
}
