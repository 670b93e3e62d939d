import { Suspense } from 'react';
import { Boundary } from '../app/boundary.tsx';
import { later } from '../app/later.ts';
import { Menu } from '../app/menu.tsx';
import type { HeadButtonProps } from '../experiment/head-actions.ts';

const SavedViews = later(() => import('./saved-views.tsx'));

/** Opens, saves and manages an experiment's named views. */
export function ViewsMenu({ open, onOpen }: HeadButtonProps) {
  return (
    <Menu label="Saved views" icon="Views" opened={{ open, onOpen }}>
      <Boundary what="The list of saved views">
        <Suspense fallback={<p className="dim" aria-busy="true" />}>
          <SavedViews />
        </Suspense>
      </Boundary>
    </Menu>
  );
}
