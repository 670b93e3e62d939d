import type { MouseEvent } from 'react';

/**
 * Whether a click on a link opens it in this tab: a click of the main button, without a key that
 * opens another tab or window.
 */
export function isPlainClick({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean {
  return button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey;
}
