import type { ReactNode } from 'react';

/** A page with a single message. */
export function Note({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main className="note">
      <h1>{title}</h1>
      {children}
    </main>
  );
}
