import type { View } from '#charts';
import type { Store } from '../app/store.ts';

/** Changes parts of the view. */
export function changeView(store: Store<View>, change: Partial<View>): void {
  store.set({ ...store.value, ...change });
}
