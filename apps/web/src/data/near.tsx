import { type ReactNode, useEffect, useRef, useState } from 'react';

/** Draws what is in it once it is near the view; until then a place of about its size. */
export function Near({ height, children }: { readonly height: number; readonly children: ReactNode }) {
  const [near, setNear] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (near) return;
    const observer = new IntersectionObserver(([entry]) => entry!.isIntersecting && setNear(true), { rootMargin: '400px' });
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, [near]);
  return near ? children : <div ref={place} style={{ height }} />;
}
