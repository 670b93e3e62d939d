import { type RefObject, useEffect } from 'react';
import { narrowQuery, useMedia } from '../app/theme.ts';

/** How many pixels the reader scrolls in one direction before the header disappears or returns. */
const min = 48;
/**
 * If fewer pixels than this can be scrolled, the header stays: hiding it would leave nothing to
 * scroll.
 */
const worthIt = 600;

/**
 * On a phone, the page's header disappears while the reader scrolls down (`data-collapsed` on the
 * document). It returns when the reader scrolls up. It stays while it has the focus.
 */
export function useCollapsingHeader(scroller: RefObject<HTMLElement | null>): void {
  const narrow = useMedia(narrowQuery);
  useEffect(() => {
    const element = scroller.current;
    if (!narrow || !element) return;
    const root = document.documentElement;
    let from = element.scrollTop;
    const follow = (): void => {
      const { scrollTop: at, scrollHeight, clientHeight } = element;
      const collapsed = root.hasAttribute('data-collapsed');
      const hasFocus = document.activeElement?.matches(':is(.bar, .experiment-head) *') === true;
      const isDown = at > from;
      if (isDown === collapsed) from = at; // continues in its current direction
      if (at < min || hasFocus) root.removeAttribute('data-collapsed');
      else if (!collapsed && at - from > min && scrollHeight - clientHeight > worthIt) root.setAttribute('data-collapsed', '');
      else if (collapsed && from - at > min) root.removeAttribute('data-collapsed');
      else return;
      from = at;
    };
    element.addEventListener('scroll', follow, { passive: true });
    return () => {
      element.removeEventListener('scroll', follow);
      root.removeAttribute('data-collapsed');
    };
  }, [narrow, scroller]);
}
