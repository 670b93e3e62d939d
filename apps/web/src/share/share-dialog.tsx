import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { visibleText } from '#charts';
import type { ExperimentJson } from '../api/types.ts';
import { problemText } from '../api/problem.ts';
import { Dialog } from '../app/dialog.tsx';
import { usePage } from '../app/page-context.ts';
import { useContents, useWorld } from '../experiment/experiment-context.ts';
import { MadeLink } from './made-link.tsx';
import { type Made, NewLink } from './new-link.tsx';
import { ShareLinks } from './share-links.tsx';

/**
 * Who can see the experiment besides its workspace: people with a link created here, or everyone.
 */
export default function ShareDialog({ onClose }: { readonly onClose: () => void }) {
  const [made, setMade] = useState<Made | null>(null);
  return (
    <Dialog title="Share" onClose={onClose}>
      <Visibility />
      {made ? <MadeLink made={made} onDone={() => setMade(null)} /> : <NewLink onMade={setMade} />}
      <ShareLinks />
    </Dialog>
  );
}

function Visibility() {
  const { api, id } = useWorld();
  const { reader } = usePage();
  const { experiment } = useContents();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (visibility: string) => api.send<ExperimentJson>('PATCH', `/experiments/${id}`, { visibility }),
    onSuccess: (changed) => client.setQueryData(['experiment', id], changed),
  });
  return (
    <>
      <label className="field">
        General access
        <select value={experiment.visibility} disabled={change.isPending} onChange={({ target }) => change.mutate(target.value)}>
          <option value="private">Members of {visibleText(reader?.workspace ?? '')}</option>
          <option value="public">Anyone with the address, without signing in</option>
        </select>
      </label>
      {change.error && <p className="bad">{problemText(change.error)}</p>}
    </>
  );
}
