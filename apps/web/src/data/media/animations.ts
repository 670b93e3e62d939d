import { Store, useStore } from '../../app/store.ts';
import { useMedia } from '../../app/theme.ts';

/** The reader's choice for all animations on the page; null if the reader has not chosen yet. */
const chosen = new Store<boolean | null>(null);

/** Whether the page has shown any animation. */
const known = new Store(false);

/** Whether images of this media type can be animated: most clips are logged as GIF. */
export function isAnimation(type: string): boolean {
  return type === 'image/gif';
}

/** Whether browsers play this media type as video. */
export function isVideo(type: string): boolean {
  return type.startsWith('video/');
}

/** Whether animations play. They play unless the reader paused them or prefers reduced motion. */
export function usePlaying(): readonly [isPlaying: boolean, play: (on: boolean) => void] {
  const still = useMedia('(prefers-reduced-motion: reduce)');
  return [useStore(chosen, (on) => on) ?? !still, (on) => chosen.set(on)];
}

/** Whether there is any animation to pause. */
export function useHasAnimations(): boolean {
  return useStore(known, (any) => any);
}

/** Called by each animation. */
export function noteAnimation(): void {
  known.set(true);
}
