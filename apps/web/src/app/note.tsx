import type { ReactNode } from 'react';

/** A page that has one thing to say. */
export function Note({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main className="note">
      <h1>{title}</h1>
      {children}
    </main>
  );
}
