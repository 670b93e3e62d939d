import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';

interface NearProps {
  /** About what the contents will have, in pixels: kept until they are there, so that nothing below them moves. */
  readonly height: number;
  readonly children: ReactNode;
}

const NearContext = createContext(true);

/** Whether what a component is in is near the view: what is not needs nothing new. */
export function useIsNear(): boolean {
  return useContext(NearContext);
}

/** Draws what is in it once it is near the view; until then a place of about its size. What was drawn stays, and is told when it is far again. */
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
