import { type ReactNode, useEffect, useRef, useState } from 'react';

interface NearProps {
  /** About what the contents will have, in pixels: kept until they are there, so that nothing below them moves. */
  readonly height: number;
  readonly children: ReactNode;
}

/** Draws what is in it once it is near the view; until then a place of about its size. */
export function Near({ height, children }: NearProps) {
  const [near, setNear] = useState<boolean | null>(null);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (near) return;
    const observer = new IntersectionObserver(([entry]) => setNear(entry!.isIntersecting), { rootMargin: '400px' });
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, [near]);
  return (
    <div className={near ? 'near' : 'far'} ref={place} style={{ minHeight: height }} aria-busy={near === null}>
      {near && children}
    </div>
  );
}
