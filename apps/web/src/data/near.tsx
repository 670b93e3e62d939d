import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';

interface NearProps {
  /**
   * Approximate height of the content, in pixels. This space is reserved until the content exists,
   * so that nothing below it moves.
   */
  readonly height: number;
  readonly children: ReactNode;
}

const NearContext = createContext(true);

/**
 * Whether the component's container is near the viewport. If not, the component needs no new data.
 */
export function useIsNear(): boolean {
  return useContext(NearContext);
}

/**
 * Draws its content once it is near the viewport. Until then, reserves an empty space of about the
 * same size. Drawn content stays; `useIsNear` is false for it while it is far away again.
 */
export function Near({ height, children }: NearProps) {
  const [near, setNear] = useState<boolean | null>(null);
  const [drawn, setDrawn] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        const isNear = entries.at(-1)!.isIntersecting;
        setNear(isNear);
        if (isNear) setDrawn(true);
      },
      { rootMargin: '400px' },
    );
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <div className={drawn ? 'near' : 'far'} ref={place} style={{ minHeight: height }} aria-busy={near === null}>
      {drawn && <NearContext value={near === true}>{children}</NearContext>}
    </div>
  );
}
