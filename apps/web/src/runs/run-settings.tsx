import { Suspense } from 'react';
import { Boundary } from '../app/boundary.tsx';
import { Icon } from '../app/icons.tsx';
import { later } from '../app/later.ts';
import { Menu } from '../app/menu.tsx';
import type { RunSettingsProps } from './run-settings-form.tsx';

const RunSettingsForm = later(() => import('./run-settings-form.tsx'));

/** The order of the runs, their groups, and whether archived runs are shown. */
export function RunSettings(props: RunSettingsProps) {
  return (
    <Menu label="Filter, sort, color and group runs" icon={<Icon name="settings" />}>
      <Boundary what="This">
        <Suspense fallback={null}>
          <RunSettingsForm {...props} />
        </Suspense>
      </Boundary>
    </Menu>
  );
}
